const SECOND_MS = 1000

let dateSecond = -1
let date = ''

/** The serialized `Date` header. Cached for one second. */
export function dateLine(nowMs: number): string {
  const second = Math.floor(nowMs / SECOND_MS)
  if (second === dateSecond) return date
  dateSecond = second
  date = `Date: ${new Date(nowMs).toUTCString()}\r\n`
  return date
}
