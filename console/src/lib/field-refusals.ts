import { announce } from './announce.ts'
import { refusalOf } from './call.ts'

/** `field` as the API names it, such as `models.0`. */
type FieldRefusal = { field: string; text: string }

/** Returns false for a field that the form does not show. */
type Show = (refusal: FieldRefusal) => boolean

let forms: readonly Show[] = []

/** Registers an open form. Dialogs open last, and are asked first. */
export function onFieldRefusal(show: Show): () => void {
  forms = [show, ...forms]
  return () => {
    forms = forms.filter((other) => other !== show)
  }
}

/** Shows what the server says about a field at that field, if an open form has it. */
export function showAtField(error: unknown): boolean {
  const { field, problem, message = '' } = refusalOf(error) ?? {}
  const text = asSentence(problem ?? message)
  const isShown = field !== undefined && forms.some((show) => show({ field, text }))
  // The focus alone says nothing if the field has had it: Enter in a field submits the form.
  if (isShown) announce(text)
  return isShown
}

/** The API continues a sentence that begins with its name of the field. */
const asSentence = (text: string) =>
  /^[a-z]/.test(text) ? `${text.charAt(0).toUpperCase()}${text.slice(1).replace(/\.$/, '')}.` : text
