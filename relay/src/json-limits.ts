import { JsonScan, PAUSED, TOO_BARE, TOO_MANY } from './json-scan.ts'

/**
 * Nodes (`json-scan.ts`) of what is parsed in one go: one event of a stream or a session, an error, a list of
 * models. A token with its 20 likeliest others has 250; the settings of a session with 128 tools have 40 000.
 */
export const EVENT_NODES_MAX = 60_000
const OPENS = ['{', '['] as const

/** Whether a JSON text, or the data of an event, has more nodes than are parsed in one go. */
export const hasTooManyNodes = (json: Buffer, nodesMax = EVENT_NODES_MAX): boolean =>
  json.length > nodesMax && countNodes(json, nodesMax) > nodesMax

/** The nodes of the list or object in a text; one more than `nodesMax` where it has more. */
export function countNodes(text: Buffer, nodesMax: number): number {
  const starts = OPENS.map((open) => text.indexOf(open)).filter((at) => at !== -1)
  if (starts.length === 0) return 0
  const scan = new JsonScan(text, { depthMax: Infinity, nodesMax })
  let end = scan.skip(Math.min(...starts))
  while (end === PAUSED) end = scan.resume()
  return end === TOO_MANY || end === TOO_BARE ? nodesMax + 1 : nodesMax - scan.nodesLeft
}
