import { isRecord, type JsonRecord, listOf, member, textOf } from '../bytes/json-value.ts'
import type { Citation } from '../form/events.ts'

/*
 * Citations in the two APIs of OpenAI. Chat completions have them in an object of their own
 * (openai/openai-agents-python#4222, BerriAI/litellm#18378), and of web pages only.
 */

const TYPE = 'url_citation'

/** Places count from `offset`. A file is cited at one place. */
function citationOf(given: JsonRecord, offset: number): Citation[] {
  const { url, title, content, file_id: id, filename, index } = given
  const placeOf = (place: unknown) => (typeof place === 'number' ? place + offset : offset)
  const start = placeOf(given['start_index'] ?? index)
  const end = Math.max(start, placeOf(given['end_index'] ?? index))
  const place = { start, end, quote: textOf(content) }
  if (typeof url === 'string') return [{ ...place, url, title: textOf(title), fileId: '' }]
  if (typeof id !== 'string') return []
  return [{ ...place, url: '', title: textOf(filename), fileId: id }]
}

/** What a message of Responses cites; its text begins at `offset` in that of the answer. */
export function citationsInItem(item: unknown, offset: number): Citation[] {
  let at = offset
  return listOf(member(item, 'content')).flatMap((part) => {
    const start = at
    if (member(part, 'type') === 'output_text') at += textOf(member(part, 'text')).length
    return listOf(member(part, 'annotations'))
      .filter(isRecord)
      .flatMap((annotation) => citationOf(annotation, start))
  })
}

/** The text of the part begins at `offset` in that of the answer. */
export function annotationOf(
  { url, title, fileId, ...place }: Citation,
  offset: number,
): JsonRecord {
  const start_index = Math.max(place.start - offset, 0)
  const end_index = Math.max(place.end - offset, start_index)
  if (url !== '') return { type: TYPE, start_index, end_index, url, title }
  return { type: 'file_citation', index: end_index, file_id: fileId, filename: title }
}

/** The citations in a delta or message of chat completions. */
export const citationsInMessage = ({ annotations }: JsonRecord): Citation[] =>
  listOf(annotations)
    .map((annotation) => member(annotation, TYPE))
    .filter(isRecord)
    .flatMap((citation) => citationOf(citation, 0))

/** In chat completions. OpenRouter has the text of the source as well. */
export const chatAnnotations = (citations: readonly Citation[]): JsonRecord[] =>
  citations
    .filter(({ url }) => url !== '')
    .map(({ start, end, url, title, quote }) => {
      const content = quote === '' ? {} : { content: quote }
      return {
        type: TYPE,
        [TYPE]: { start_index: start, end_index: end, url, title, ...content },
      }
    })
