import { focused, giveFocus } from './focus.ts'

/** What is asked: it names the thing and the consequence, and the button repeats the verb. */
export type Question = {
  title: string
  body: string
  verb: string
  danger?: boolean
  /** When given, this text must be typed, else `error` is shown. */
  typed?: { text: string; error: string }
}

export type OpenQuestion = Question & { answer: (yes: boolean) => void }

let open: OpenQuestion | null = null
const listeners = new Set<() => void>()

function setOpen(question: OpenQuestion | null) {
  open = question
  for (const listener of listeners) listener()
}

/** Asks before something that cannot be taken back; a second question answers the first with no. */
export function confirm(question: Question): Promise<boolean> {
  open?.answer(false)
  const before = focused()
  return new Promise((resolve) => {
    setOpen({
      ...question,
      answer: (yes) => {
        setOpen(null)
        // The dialog is gone with the next frame; only then can focus go back.
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
