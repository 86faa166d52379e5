import { withPlainEscapes } from '../bytes/json-escapes.ts'
import { countNodes } from '../bytes/json-limits.ts'
import { isRecord, type JsonRecord, parseJson } from '../bytes/json-value.ts'
import { finish } from '../bytes/steps.ts'

/**
 * Nodes (`json-scan.ts`) of the JSON texts inside strings of one request or answer. 6000 tool calls
 * with three arguments each have 60 000.
 */
export const NESTED_NODES_MAX = 100_000

/** Parses JSON texts inside strings of one request or answer, such as tool call arguments. */
export class NestedJson {
  #nodesLeft = NESTED_NODES_MAX

  /** Whether a text was not parsed because all texts together have too many nodes. */
  get isSpent(): boolean {
    return this.#nodesLeft < 0
  }

  /** Undefined for invalid JSON, and once the texts have too many nodes together. */
  parse(text: string): unknown {
    if (this.isSpent) return undefined
    const given = Buffer.from(text)
    this.#nodesLeft -= countNodes(given, this.#nodesLeft)
    if (this.isSpent) return undefined
    const json = finish(withPlainEscapes(given))
    return parseJson(json === given ? text : json.toString())
  }
}

/** Tool call arguments as an object. Arguments that are not read as an object keep their text. */
export function argumentsIn(text: string, nested: NestedJson): JsonRecord {
  const input = nested.parse(text)
  if (isRecord(input)) return input
  return text.trim() === '' ? {} : { arguments: text }
}

const DEPTH_MAX = 64

/** Whether a value is nested shallowly enough to be written inside others. */
export function isFlat(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth < DEPTH_MAX && Object.values(value).every((inner) => isFlat(inner, depth + 1))
}

/**
 * The arguments of a call as an object. Text that is no object, such as one that was cut off, is
 * its only member, since a tool that runs without its arguments may do harm.
 */
export function inputOf(text: string, nested: NestedJson): JsonRecord {
  const input = nested.parse(text)
  if (isRecord(input) && isFlat(input)) return input
  return text.trim() === '' || input === null ? {} : { input: text }
}
