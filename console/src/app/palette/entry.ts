export const GROUPS = ['pages', 'actions', 'channels', 'tokens', 'users'] as const

export type Group = (typeof GROUPS)[number]

/** One line of the palette: a place to go to or something to do. */
export type Entry = {
  id: string
  group: Group
  label: string
  /** What tells it from others of the same name. */
  hint?: string
  /** What it is found by, in every language. */
  words: string
} & ({ to: string } | { act: () => void })
