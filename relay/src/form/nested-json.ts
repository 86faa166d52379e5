import { countNodes } from '../bytes/json-limits.ts'
import { parseJson } from '../bytes/json-value.ts'
import { UnsupportedParameterError } from './codec-errors.ts'

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
    this.#nodesLeft -= countNodes(Buffer.from(text), this.#nodesLeft)
    return this.isSpent ? undefined : parseJson(text)
  }
}

/** Tool call arguments for a provider that takes an object. Throws `UnsupportedParameterError`. */
export function argumentsIn(text: string, nested: NestedJson, path: string): unknown {
  const input = nested.parse(text)
  if (!nested.isSpent) return input
  const rule = `The arguments of all tool calls may have no more than ${NESTED_NODES_MAX} JSON values`
  throw new UnsupportedParameterError(`${rule} together.`, path)
}
