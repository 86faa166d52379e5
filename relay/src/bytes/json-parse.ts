import type { RelayEndpoint } from '../provider.ts'
import { EVENT_NODES_MAX, hasTooManyNodes } from './json-limits.ts'
import { JsonScan, PAUSED, skipSpace, TOO_MANY } from './json-scan.ts'
import { JsonStrings, UNFINISHED } from './json-strings.ts'
import { isRecord, parseJson } from './json-value.ts'
import type { Steps } from './steps.ts'

/*
 * Parses large JSON texts in steps of a few milliseconds, with the same result as `JSON.parse`.
 * `JSON.parse` reads the pieces: runs of small neighbouring values, and slices of long strings.
 */

/** Limits of a single `JSON.parse`: 2 ms for typical JSON, 10 ms at worst on a slow core. */
const PIECE_NODES = 16_000
const PIECE_BYTES = 1024 * 1024
/** Nesting depth of lists and objects that are larger than a piece. */
const LARGE_DEPTH_MAX = 64
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const COLON = 0x3a
const COMMA = 0x2c
const NOT_FOUND = -1

/** Texts of this size parse quickly, whatever they contain. */
export const SMALL_BYTES = 64 * 1024

/** Whether `prepareAnswer` has nothing to do for an answer. */
export const isReadAtOnce = (answer: Buffer): boolean => answer.length <= SMALL_BYTES

export const isSmall = (bytes: number, nodes: number): boolean =>
  bytes <= PIECE_BYTES && nodes <= PIECE_NODES

export type ParseLimits = {
  /** Nodes (`json-scan.ts`), not counting omitted values. A text with more nodes is not parsed. */
  readonly nodesMax?: number | undefined
  /** Members no caller reads. `SKIPPED_VALUE` replaces a large value of such a member, unparsed. */
  readonly skippedMembers?: ReadonlySet<string> | undefined
  /** Tests pass smaller limits. */
  readonly pieceNodes?: number
  readonly pieceBytes?: number
}

export const SKIPPED_VALUE: readonly unknown[] = [null]

const NOT_JSON = Symbol('not JSON')
const NO_NAMES: ReadonlySet<string> = new Set()

/** The parsed value; undefined for invalid JSON and for too many nodes. */
export function* parseInSteps(json: Buffer, limits: ParseLimits = {}): Steps<unknown> {
  const reader = new Reader(json, limits)
  const value = yield* reader.read()
  return value === NOT_JSON ? undefined : value
}

const prepared = new WeakMap<Buffer, { readonly value: unknown }>()

/** Parses a text in steps and keeps the value for `jsonIn`. */
export function* readJson(json: Buffer, limits?: ParseLimits): Steps<unknown> {
  if (json.length <= SMALL_BYTES) return parseJson(json.toString('utf8'))
  const known = prepared.get(json)
  if (known !== undefined) return known.value
  const value = yield* parseInSteps(json, limits)
  prepared.set(json, { value })
  return value
}

/** Provider answers with more nodes are not read. */
const ANSWER_NODES_MAX = 1_500_000
/**
 * 2000 vectors of 4096 numbers have 8 200 000 nodes. Such answers are read and written in steps,
 * and their size in bytes is limited too.
 */
const VECTORS_NODES_MAX = 9_000_000

export const answerNodesMax = (endpoint: RelayEndpoint): number =>
  endpoint === 'embeddings' ? VECTORS_NODES_MAX : ANSWER_NODES_MAX

/** Keeps the value for `jsonIn`. False for too many nodes; invalid JSON is not too large. */
export function* prepareAnswer(
  answer: Buffer,
  { nodesMax = ANSWER_NODES_MAX, ...limits }: ParseLimits = {},
): Steps<boolean> {
  if (isReadAtOnce(answer)) return true
  const reader = new Reader(answer, { ...limits, nodesMax })
  const value = yield* reader.read()
  prepared.set(answer, { value: value === NOT_JSON ? undefined : value })
  return !reader.isSpent
}

/**
 * The parsed value; undefined for invalid JSON. A text that was not prepared is parsed without a
 * pause, and is undefined when it has more than `nodesMax` nodes.
 */
export function jsonIn(json: Buffer, nodesMax?: number): unknown {
  if (json.length <= SMALL_BYTES) return parseJson(json.toString('utf8'))
  const known = prepared.get(json)
  if (known !== undefined) return known.value
  return hasTooManyNodes(json, nodesMax) ? undefined : parseJson(json.toString('utf8'))
}

/** Neighbouring values that are parsed together. */
type Run = { start: number; end: number; nodes: number }

class Reader {
  readonly #json: Buffer
  readonly #scan: JsonScan
  readonly #strings: JsonStrings
  readonly #skippedMembers: ReadonlySet<string>
  readonly #pieceNodes: number
  readonly #pieceBytes: number
  #nodesLeft: number
  /** One past the large value that was read last. */
  #end = 0

  constructor(
    json: Buffer,
    {
      nodesMax = Number.MAX_SAFE_INTEGER,
      skippedMembers = NO_NAMES,
      pieceNodes = PIECE_NODES,
      pieceBytes = PIECE_BYTES,
    }: ParseLimits,
  ) {
    this.#json = json
    this.#strings = new JsonStrings(json)
    this.#skippedMembers = skippedMembers
    this.#pieceNodes = pieceNodes
    this.#pieceBytes = pieceBytes
    this.#nodesLeft = nodesMax
    this.#scan = new JsonScan(json, {
      depthMax: Infinity,
      unquotedBytesMax: Infinity,
      sliceBytes: pieceBytes,
    })
  }

  *read(): Steps<unknown> {
    const json = this.#json
    const start = skipSpace(json, 0)
    const end = this.#endOfSmall(start)
    const value = isLarge(end) ? yield* this.#readLarge(start, 0) : this.#small(start, end)
    return skipSpace(json, this.#end) === json.length ? value : NOT_JSON
  }

  get isSpent(): boolean {
    return this.#nodesLeft < 0
  }

  #small(start: number, end: number): unknown {
    this.#end = end
    return end <= start || this.isSpent ? NOT_JSON : this.#parse(start, end)
  }

  /** One past a small value; negative for any other value. */
  #endOfSmall(start: number): number {
    this.#scan.nodesLeft = this.#pieceNodes
    const end = this.#scan.skip(start)
    if (end >= 0) this.#nodesLeft -= this.#pieceNodes - this.#scan.nodesLeft
    return end
  }

  *#readLarge(start: number, depth: number): Steps<unknown> {
    if (depth >= LARGE_DEPTH_MAX) return this.#parseDeep(start)
    switch (this.#json[start]) {
      case QUOTE:
        return yield* this.#readText(start)
      case OPEN_BRACKET:
        return yield* this.#readItems(start, depth, false)
      case OPEN_BRACE:
        return yield* this.#readItems(start, depth, true)
      default:
        return NOT_JSON
    }
  }

  *#readItems(start: number, depth: number, isNamed: boolean): Steps<unknown> {
    const json = this.#json
    const closing = isNamed ? CLOSE_BRACE : CLOSE_BRACKET
    const items = isNamed ? new ObjectParts() : new ArrayParts()
    const run: Run = { start: NOT_FOUND, end: NOT_FOUND, nodes: 0 }
    this.#nodesLeft -= 1
    let at = skipSpace(json, start + 1)
    if (json[at] === closing) {
      this.#end = at + 1
      return items.value
    }
    for (;;) {
      const left = this.#nodesLeft
      const valueAt = isNamed ? this.#valueAt(at) : at
      if (valueAt === NOT_FOUND) return NOT_JSON
      let end = this.#endOfSmall(valueAt)
      if (isLarge(end)) {
        if (!this.#take(run, items)) return NOT_JSON
        yield
        const name = isNamed ? this.#nameAt(at) : ''
        const value = this.#skippedMembers.has(name)
          ? yield* this.#skipValue(valueAt)
          : yield* this.#readLarge(valueAt, depth + 1)
        if (value === NOT_JSON) return NOT_JSON
        items.set(name, value)
        end = this.#end
      } else {
        if (end <= valueAt) return NOT_JSON
        if (run.start === NOT_FOUND) run.start = at
        run.end = end
        run.nodes += left - this.#nodesLeft + 1
      }
      at = skipSpace(json, end)
      const isLast = json[at] === closing
      if (!isLast && json[at] !== COMMA) return NOT_JSON
      this.#nodesLeft -= isLast ? 0 : 1
      if (this.isSpent) return NOT_JSON
      if (isLast || this.#isFull(run)) {
        if (!this.#take(run, items)) return NOT_JSON
        yield
      }
      if (isLast) {
        this.#end = at + 1
        return items.value
      }
      at = skipSpace(json, at + 1)
    }
  }

  /** Offset of the value of the member whose name starts at `at`. */
  #valueAt(at: number): number {
    const json = this.#json
    if (json[at] !== QUOTE) return NOT_FOUND
    const nameEnd = this.#strings.endOf(at)
    if (nameEnd < 0) return NOT_FOUND
    // Two nodes: the name and its colon.
    this.#nodesLeft -= 2
    const colon = skipSpace(json, nameEnd)
    return json[colon] === COLON ? skipSpace(json, colon + 1) : NOT_FOUND
  }

  #nameAt(at: number): string {
    // Safe because `#valueAt` has found a string here.
    return this.#parse(at, this.#strings.endOf(at)) as string
  }

  #isFull({ start, end, nodes }: Run): boolean {
    return nodes > this.#pieceNodes || end - start > this.#pieceBytes
  }

  /** Parses the run and adds its values to `items`; false for invalid JSON. */
  #take(run: Run, items: ArrayParts | ObjectParts): boolean {
    if (run.start === NOT_FOUND) return true
    const parsed = parseJson(items.wrap(this.#json.toString('utf8', run.start, run.end)))
    if (parsed === undefined) return false
    items.add(parsed)
    run.start = NOT_FOUND
    run.nodes = 0
    return true
  }

  /** Values below the depth limit are parsed without a pause, if no larger than an event. */
  #parseDeep(start: number): unknown {
    this.#scan.nodesLeft = EVENT_NODES_MAX
    this.#end = this.#scan.skip(start)
    this.#nodesLeft = isLarge(this.#end) ? -1 : this.#nodesLeft - EVENT_NODES_MAX
    return this.#end < 0 || this.isSpent ? NOT_JSON : this.#parse(start, this.#end)
  }

  *#readText(start: number): Steps<unknown> {
    const json = this.#json
    const strings = this.#strings
    let text = ''
    let from = start + 1
    let end = strings.endOf(start, start + this.#pieceBytes)
    while (end === UNFINISHED) {
      const until = pastCharacter(json, strings.at)
      text += this.#textBetween(from, until)
      from = until
      yield
      end = strings.endOfRest(strings.at + this.#pieceBytes)
    }
    if (end < 0) return NOT_JSON
    this.#nodesLeft -= 1
    this.#end = end
    return text + this.#textBetween(from, end - 1)
  }

  /** Unescapes a slice of a string. The slice must not cut an escape. */
  #textBetween(start: number, end: number): string {
    const text = this.#json.toString('utf8', start, end)
    const isPlain = !this.#json.subarray(start, end).includes(BACKSLASH)
    // Safe because the string has been validated.
    return isPlain ? text : (JSON.parse(`"${text}"`) as string)
  }

  *#skipValue(start: number): Steps<unknown> {
    this.#scan.nodesLeft = Infinity
    let end = this.#scan.skip(start)
    while (end === PAUSED) {
      yield
      end = this.#scan.resume()
    }
    if (end < 0) return NOT_JSON
    this.#end = end
    return SKIPPED_VALUE
  }

  #parse(start: number, end: number): unknown {
    const value = parseJson(this.#json.toString('utf8', start, end))
    return value === undefined ? NOT_JSON : value
  }
}

const isLarge = (end: number) => end === PAUSED || end === TOO_MANY

/** Skips UTF-8 continuation bytes, so that a slice does not cut a character. */
function pastCharacter(json: Buffer, at: number): number {
  let end = at
  while (((json[end] ?? 0) & 0xc0) === 0x80) end += 1
  return end
}

class ArrayParts {
  readonly value: unknown[] = []

  wrap(json: string): string {
    return `[${json}]`
  }

  add(items: unknown) {
    if (Array.isArray(items)) for (const item of items) this.value.push(item)
  }

  set(_name: string, item: unknown) {
    this.value.push(item)
  }
}

class ObjectParts {
  readonly value: Record<string, unknown> = {}

  wrap(json: string): string {
    return `{${json}}`
  }

  add(members: unknown) {
    if (!isRecord(members)) return
    for (const [name, value] of Object.entries(members)) this.set(name, value)
  }

  /** Defines `__proto__` as an ordinary member, as `JSON.parse` does. */
  set(name: string, value: unknown) {
    if (name !== '__proto__') this.value[name] = value
    else Object.defineProperty(this.value, name, dataProperty(value))
  }
}

const dataProperty = (value: unknown) => ({
  value,
  writable: true,
  enumerable: true,
  configurable: true,
})
