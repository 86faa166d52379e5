/** How the keys of a channel are joined before they are sealed; at least one key. */
export const joinKeys = (keys: readonly string[]) => keys.join('\n')

export const splitKeys = (joined: string) => joined.split('\n')
