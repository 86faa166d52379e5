import {
  isRecord,
  type JsonRecord,
  listOf,
  member,
  numberIn,
  textOf,
} from '../../bytes/json-value.ts'
import type { Citation } from '../../form/events.ts'

/*
 * Sources of an answer. Gemini counts places in bytes
 * (https://ai.google.dev/api/generate-content#Segment).
 */

/** An answer has some dozen. */
export const CITATIONS_MAX = 256

/** What a candidate cites; `text` is its text so far. */
export function citationsOf(candidate: JsonRecord, text: string): Citation[] {
  const { groundingMetadata: grounding, citationMetadata: recited } = candidate
  const placeOf = new TextPlaces(text)
  const chunks = listOf(member(grounding, 'groundingChunks')).map(sourceOf)
  const supports = listOf(member(grounding, 'groundingSupports')).slice(0, CITATIONS_MAX)
  const supported = supports.flatMap((support) => {
    const sources = listOf(member(support, 'groundingChunkIndices')).flatMap(
      (index) => chunks[Number(index)] ?? [],
    )
    const place = sources.length === 0 ? NO_PLACE : placeOf.find(member(support, 'segment'))
    return sources.map((source) => ({ ...source, ...place }))
  })
  const isOver = textOf(candidate['finishReason']) !== ''
  const loose = supports.length === 0 && isOver ? chunks.flat() : []
  const sources = member(recited, 'citationSources') ?? member(recited, 'citations')
  const recitations = listOf(sources)
    .slice(0, CITATIONS_MAX)
    .flatMap((given) => sourceIn(given).map((source) => ({ ...source, ...placeOf.find(given) })))
  return [...supported, ...loose, ...recitations].slice(0, CITATIONS_MAX)
}

const NO_PLACE = { start: 0, end: 0 }

const sourceOf = (chunk: unknown): Citation[] =>
  sourceIn(isRecord(chunk) ? Object.values(chunk).find(isRecord) : chunk)

function sourceIn(given: unknown): Citation[] {
  const [url, title] = [textOf(member(given, 'uri')), textOf(member(given, 'title'))]
  if (url === '' && title === '') return []
  return [{ ...NO_PLACE, url, title, quote: textOf(member(given, 'text')), fileId: '' }]
}

class TextPlaces {
  readonly #text: string
  #bytes: Buffer | null = null
  /** The last place, since segments stand in their order. */
  #known = { byte: 0, at: 0 }

  constructor(text: string) {
    this.#text = text
  }

  /** A segment may count from the beginning of its part, but has its text. */
  find(segment: unknown): { readonly start: number; readonly end: number } {
    const start = this.#at(numberIn(segment, 'startIndex') ?? 0)
    const end = Math.max(start, this.#at(numberIn(segment, 'endIndex') ?? 0))
    const quoted = textOf(member(segment, 'text'))
    if (quoted === '' || this.#text.slice(start, end) === quoted) return { start, end }
    const found = this.#text.indexOf(quoted)
    return found === -1 ? { start, end } : { start: found, end: found + quoted.length }
  }

  #at(byte: number): number {
    this.#bytes ??= Buffer.from(this.#text)
    const known = byte < this.#known.byte ? { byte: 0, at: 0 } : this.#known
    const at = known.at + this.#bytes.toString('utf8', known.byte, byte).length
    this.#known = { byte: Math.min(byte, this.#bytes.length), at }
    return at
  }
}

/** The sources of a candidate whose whole text is known. */
export function groundingMember(citations: readonly Citation[], text: string): JsonRecord {
  if (citations.length === 0) return {}
  const indexes = new Map<string, number>()
  const groundingChunks: JsonRecord[] = []
  const groundingSupports = citations.slice(0, CITATIONS_MAX).flatMap((citation) => {
    const { start, end, url, title } = citation
    const key = JSON.stringify([url, title])
    const index = indexes.get(key) ?? groundingChunks.push(chunkOf(citation)) - 1
    indexes.set(key, index)
    const quoted = text.slice(start, end)
    if (quoted === '') return []
    const startIndex = Buffer.byteLength(text.slice(0, start))
    const endIndex = startIndex + Buffer.byteLength(quoted)
    const segment = { startIndex, endIndex, text: quoted }
    return [{ segment, groundingChunkIndices: [index] }]
  })
  return { groundingMetadata: { groundingChunks, groundingSupports } }
}

const chunkOf = ({ url, title, quote }: Citation): JsonRecord =>
  url === '' ? { retrievedContext: { title, text: quote } } : { web: { uri: url, title } }
