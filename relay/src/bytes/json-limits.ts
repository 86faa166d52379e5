import { JsonScan, PAUSED, TOO_MANY_UNQUOTED, TOO_MANY } from './json-scan.ts'

/**
 * Nodes (`json-scan.ts`) parsed without a pause: one event of a stream or session, an error, or a
 * model list. A token with its 20 most likely alternatives has 250 nodes; session settings with 128
 * tools have 40 000.
 */
export const EVENT_NODES_MAX = 60_000
const OPENS = ['{', '['] as const

/** Whether a JSON text, or the data of an event, has too many nodes to parse without a pause. */
export const hasTooManyNodes = (json: Buffer, nodesMax = EVENT_NODES_MAX): boolean =>
  json.length > nodesMax && countNodes(json, nodesMax) > nodesMax

/** The nodes of the list or object in a text, or `nodesMax + 1` for more than `nodesMax`. */
export function countNodes(text: Buffer, nodesMax: number): number {
  const starts = OPENS.map((open) => text.indexOf(open)).filter((at) => at !== -1)
  if (starts.length === 0) return 0
  const scan = new JsonScan(text, { depthMax: Infinity, nodesMax })
  let end = scan.skip(Math.min(...starts))
  while (end === PAUSED) end = scan.resume()
  return end === TOO_MANY || end === TOO_MANY_UNQUOTED ? nodesMax + 1 : nodesMax - scan.nodesLeft
}
