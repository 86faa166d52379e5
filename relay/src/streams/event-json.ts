import { jsonIn } from '../bytes/json-parse.ts'
import {
  isRecord,
  type JsonRecord,
  listOf,
  member,
  parseJson,
  textOf,
} from '../bytes/json-value.ts'
import { blockData } from '../bytes/sse.ts'
import { type EventShape, findText, numberIn, shapeOf } from './event-shape.ts'

/** Larger events carry more than a token. */
const BYTES_MAX = 8 * 1024
/** Events that are tried in vain, before the stream's events count as always different. */
const TRIES_MAX = 4
const BACKSLASH = 0x5c
/** In a name of letters and underscores that is spelled with escapes. */
const ESCAPED_LETTER = /\\u00(?:5f|[67])/i
/** Bytes from here on belong to characters that are not ASCII. */
const NOT_ASCII = 0x80

type Place = { readonly holder: Record<string, unknown>; readonly name: string }
type Known = { readonly block: Buffer; readonly json: JsonRecord }

/** The last event, and where in it the next one differs. */
type Template = {
  readonly json: JsonRecord
  readonly shape: EventShape
  readonly place: Place
  /** For each number in the shape. */
  readonly counts: readonly Place[]
}

/**
 * Reads the JSON of server-sent events. Most events of a stream differ only in their text and in
 * counts. Such an event is not parsed: its text and its counts are put into the JSON of the event
 * before. Callers must not keep the JSON.
 */
export class EventJson {
  /** The last event. Its shape is computed when the next arrives, so that it is not delayed. */
  #last: Known | null = null
  #template: Template | null = null
  readonly #numbers: number[] = []
  /** Where the text of the last event is that was not parsed. */
  readonly range = { start: 0, end: 0, numbers: this.#numbers }
  #triesLeft = TRIES_MAX

  read(block: Buffer): JsonRecord | 'comment' | 'unreadable' {
    const template = this.#match(block)
    if (template !== null) {
      this.#put(block, template)
      return template.json
    }
    const data = blockData(block)
    if (data === null) return 'comment'
    const json = jsonIn(data)
    this.#template = null
    this.#last = null
    if (!isRecord(json)) return 'unreadable'
    if (block.length <= BYTES_MAX && this.#triesLeft > 0) this.#last = { block, json }
    return json
  }

  /** The text of an event that differs only in it from the last, whose text was `last`; or null. */
  nextDelta(block: Buffer, last: string): string | null {
    const template = this.#match(block)
    if (template === null || template.place.holder[template.place.name] !== last) return null
    return this.#put(block, template)
  }

  /** As `nextDelta`, but only the length of the text, which stays `last`; 0 for other events. */
  nextLength(block: Buffer, last: string): number {
    const template = this.#match(block)
    if (template === null || template.place.holder[template.place.name] !== last) return 0
    this.#putCounts(template)
    const { start, end } = this.range
    return isPlain(block, start, end) ? end - start : this.#text(block).length
  }

  #match(block: Buffer): Template | null {
    if (block.length > BYTES_MAX) return null
    if (this.#last !== null) this.#learn(this.#last)
    const template = this.#template
    if (template === null || !findText(block, template.shape, this.range)) return null
    return this.#countsGrow(template) ? template : null
  }

  /** A count that falls to 0 does not count in joined reports. */
  #countsGrow({ counts }: Template): boolean {
    for (let index = 0; index < counts.length; index += 1) {
      const place = counts[index]
      if (this.#numbers[index] === 0 && place?.holder[place.name] !== 0) return false
    }
    return true
  }

  #put(block: Buffer, template: Template): string {
    const { holder, name } = template.place
    const text = this.#text(block)
    holder[name] = text
    this.#putCounts(template)
    return text
  }

  #text(block: Buffer): string {
    const escaped = block.toString('utf8', this.range.start, this.range.end)
    return escaped.includes('\\') ? textOf(parseJson(`"${escaped}"`)) : escaped
  }

  #putCounts({ counts }: Template) {
    let index = 0
    for (const { holder, name } of counts) {
      holder[name] = this.#numbers[index]
      index += 1
    }
    this.#triesLeft = TRIES_MAX
  }

  #learn({ block, json }: Known) {
    this.#last = null
    const place = placeOf(json)
    if (place === null) return
    this.#triesLeft -= 1
    const shape = shapeOf(block)
    const counts = shape && countsIn(json, shape)
    if (shape === null || counts === null || !holdsPlace(shape, place)) return
    this.#template = { json, shape, place, counts }
  }
}

/** Null for a number that stands elsewhere, or twice. */
function countsIn(json: JsonRecord, { event, gaps }: EventShape): readonly Place[] | null {
  const counts: Place[] = []
  for (const { name, from, to } of gaps) {
    if (name === undefined) continue
    const count = countAt(json, name)
    const isOther = count.holder[name] !== numberIn(event, from, to)
    if (isOther || counts.some((known) => known.name === name)) return null
    counts.push(count)
  }
  return counts
}

/** Where the APIs of Anthropic, Responses and Gemini have the text of an event. */
function placeOf(json: JsonRecord): Place | null {
  if (typeof json['delta'] === 'string') return placeIn(json, 'delta')
  if (json['type'] === 'content_block_delta') {
    const names = ['text', 'partial_json', 'thinking']
    const name = names.find((one) => typeof member(json['delta'], one) === 'string')
    return name === undefined ? null : placeIn(json['delta'], name)
  }
  const [candidate] = listOf(json['candidates'])
  const [part] = listOf(member(member(candidate, 'content'), 'parts'))
  return typeof member(part, 'text') === 'string' ? placeIn(part, 'text') : null
}

/** Where Responses has the number of an event, and Gemini the counts. */
function countAt(json: JsonRecord, name: string): Place {
  const usage = json['usageMetadata']
  return placeIn(name in json || !isRecord(usage) ? json : usage, name)
}

// Safe because the JSON is of this file alone, and the caller has found the member.
const placeIn = (holder: unknown, name: string): Place => ({
  holder: holder as Record<string, unknown>,
  name,
})

/**
 * Whether the text in the shape is that of the place: no other member of the event has the place's
 * name.
 */
function holdsPlace({ event, start, end }: EventShape, { name }: Place): boolean {
  const [before, after] = [event.toString('latin1', 0, start), event.toString('latin1', end)]
  const opening = `"${name}":"`
  const isNamed = (text: string) => text.includes(`"${name}"`) || ESCAPED_LETTER.test(text)
  return before.endsWith(opening) && !isNamed(before.slice(0, -opening.length)) && !isNamed(after)
}

/** Whether each byte of a text is a character. */
function isPlain(event: Buffer, start: number, end: number): boolean {
  for (let at = start; at < end; at += 1) {
    const byte = event[at] ?? 0
    if (byte === BACKSLASH || byte >= NOT_ASCII) return false
  }
  return true
}
