import { isRecord, type JsonRecord, listOf, member } from '../bytes/json-value.ts'
import type { OutputItem } from '../form/events.ts'

/*
 * Citations of web pages. Chat completions have them in an object of their own
 * (openai/openai-agents-python#4222, BerriAI/litellm#18378).
 */

const TYPE = 'url_citation'
const PLACES = new Set(['start_index', 'end_index'])

/** Members with plain values; places count from `offset`. */
function citationOf(source: JsonRecord, offset: number): JsonRecord {
  const given = [...PLACES, 'url', 'title'].flatMap((name): [string, unknown][] => {
    const value = source[name]
    if (typeof value === 'number') return [[name, PLACES.has(name) ? value + offset : value]]
    return typeof value === 'string' ? [[name, value]] : []
  })
  return Object.fromEntries(given)
}

/** What a message of Responses cites; its text begins at `offset` in that of the answer. */
export function chatAnnotations(item: unknown, offset: number): JsonRecord[] {
  return listOf(member(item, 'content'))
    .flatMap((part) => listOf(member(part, 'annotations')))
    .filter(isRecord)
    .filter(({ type }) => type === TYPE)
    .map((citation) => ({ type: TYPE, [TYPE]: citationOf(citation, offset) }))
}

/** The annotations in a delta or message of chat completions. */
export const ownAnnotations = ({ annotations }: JsonRecord): JsonRecord[] =>
  listOf(annotations)
    .map((annotation) => member(annotation, TYPE))
    .filter(isRecord)
    .map((citation) => ({ type: TYPE, ...citationOf(citation, 0) }))

/** The annotations of chat completions in a whole answer. */
export const annotationsIn = (items: readonly OutputItem[]): unknown[] =>
  items.flatMap((item) => (item.type === 'other' ? listOf(item.delta['annotations']) : []))
