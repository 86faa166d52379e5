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
  members: Members,
  options: OutlineOptions = {},
): Steps<unknown> {
  if (isOutlinedAtOnce(body, members)) return outlineAtOnce(body, members, options)
  return yield* parseInSteps(bytesAround(body, spansOf(body, members, options)))
}

export function isOutlinedAtOnce(body: Buffer, { longTexts, nodes }: Members): boolean {
  let rest = body.length
  for (const { start, end } of longTexts) rest -= end - start
  return isSmall(rest, nodes)
}

/** Like `outlineInSteps`, for a body that is read at once. */
export const outlineAtOnce = (body: Buffer, members: Members, options?: OutlineOptions): unknown =>
  parseJson(textAround(body, spansOf(body, members, options)))

const spansOf = (
  body: Buffer,
  { longTexts }: Members,
  { keepsBeginnings = false }: OutlineOptions = {},
): readonly Span[] => (keepsBeginnings ? restsOf(body, longTexts) : longTexts)

/** The value of a JSON text that is read at once. Its long strings keep their beginning only. */
export function outlineOf(json: Buffer): unknown {
  const scan = new JsonScan(json, { sliceBytes: Infinity })
  const isScanned = scan.skip(skipSpace(json, 0)) > 0
  return parseJson(textAround(json, isScanned ? restsOf(json, scan.longTexts) : []))
}

/** What is around long strings is copied here before it is read as a text. */
const SCRATCH = Buffer.allocUnsafeSlow(16 * 1024)

/** The text around the spans, of which the first and the last byte stay. */
function textAround(body: Buffer, spans: readonly Span[]): string {
  if (spans.length === 0) return body.toString('utf8')
  const length = lengthAround(body, spans)
  if (length > SCRATCH.length) return bytesAround(body, spans).toString('utf8')
  copyAround(body, spans, SCRATCH)
  return SCRATCH.toString('utf8', 0, length)
}

function bytesAround(body: Buffer, spans: readonly Span[]): Buffer {
  if (spans.length === 0) return body
  const around = Buffer.allocUnsafe(lengthAround(body, spans))
  copyAround(body, spans, around)
  return around
}

function lengthAround(body: Buffer, spans: readonly Span[]): number {
  let length = body.length
  for (const { start, end } of spans) length -= end - start - 2
  return length
}

function copyAround(body: Buffer, spans: readonly Span[], around: Buffer) {
  let at = 0
  let from = 0
  for (const { start, end } of spans) {
    at += body.copy(around, at, from, start + 1)
    from = end - 1
  }
  body.copy(around, at, from)
}

/** Each string but its beginning. A string that begins with an escape is kept. */
function restsOf(body: Buffer, texts: readonly Span[]): Span[] {
  let rests: Span[] = []
  for (const { start, end } of texts) {
    const rest = restFrom(body, start)
    if (rest === start) continue
    if (rests.length === 0) rests = [{ start: rest, end }]
    else rests.push({ start: rest, end })
  }
  return rests
}

function restFrom(body: Buffer, start: number): number {
  const last = start + BEGINNING_BYTES
  let at = start
  while (at < last && body[at + 1] !== BACKSLASH) at += 1
  while (isContinuation(body[at + 1])) at -= 1
  return at
}

/** A byte inside a character of several bytes. */
const isContinuation = (byte = 0) => (byte & 0xc0) === 0x80
