import type { Members } from './json-members.ts'
import { isSmall, parseInSteps } from './json-parse.ts'
import type { Span } from './json-scan.ts'
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
  if (isSmall(body.length - leftOut, nodes)) {
    return parseJson(piecesOf(body, spans, (from, to) => body.toString('utf8', from, to)).join(''))
  }
  if (spans.length === 0) return yield* parseInSteps(body)
  const pieces = piecesOf(body, spans, (from, to) => body.subarray(from, to))
  return yield* parseInSteps(Buffer.concat(pieces))
}

/** The text around the spans, of which the first and the last byte stay. */
function piecesOf<Piece>(
  body: Buffer,
  spans: readonly Span[],
  slice: (from: number, to: number) => Piece,
): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const { start, end } of spans) {
    pieces.push(slice(from, start + 1))
    from = end - 1
  }
  pieces.push(slice(from, body.length))
  return pieces
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
