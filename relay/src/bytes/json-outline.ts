import type { Members } from './json-members.ts'
import { isSmall, parseInSteps } from './json-parse.ts'
import { JsonScan, skipSpace, type Span } from './json-scan.ts'
import { parseJson } from './json-value.ts'
import type { Steps } from './steps.ts'

/** Longer than an id in any alphabet, and than any mark by which a text is recognized. */
const BEGINNING_BYTES = 96
const BACKSLASH = 0x5c

export type OutlineOptions = {
  /** Long strings keep their beginning. */
  readonly keepsBeginnings?: boolean
}

/**
 * The parsed body with its long strings left empty, which is enough to forward the body. A prompt
 * of 200 kB is then neither decoded nor copied. The outline is valid JSON if, and only if, the body
 * is.
 */
export function* outlineInSteps(
  body: Buffer,
  { longTexts, nodes }: Members,
  { keepsBeginnings = false }: OutlineOptions = {},
): Steps<unknown> {
  const leftOut = longTexts.reduce((sum, { start, end }) => sum + end - start, 0)
  const spans = keepsBeginnings ? restsOf(body, longTexts) : longTexts
  const around = bytesAround(body, spans)
  const isParsedAtOnce = isSmall(body.length - leftOut, nodes)
  return isParsedAtOnce ? parseJson(around.toString('utf8')) : yield* parseInSteps(around)
}

/** The value of a JSON text that is read at once. Its long strings keep their beginning only. */
export function outlineOf(json: Buffer): unknown {
  const scan = new JsonScan(json, { sliceBytes: Infinity })
  const isScanned = scan.skip(skipSpace(json, 0)) > 0
  const around = isScanned ? bytesAround(json, restsOf(json, scan.longTexts)) : json
  return parseJson(around.toString('utf8'))
}

/** The bytes around the spans, of which the first and the last byte stay. */
function bytesAround(body: Buffer, spans: readonly Span[]): Buffer {
  if (spans.length === 0) return body
  let length = body.length
  for (const { start, end } of spans) length -= end - start - 2
  const around = Buffer.allocUnsafe(length)
  let at = 0
  let from = 0
  for (const { start, end } of spans) {
    at += body.copy(around, at, from, start + 1)
    from = end - 1
  }
  body.copy(around, at, from)
  return around
}

/** Each string but its beginning. A string that begins with an escape is kept. */
function restsOf(body: Buffer, texts: readonly Span[]): Span[] {
  return texts.flatMap(({ start, end }) => {
    const last = start + BEGINNING_BYTES
    let at = start
    while (at < last && body[at + 1] !== BACKSLASH) at += 1
    while (isContinuation(body[at + 1])) at -= 1
    return at === start ? [] : [{ start: at, end }]
  })
}

/** A byte inside a character of several bytes. */
const isContinuation = (byte = 0) => (byte & 0xc0) === 0x80
