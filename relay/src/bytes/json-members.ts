import {
  JsonScan,
  NODES_MAX,
  PAUSED,
  type ScanLimits,
  skipSpace,
  SLICE_BYTES,
  type Span,
  TOO_MANY_UNQUOTED,
  TOO_DEEP,
  TOO_MANY,
} from './json-scan.ts'
import { isRecord, type JsonRecord, parseJson } from './json-value.ts'
import { memoize } from './memoize.ts'
import { finish, type Steps } from './steps.ts'

/** A top-level member of a JSON object, by byte offsets. `start` is the quote before the name. */
export type Member = {
  readonly name: string
  readonly start: number
  readonly valueStart: number
  /** One past the last byte of the value. */
  readonly end: number
}

export type Members = {
  readonly list: readonly Member[]
  /** Offset of the object's closing brace. */
  readonly closeAt: number
  /** Long strings inside the values, with their quotes, in order. Data URLs are excluded. */
  readonly longTexts: readonly Span[]
  /** Members at all depths; duplicates count twice. */
  readonly count: number
  readonly nodes: number
}

export type MembersProblem = {
  readonly reason:
    | 'not_object'
    | 'malformed'
    | 'too_deep'
    | 'too_many_members'
    | 'too_many_nodes'
    | 'too_bare'
    | 'long_name'
    | 'duplicate'
  readonly name?: string
}

/** At the top level. Requests have about 20 members, and each is examined on its own. */
export const MEMBERS_MAX = 1000
/** Length of a top-level name with its quotes. */
export const NAME_BYTES_MAX = 1024
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COLON = 0x3a
const COMMA = 0x2c

const SCAN_PROBLEMS: Readonly<Record<number, MembersProblem>> = {
  [TOO_DEEP]: { reason: 'too_deep' },
  [TOO_MANY]: { reason: 'too_many_nodes' },
  [TOO_MANY_UNQUOTED]: { reason: 'too_bare' },
}
const MALFORMED: MembersProblem = { reason: 'malformed' }

/** Limits for bodies that pass through unparsed. Their size alone bounds their cost. */
const UNPARSED: ScanLimits = {
  nodesMax: Number.MAX_SAFE_INTEGER,
  unquotedBytesMax: Number.MAX_SAFE_INTEGER,
}

export const scanAnswer = (answer: Buffer): Steps<Members | MembersProblem> =>
  scanMembersInSteps(answer, UNPARSED)

/**
 * The top-level members of a JSON object. Strings are checked fully; inside the values only depth
 * and size are checked, so callers that need valid JSON must parse the body or its outline.
 * Duplicate names are rejected, since gateway and upstream could each read a different one.
 */
export const scanMembers = (body: Buffer, limits?: ScanLimits): Members | MembersProblem =>
  finish(scanMembersInSteps(body, limits))

export function* scanMembersInSteps(
  body: Buffer,
  limits: ScanLimits = {},
): Steps<Members | MembersProblem> {
  const { nodesMax = NODES_MAX } = limits
  const scan = new JsonScan(body, limits)
  const list: Member[] = []
  const seen = new Set<string>()
  let pausedAt = 0
  let at = skipSpace(body, 0)
  if (body[at] !== OPEN_BRACE) return { reason: 'not_object' }
  at = skipSpace(body, at + 1)
  while (body[at] !== CLOSE_BRACE || list.length > 0) {
    const start = at
    if (body[start] !== QUOTE) return MALFORMED
    let nameEnd = scan.skip(start)
    while (nameEnd === PAUSED) {
      yield
      nameEnd = scan.resume()
    }
    if (nameEnd - start > NAME_BYTES_MAX) return { reason: 'long_name' }
    const name = nameEnd < 0 ? undefined : readName(body, start, nameEnd)
    if (name === undefined) return MALFORMED
    at = skipSpace(body, nameEnd)
    if (body[at] !== COLON) return MALFORMED
    const valueStart = skipSpace(body, at + 1)
    let end = scan.skip(valueStart)
    while (end === PAUSED) {
      yield
      end = scan.resume()
    }
    if (end <= valueStart) return SCAN_PROBLEMS[end] ?? MALFORMED
    if (end - pausedAt > SLICE_BYTES) {
      yield
      pausedAt = end
    }
    if (list.length >= MEMBERS_MAX) return { reason: 'too_many_members' }
    const folded = foldName(name)
    if (seen.has(folded)) return { reason: 'duplicate', name }
    seen.add(folded)
    list.push({ name, start, valueStart, end })
    at = skipSpace(body, end)
    if (body[at] === CLOSE_BRACE) break
    if (body[at] !== COMMA) return MALFORMED
    at = skipSpace(body, at + 1)
  }
  if (skipSpace(body, at + 1) !== body.length) return MALFORMED
  const { longTexts, memberCount, nodesLeft } = scan
  const count = list.length + memberCount
  return { list, closeAt: at, longTexts, count, nodes: nodesMax - nodesLeft }
}

/**
 * Case-folds a name. Some upstreams (those written in Go) match names without regard to case, so ſ
 * equals s and the Kelvin sign equals k.
 */
export const foldName = (name: string): string => (PLAIN_NAME.test(name) ? name : folded(name))

const folded = memoize((name) => name.toUpperCase().toLowerCase())

/** Nearly all names match this and need no folding, decoding or unescaping. */
const PLAIN_NAME = /^[a-z\d_]*$/

function readName(body: Buffer, start: number, end: number): string | undefined {
  const plain = body.toString('latin1', start + 1, end - 1)
  if (PLAIN_NAME.test(plain)) return plain
  const quoted = body.subarray(start, end)
  if (!quoted.includes(BACKSLASH)) return quoted.toString('utf8', 1, quoted.length - 1)
  const name = parseJson(quoted.toString('utf8'))
  return typeof name === 'string' ? name : undefined
}

/** The objects in a list that was scanned before, by byte offsets. Null for any other value. */
export function scanObjects(list: Buffer): Span[] | null {
  const found: Span[] = []
  const scan = new JsonScan(list, { sliceBytes: Infinity })
  let at = skipSpace(list, 0)
  if (list[at] !== OPEN_BRACKET) return null
  at = skipSpace(list, at + 1)
  while (list[at] === OPEN_BRACE) {
    const end = scan.skip(at)
    if (end < 0) return null
    found.push({ start: at, end })
    at = skipSpace(list, end)
    if (list[at] === COMMA) at = skipSpace(list, at + 1)
  }
  return list[at] === CLOSE_BRACKET ? found : null
}

/**
 * Whether an object inside the values has a duplicate member. Parsers differ in which duplicate
 * they read, so such a body must be rewritten from the parsed values before it is forwarded. `json`
 * is the parsed body or its outline.
 */
export const hasInnerDuplicates = ({ count }: Members, json: JsonRecord): boolean =>
  countMembers(json) !== count

export function countMembers(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  let count = 0
  if (Array.isArray(value)) {
    for (const item of value) count += countMembers(item)
  } else if (isRecord(value)) {
    // `Object.values` would be slower: long conversations have thousands of objects.
    for (const name in value) count += 1 + countMembers(value[name])
  }
  return count
}

/**
 * Replaces or adds (raw JSON text) or removes (null) top-level members. All other bytes stay the
 * same, so large integers, unknown members and member order survive.
 */
export function editMembers(
  body: Buffer,
  members: Members,
  edits: Readonly<Record<string, string | null>>,
): Buffer {
  const given = Object.entries(edits)
  if (given.length === 0) return body
  const remainingEdits = new Map(given)
  const firstStart = members.list[0]?.start ?? members.closeAt
  const pieces: Buffer[] = [body.subarray(0, firstStart)]
  let hasMember = false
  let previousEnd = firstStart
  for (const current of members.list) {
    const edit = remainingEdits.get(current.name)
    remainingEdits.delete(current.name)
    if (edit !== null) {
      if (hasMember) pieces.push(body.subarray(previousEnd, current.start))
      const valueEnd = edit === undefined ? current.end : current.valueStart
      pieces.push(body.subarray(current.start, valueEnd))
      if (edit !== undefined) pieces.push(Buffer.from(edit))
      hasMember = true
    }
    previousEnd = current.end
  }
  for (const [name, value] of remainingEdits) {
    if (value === null) continue
    pieces.push(Buffer.from(`${hasMember ? ',' : ''}${JSON.stringify(name)}:${value}`))
    hasMember = true
  }
  pieces.push(body.subarray(previousEnd))
  return Buffer.concat(pieces)
}

/** As `editMembers`; a provider's answer that is no JSON object is returned unchanged. */
export function* editAnswer(
  answer: Buffer,
  edits: Readonly<Record<string, string | null>>,
): Steps<Buffer> {
  const members = yield* scanAnswer(answer)
  return 'reason' in members ? answer : editMembers(answer, members, edits)
}

/** A canonical name for both spellings. */
export const normalizeFieldName = memoize((name) => foldName(name).replaceAll('_', ''))
