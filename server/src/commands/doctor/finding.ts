/** `bad` prevents the server from working; `warning` may. */
export type Finding = { state: 'ok' | 'warning' | 'bad'; text: string }

export const ok = (text: string): Finding => ({ state: 'ok', text })
/** The text says what to do. */
export const warning = (text: string): Finding => ({ state: 'warning', text })
export const bad = (text: string): Finding => ({ state: 'bad', text })
