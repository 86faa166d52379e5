import { JsonStrings } from './json-strings.ts'
import { isRecord, type JsonRecord, parseJson } from './json-value.ts'

/** A top-level member of a JSON object, by byte offsets; `start` is the quote before its name. */
export type Member = {
  readonly name: string
  readonly start: number
  readonly valueStart: number
  /** One past the last byte of the value. */
  readonly end: number
}

export type Members = {
  readonly list: readonly Member[]
  /** Where the closing brace of the object is. */
  readonly closeAt: number
  /** The long texts inside of values, with their quotes, as they come; but no data URLs. */
  readonly longTexts: readonly Span[]
  /** How many members are written inside of the values; one that stands twice counts twice. */
  readonly innerCount: number
}

/** By byte offsets. */
type Span = { readonly start: number; readonly end: number }

export type MembersProblem = {
  readonly reason: 'not_object' | 'malformed' | 'too_deep' | 'too_many' | 'duplicate'
  /** The member that is there twice. */
  readonly name?: string
}

const DEPTH_MAX = 64
/** Requests have some twenty members; what has to be looked at one by one must not hold up everybody else. */
const MEMBERS_MAX = 1000
/** Of objects, arrays and members inside of the values: several times what the longest conversations have. */
const NODES_MAX = 250_000
/** In bytes: what is shorter is parsed sooner than left out. */
const LONG_TEXT = 1024
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COLON = 0x3a
const COMMA = 0x2c

/** What a provider answers is bounded by its bytes: the probabilities of a long text have more nodes than any request. */
export const scanAnswer = (answer: Buffer): Members | MembersProblem =>
  scanMembers(answer, { nodesMax: Infinity })

/**
 * The top-level members of a JSON object. Strings are valid; of what else is inside the values only depth and
 * size are looked at, so that a caller that needs valid JSON parses the body too, or its outline. A name that is
 * there twice is refused, since gateway and upstream could each read another one of the two.
 */
export function scanMembers(
  body: Buffer,
  most: { depthMax?: number; nodesMax?: number } = {},
): Members | MembersProblem {
  const bounds = boundsOf(body, most)
  const list: Member[] = []
  const seen = new Set<string>()
  let at = skipSpace(body, 0)
  if (body[at] !== OPEN_BRACE) return { reason: 'not_object' }
  at = skipSpace(body, at + 1)
  while (body[at] !== CLOSE_BRACE || list.length > 0) {
    const found = readMember(body, at, bounds)
    if ('reason' in found) return found
    if (list.length >= MEMBERS_MAX) return { reason: 'too_many' }
    const folded = foldName(found.name)
    if (seen.has(folded)) return { reason: 'duplicate', name: found.name }
    seen.add(folded)
    list.push(found)
    at = skipSpace(body, found.end)
    if (body[at] === CLOSE_BRACE) break
    if (body[at] !== COMMA) return { reason: 'malformed' }
    at = skipSpace(body, at + 1)
  }
  if (skipSpace(body, at + 1) !== body.length) return { reason: 'malformed' }
  return { list, closeAt: at, longTexts: bounds.longTexts, innerCount: bounds.innerCount }
}

/** Some upstreams (those written in Go) match names without regard to case, so ſ is s and K is k. */
export function foldName(name: string): string {
  return PLAIN_NAME.test(name) ? name : name.toUpperCase().toLowerCase()
}

/** As nearly all names are: nothing to fold, to decode or to unescape. */
const PLAIN_NAME = /^[a-z\d_]*$/

function readMember(body: Buffer, start: number, bounds: Bounds): Member | MembersProblem {
  if (body[start] !== QUOTE) return { reason: 'malformed' }
  const nameEnd = bounds.strings.endOf(start)
  const name = nameEnd === -1 ? undefined : readName(body, start, nameEnd)
  if (name === undefined) return { reason: 'malformed' }
  const colon = skipSpace(body, nameEnd)
  if (body[colon] !== COLON) return { reason: 'malformed' }
  const valueStart = skipSpace(body, colon + 1)
  const end = skipValue(body, valueStart, bounds)
  if (end === TOO_DEEP) return { reason: 'too_deep' }
  if (end === TOO_MANY) return { reason: 'too_many' }
  return end <= valueStart ? { reason: 'malformed' } : { name, start, valueStart, end }
}

function readName(body: Buffer, start: number, end: number): string | undefined {
  const plain = body.toString('latin1', start + 1, end - 1)
  if (PLAIN_NAME.test(plain)) return plain
  const quoted = body.subarray(start, end)
  if (!quoted.includes(BACKSLASH)) return quoted.toString('utf8', 1, quoted.length - 1)
  const name = parseJson(quoted.toString('utf8'))
  return typeof name === 'string' ? name : undefined
}

/** The objects in a JSON list, by byte offsets; null for anything that is no list of objects. */
export function scanObjects(list: Buffer): { start: number; end: number }[] | null {
  const found: { start: number; end: number }[] = []
  const bounds = boundsOf(list)
  let at = skipSpace(list, 0)
  if (list[at] !== OPEN_BRACKET) return null
  at = skipSpace(list, at + 1)
  while (list[at] === OPEN_BRACE) {
    const end = skipValue(list, at, bounds)
    if (end < 0) return null
    found.push({ start: at, end })
    at = skipSpace(list, end)
    if (list[at] === COMMA) at = skipSpace(list, at + 1)
  }
  return list[at] === CLOSE_BRACKET ? found : null
}

/**
 * Whether a member inside of the values stands twice in its object. Parsers differ in which of the two
 * they read, so what is passed on has to be written from what was read. `json` is what the body says,
 * or its outline.
 */
export const hasInnerDuplicates = ({ list, innerCount }: Members, json: JsonRecord): boolean =>
  countMembers(json) - list.length !== innerCount

function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item)
  } else if (isRecord(value)) {
    // Not by `Object.values`: long conversations have thousands of objects.
    for (const name in value) count += 1 + countMembers(value[name])
  }
  return count
}

const BROKEN = -1
const TOO_DEEP = -2
const TOO_MANY = -3

/** What is left of `nodesLeft` is for the values that follow. */
type Bounds = {
  readonly strings: JsonStrings
  readonly depthMax: number
  nodesLeft: number
  innerCount: number
  readonly longTexts: Span[]
}

const boundsOf = (
  body: Buffer,
  { depthMax = DEPTH_MAX, nodesMax = NODES_MAX }: { depthMax?: number; nodesMax?: number } = {},
): Bounds => ({
  strings: new JsonStrings(body),
  depthMax,
  nodesLeft: nodesMax,
  innerCount: 0,
  longTexts: [],
})

/** One past the value, or BROKEN, TOO_DEEP or TOO_MANY. */
function skipValue(body: Buffer, start: number, bounds: Bounds): number {
  const first = body[start]
  if (first === QUOTE) return bounds.strings.endOf(start)
  if (first !== OPEN_BRACE && first !== OPEN_BRACKET) return skipScalar(body, start)
  const { depthMax, strings } = bounds
  let { nodesLeft, innerCount } = bounds
  let depth = 1
  let at = start
  while (at !== BROKEN && at < body.length) {
    const byte = body[at]
    if (byte === QUOTE) {
      const text = at
      at = strings.endOf(text)
      if (at - text > LONG_TEXT && !isDataUrl(body, text))
        bounds.longTexts.push({ start: text, end: at })
      continue
    }
    at += 1
    if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
      depth += 1
      nodesLeft -= 1
      if (depth > depthMax) return TOO_DEEP
      if (nodesLeft < 0) return TOO_MANY
    } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth -= 1
      if (depth > 1) continue
      bounds.nodesLeft = nodesLeft
      bounds.innerCount = innerCount
      return at
    } else if (byte === COLON) {
      nodesLeft -= 1
      innerCount += 1
    }
  }
  return BROKEN
}

function skipScalar(body: Buffer, start: number): number {
  let at = start
  while (at < body.length) {
    const byte = body[at]
    if (byte === COMMA || byte === CLOSE_BRACE || isSpace(byte)) break
    at += 1
  }
  return at
}

/** Their length tells what they cost. */
const isDataUrl = (body: Buffer, quote: number): boolean =>
  /^data:$/i.test(body.toString('latin1', quote + 1, quote + 6))

function skipSpace(body: Buffer, start: number): number {
  let at = start
  while (isSpace(body[at])) at += 1
  return at
}

function isSpace(byte: number | undefined): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09
}

/**
 * The body with some top-level members replaced or added (raw JSON text) or removed (null). All other
 * bytes stay as they are, so big integers, unknown members and their order survive.
 */
export function editMembers(
  body: Buffer,
  members: Members,
  edits: Readonly<Record<string, string | null>>,
): Buffer {
  const open = new Map(Object.entries(edits))
  if (open.size === 0) return body
  const firstStart = members.list[0]?.start ?? members.closeAt
  const pieces: Buffer[] = [body.subarray(0, firstStart)]
  let keptAny = false
  let previousEnd = firstStart
  for (const current of members.list) {
    const edit = open.get(current.name)
    open.delete(current.name)
    if (edit !== null) {
      if (keptAny) pieces.push(body.subarray(previousEnd, current.start))
      const valueEnd = edit === undefined ? current.end : current.valueStart
      pieces.push(body.subarray(current.start, valueEnd))
      if (edit !== undefined) pieces.push(Buffer.from(edit))
      keptAny = true
    }
    previousEnd = current.end
  }
  for (const [name, value] of open) {
    if (value === null) continue
    pieces.push(Buffer.from(`${keptAny ? ',' : ''}${JSON.stringify(name)}:${value}`))
    keptAny = true
  }
  pieces.push(body.subarray(previousEnd))
  return Buffer.concat(pieces)
}
