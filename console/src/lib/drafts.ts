/**
 * Form values at the moment the session was lost. Kept in memory only, because they may contain
 * secrets.
 */
type Draft = { owner: number; place: string; values: Values }

type Values = Readonly<Record<string, unknown>>

let drafts: Draft[] = []

/** Keeps the changed fields of a form. `place` is the page path plus the field names. */
export function keepDraft(draft: Draft) {
  if (Object.keys(draft.values).length === 0) return
  drafts = [...drafts.filter(({ place }) => place !== draft.place), draft]
}

/** Returns and removes the owner's draft. Drafts of other users are dropped. */
export function takeDraft(owner: number | undefined, place: string): Values | undefined {
  // Visitor forms such as the login page lie on the way back to the form, so drafts stay.
  if (owner === undefined) return undefined
  drafts = drafts.filter((draft) => draft.owner === owner)
  const found = drafts.find((draft) => draft.place === place)
  drafts = drafts.filter((draft) => draft !== found)
  return found?.values
}

export const changesOf = (values: Values, initial: Values): Values =>
  Object.fromEntries(
    Object.entries(values).filter(
      ([name, value]) => JSON.stringify(value) !== JSON.stringify(initial[name]),
    ),
  )
