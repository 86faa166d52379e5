import { UnsupportedParameterError } from './codec/provider-codec.ts'
import { countNodes } from './json-limits.ts'
import { parseJson } from './json-value.ts'

/**
 * Nodes (`json-scan.ts`) of JSON texts that stand as strings in one request or answer. 6000 tool calls with three
 * arguments each have 60 000.
 */
export const NESTED_NODES_MAX = 100_000

/** Parses the JSON texts in the strings of one request or answer, such as the arguments of tool calls. */
export class NestedJson {
  #nodesLeft = NESTED_NODES_MAX

  /** Some text was not parsed, since all together have too many nodes. */
  get isSpent(): boolean {
    return this.#nodesLeft < 0
  }

  /** Undefined for what is not JSON, and for what has too many nodes with those before it. */
  parse(text: string): unknown {
    if (this.isSpent) return undefined
    this.#nodesLeft -= countNodes(Buffer.from(text), this.#nodesLeft)
    return this.isSpent ? undefined : parseJson(text)
  }
}

/** The arguments of a tool call, for a provider that takes them as an object. Throws `Untranslatable`. */
export function argumentsIn(text: string, nested: NestedJson, path: string): unknown {
  const input = nested.parse(text)
  if (!nested.isSpent) return input
  const rule = `The arguments of all tool calls may have no more than ${NESTED_NODES_MAX} JSON values`
  throw new UnsupportedParameterError(`${rule} together.`, path)
}
