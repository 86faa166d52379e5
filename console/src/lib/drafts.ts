/** What stood in a form when its session was lost: in memory only, as it may be a secret. */
type Draft = { owner: number; place: string; values: Values }

type Values = Readonly<Record<string, unknown>>

let drafts: Draft[] = []

/** The changed fields of a form; `place` is its page and its fields. */
export function keepDraft(draft: Draft) {
  if (Object.keys(draft.values).length === 0) return
  drafts = [...drafts.filter(({ place }) => place !== draft.place), draft]
}

/** Gives a draft back once, to whom it belongs; somebody else's are forgotten. */
export function takeDraft(owner: number | undefined, place: string): Values | undefined {
  // Forms for visitors lie on the way back to what was left.
  if (owner === undefined) return undefined
  drafts = drafts.filter((draft) => draft.owner === owner)
  const found = drafts.find((draft) => draft.place === place)
  drafts = drafts.filter((draft) => draft !== found)
  return found?.values
}

/** The fields whose value is another one than at first. */
export const changesOf = (values: Values, initial: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(initial[name]),
    ),
  )
