const PAGE_HEAD_BYTES = 27
const BEGINS = 2
/** Half of a position that is none: no packet ends on this page. */
const NO_POSITION = 2 ** 32 - 1
/** More than a recording of some hours has, and little enough to be walked through in no time. */
const PAGES_MAX = 2 ** 19
const STREAMS_MAX = 1000

/** A stream of sound: its position counts so many samples a second, from `start` on. */
type Stream = { readonly rate: number; readonly start: number; last: number }

/** The lengths of all streams of sound together, which usually is one; each page tells how far its stream is. */
export function oggSeconds(bytes: Buffer): number | null {
  const ended: Stream[] = []
  const running = new Map<number, Stream>()
  let at = 0
  for (let count = 0; at !== -1 && at + PAGE_HEAD_BYTES <= bytes.length; count += 1) {
    if (count === PAGES_MAX || ended.length > STREAMS_MAX) return null
    const serial = bytes.readUInt32LE(at + 14)
    const bodyAt = at + PAGE_HEAD_BYTES + bytes.readUInt8(at + 26)
    if ((bytes.readUInt8(at + 5) & BEGINS) !== 0) {
      const stream = streamOf(bytes.subarray(bodyAt, bodyAt + 64))
      running.delete(serial)
      if (stream !== null) running.set(serial, stream)
      if (stream !== null) ended.push(stream)
    }
    const [low, high] = [bytes.readUInt32LE(at + 6), bytes.readUInt32LE(at + 10)]
    const stream = running.get(serial)
    if (stream !== undefined && !(low === NO_POSITION && high === NO_POSITION)) {
      stream.last = Math.max(stream.last, high * 2 ** 32 + low)
    }
    let next = bodyAt
    for (let size = at + PAGE_HEAD_BYTES; size < bodyAt; size += 1) next += bytes[size] ?? 0
    at = bytes.indexOf('OggS', next, 'latin1')
  }
  if (ended.length === 0) return null
  return ended.reduce((sum, { rate, start, last }) => sum + Math.max(0, last - start) / rate, 0)
}

/** From its first packet; null for pictures, texts, and what is not known. */
function streamOf(packet: Buffer): Stream | null {
  const name = packet.toString('latin1', 0, 8)
  const stream = (rate: number, start = 0) => (rate > 0 ? { rate, start, last: 0 } : null)
  if (name === 'OpusHead' && packet.length >= 12) return stream(48_000, packet.readUInt16LE(10))
  if (name.startsWith('\x01vorbis') && packet.length >= 16) return stream(packet.readUInt32LE(12))
  if (name === 'Speex   ' && packet.length >= 40) return stream(packet.readUInt32LE(36))
  if (name.startsWith('\x7fFLAC') && packet.length >= 30)
    return stream(packet.readUIntBE(27, 3) >> 4)
  return null
}
