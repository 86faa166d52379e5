const isApple = typeof navigator !== 'undefined' && navigator.userAgent.includes('Mac')

const HELD = isApple ? '⌘' : 'Ctrl '

export const PALETTE_KEYS = `${HELD}K`

export const SAVE_KEYS = `${HELD}↵`

export type Shortcut = 'palette' | 'shortcuts'

type Press = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey'>

export const isPlain = (press: Press) => !press.ctrlKey && !press.metaKey && !press.altKey

/** Maps a key press to a shortcut. In text fields a question mark is plain input. */
export function shortcutOf(press: Press, isTyping: boolean): Shortcut | null {
  if (press.altKey) return null
  const isModified = press.ctrlKey || press.metaKey
  if (isModified) return press.key.toLowerCase() === 'k' ? 'palette' : null
  return press.key === '?' && !isTyping ? 'shortcuts' : null
}

/**
 * The text that a field would hold after the press, for presses while the field still loads. Null
 * for a press that changes no text.
 */
export function typedBy(text: string, press: Press): string | null {
  if (!isPlain(press)) return null
  if (press.key === 'Backspace') return [...text].slice(0, -1).join('')
  return [...press.key].length === 1 ? text + press.key : null
}
