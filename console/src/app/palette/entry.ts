export const GROUPS = [
  ...(['pages', 'actions', 'channels', 'tokens', 'users', 'codes', 'requests'] as const),
  ...(['models', 'settings'] as const),
] as const

export type Group = (typeof GROUPS)[number]

export type Entry = {
  id: string
  group: Group
  label: string
  /** Distinguishes entries with the same label. */
  hint?: string
  /** Search text in all languages. */
  words: string
} & ({ to: string } | { act: () => void })
