/** Of Matroska (RFC 9559). What these hold is walked through, everything else passed over. */
const HOLDERS = new Set([0x18538067, 0x1549a966, 0x1f43b675, 0xa0])
const TIMESTAMP_SCALE = 0x2ad7b1
const DURATION = 0x4489
const CLUSTER_TIMESTAMP = 0xe7
/** Those, and the two kinds of blocks. */
const READ = new Set([TIMESTAMP_SCALE, DURATION, CLUSTER_TIMESTAMP, 0xa3, 0xa1])
const NANOSECONDS = 1e9
const USUAL_SCALE = 1e6
/** Elements of four bytes of id and eight of size. */
const ID_BYTES_MAX = 4
const SIZE_BYTES_MAX = 8
/** More than a recording of some hours has, and little enough to be walked through in no time. */
const ELEMENTS_MAX = 2 ** 20

/** Browsers write while they record, and know no length: it is where the last block stands. */
export function webmSeconds(bytes: Buffer): number | null {
  let scale = USUAL_SCALE
  let told = 0
  let cluster = 0
  let last = 0
  let at = 0
  for (let count = 0; at < bytes.length; count += 1) {
    if (count === ELEMENTS_MAX) return null
    const id = readNumber(bytes, at, ID_BYTES_MAX, true)
    const size = id && readNumber(bytes, id.end, SIZE_BYTES_MAX, false)
    if (!id || !size) break
    const start = size.end
    at = HOLDERS.has(id.value) ? start : start + size.value
    if (!READ.has(id.value)) continue
    const content = bytes.subarray(start, at)
    if (id.value === TIMESTAMP_SCALE) scale = wholeNumber(content) || USUAL_SCALE
    else if (id.value === DURATION) told = floating(content)
    else if (id.value === CLUSTER_TIMESTAMP) cluster = wholeNumber(content)
    else last = Math.max(last, cluster + offsetOf(content))
  }
  return (Math.max(told, last) * scale) / NANOSECONDS
}

/** A number that begins with as many zero bits as it has more bytes; an id keeps the bit that ends them. */
function readNumber(bytes: Buffer, at: number, bytesMax: number, isId: boolean) {
  const first = bytes[at] ?? 0
  const length = Math.clz32(first) - 23
  if (length > bytesMax || at + length > bytes.length) return null
  let value = isId ? first : first & (0xff >> length)
  const end = at + length
  for (let next = at + 1; next < end; next += 1) value = value * 256 + (bytes[next] ?? 0)
  return { value, end }
}

const wholeNumber = (content: Buffer): number =>
  content.subarray(0, 8).reduce((sum, byte) => sum * 256 + byte, 0)

function floating(content: Buffer): number {
  if (content.length === 4) return content.readFloatBE()
  return content.length === 8 ? content.readDoubleBE() : 0
}

/** Of a block, behind the number of its track. */
function offsetOf(block: Buffer): number {
  const track = readNumber(block, 0, SIZE_BYTES_MAX, false)
  return track && track.end + 2 <= block.length ? block.readInt16BE(track.end) : 0
}
