/**
 * Options of a mutation whose input or answer is a secret: by default the cache would keep both for
 * five minutes after the component that needed them is gone.
 */
export const FORGETFUL = { gcTime: 0 } as const
