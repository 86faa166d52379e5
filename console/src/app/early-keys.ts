import { typedBy } from './shortcut.ts'

export const DIALOG = 'dialog[open], [role="dialog"][aria-modal="true"]'

let early = ''

/** What was typed before the palette had its field. */
export const earlyText = () => early

/**
 * Keeps what is typed until the palette is open. Its code may still load, and the text would go to
 * the page or to a field of a form.
 */
export function keepEarlyKeys(onCancel: () => void) {
  early = ''
  const onKeyDown = (event: KeyboardEvent) => {
    if (document.querySelector(DIALOG)) return
    const text = typedBy(early, event)
    if (text === null && event.key !== 'Escape' && event.key !== 'Enter') return
    event.preventDefault()
    event.stopPropagation()
    if (event.key === 'Escape') onCancel()
    early = text ?? early
  }
  document.addEventListener('keydown', onKeyDown, true)
  return () => document.removeEventListener('keydown', onKeyDown, true)
}
