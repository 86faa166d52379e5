import { isRecord, type JsonRecord, listOf, member, textOf } from '../bytes/json-value.ts'
import type { OutputItem } from '../form/events.ts'

/*
 * Citations of web pages. Chat completions have them in an object of their own
 * (openai/openai-agents-python#4222, BerriAI/litellm#18378).
 */

const TYPE = 'url_citation'
/** With all that clients require, empty if its page is unknown; places count from `offset`. */
function citationOf({ url, title, ...places }: JsonRecord, offset: number): JsonRecord[] {
  if (typeof url !== 'string') return []
  const placeOf = (name: string) => {
    const place = places[name]
    return typeof place === 'number' ? place + offset : offset
  }
  const [start_index, end_index] = [placeOf('start_index'), placeOf('end_index')]
  return [{ start_index, end_index, url, title: textOf(title) }]
}

/** What a message of Responses cites; its text begins at `offset` in that of the answer. */
export function chatAnnotations(item: unknown, offset: number): JsonRecord[] {
  let at = offset
  return listOf(member(item, 'content')).flatMap((part) => {
    const start = at
    if (member(part, 'type') === 'output_text') at += textOf(member(part, 'text')).length
    return listOf(member(part, 'annotations'))
      .filter(isRecord)
      .filter(({ type }) => type === TYPE)
      .flatMap((citation) => citationOf(citation, start))
      .map((citation) => ({ type: TYPE, [TYPE]: citation }))
  })
}

/** The annotations in a delta or message of chat completions. */
export const ownAnnotations = ({ annotations }: JsonRecord): JsonRecord[] =>
  listOf(annotations)
    .map((annotation) => member(annotation, TYPE))
    .filter(isRecord)
    .flatMap((citation) => citationOf(citation, 0))
    .map((citation) => ({ type: TYPE, ...citation }))

/** The annotations of chat completions in a whole answer. */
export const annotationsIn = (items: readonly OutputItem[]): unknown[] =>
  items.flatMap((item) => (item.type === 'other' ? listOf(item.delta['annotations']) : []))
