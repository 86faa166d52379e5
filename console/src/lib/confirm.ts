import { focused, giveFocus } from './focus.ts'

/** The title names the object, the body the consequence, and the button repeats the verb. */
export type Question = {
  title: string
  body: string
  verb: string
  danger?: boolean
  /** Text the user must type to confirm; `error` is shown on a mismatch. */
  typed?: { text: string; error: string }
}

export type OpenQuestion = Question & { answer: (yes: boolean) => void }

let open: OpenQuestion | null = null
const listeners = new Set<() => void>()

function setOpen(question: OpenQuestion | null) {
  open = question
  for (const listener of listeners) listener()
}

/** Asks before an irreversible action. A second question answers the first with no. */
export function confirm(question: Question): Promise<boolean> {
  open?.answer(false)
  const before = focused()
  return new Promise((resolve) => {
    setOpen({
      ...question,
      answer: (yes) => {
        setOpen(null)
        // The dialog unmounts with the next frame; focus can return only then.
        requestAnimationFrame(() => before && giveFocus(before))
        resolve(yes)
      },
    })
  })
}

export const getOpenQuestion = () => open

export function onQuestion(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
