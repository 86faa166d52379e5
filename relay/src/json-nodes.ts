/**
 * Objects and lists of one answer or event: more than 64 MB of probabilities have, and to read so many takes seconds in
 * which nobody else is served.
 */
const NODES_MAX = 1_500_000
const OPENS = ['{', '['].map((mark) => mark.charCodeAt(0))

/** Whether a JSON text may hold more objects and lists than are read: 64 MB of `{},` would be 21 million. */
export function hasTooManyNodes(json: Buffer): boolean {
  if (json.length <= NODES_MAX) return false
  let left = NODES_MAX
  for (const open of OPENS) {
    for (let at = json.indexOf(open); at !== -1; at = json.indexOf(open, at + 1)) {
      left -= 1
      if (left < 0) return true
    }
  }
  return false
}
