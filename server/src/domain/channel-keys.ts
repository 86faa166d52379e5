/** How the keys of one channel are kept, sealed, in its row; at least one. */
export const joinKeys = (keys: readonly string[]) => keys.join('\n')

export const splitKeys = (joined: string) => joined.split('\n')
