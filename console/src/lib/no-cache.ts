/**
 * Options for mutations with secret inputs or answers. The default would keep both in the cache for
 * five minutes after the component unmounts.
 */
export const NO_CACHE = { gcTime: 0 } as const
