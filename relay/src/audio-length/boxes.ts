/** Of ISO 14496-12. What these hold is walked through, everything else passed over. */
const HOLDERS = new Set(['moov', 'trak', 'mdia', 'mvex', 'moof', 'traf'])
const HEAD_BYTES = 8
const LARGE_HEAD_BYTES = 16
/** More than a recording of some hours has, and little enough to be walked through in no time. */
const BOXES_MAX = 2 ** 18

/** What is read of the boxes so far. */
type Reading = {
  /** Units of time in a second, of the whole and by track. */
  scale: number
  readonly scales: Map<number, number>
  /** By track: how long a sample is that does not say so itself, and where its last piece ends. */
  readonly usual: Map<number, number>
  readonly ends: Map<number, number>
  track: number
  fallback: number
  seconds: number
}

type BoxReader = (reading: Reading, box: Buffer) => void

/** The length a file tells of itself, or where the last of its pieces ends, as browsers write them. */
export function boxedSeconds(bytes: Buffer): number | null {
  const reading: Reading = {
    scale: 0,
    scales: new Map(),
    usual: new Map(),
    ends: new Map(),
    track: 0,
    fallback: 0,
    seconds: 0,
  }
  let at = 0
  for (let count = 0; at + HEAD_BYTES <= bytes.length; count += 1) {
    if (count === BOXES_MAX) return null
    const type = bytes.toString('latin1', at + 4, at + HEAD_BYTES)
    const short = bytes.readUInt32BE(at)
    const isLarge = short === 1 && at + LARGE_HEAD_BYTES <= bytes.length
    const head = isLarge ? LARGE_HEAD_BYTES : HEAD_BYTES
    const size = isLarge ? Number(bytes.readBigUInt64BE(at + HEAD_BYTES)) : short
    if (size < head) break
    READERS[type]?.(reading, bytes.subarray(at + head, at + size))
    at += HOLDERS.has(type) ? head : size
  }
  return reading.seconds
}

/** A box with less in it than it should have is passed over. */
const READERS: Readonly<Record<string, BoxReader | undefined>> = {
  mvhd: (reading, box) => {
    const time = timeOf(box)
    if (time === null) return
    reading.scale = time.scale
    hear(reading, time.duration, time.scale)
  },
  tkhd: (reading, box) => {
    const at = box[0] === 1 ? 20 : 12
    if (box.length >= at + 4) reading.track = box.readUInt32BE(at)
  },
  mdhd: (reading, box) => {
    const time = timeOf(box)
    if (time === null) return
    reading.scales.set(reading.track, time.scale)
    hear(reading, time.duration, time.scale)
  },
  mehd: (reading, box) => {
    const isLong = box[0] === 1
    if (box.length < (isLong ? 12 : 8)) return
    const duration = isLong ? Number(box.readBigUInt64BE(4)) : box.readUInt32BE(4)
    hear(reading, duration, reading.scale)
  },
  trex: ({ usual }, box) => {
    if (box.length >= 16) usual.set(box.readUInt32BE(4), box.readUInt32BE(12))
  },
  tfhd: (reading, box) => {
    if (box.length < 8) return
    const flags = box.readUInt32BE(0)
    reading.track = box.readUInt32BE(4)
    const at = 8 + ((flags & 1) === 0 ? 0 : 8) + ((flags & 2) === 0 ? 0 : 4)
    const isTold = (flags & 8) !== 0 && box.length >= at + 4
    reading.fallback = isTold ? box.readUInt32BE(at) : (reading.usual.get(reading.track) ?? 0)
  },
  tfdt: ({ track, ends }, box) => {
    const isLong = box[0] === 1
    if (box.length < (isLong ? 12 : 8)) return
    ends.set(track, isLong ? Number(box.readBigUInt64BE(4)) : box.readUInt32BE(4))
  },
  trun: (reading, box) => {
    const { track, ends, scales } = reading
    const end = (ends.get(track) ?? 0) + runDuration(reading, box)
    ends.set(track, end)
    hear(reading, end, scales.get(track) ?? reading.scale)
  },
}

/** Of a run of samples, each of which may tell its own. */
function runDuration({ fallback }: Reading, box: Buffer): number {
  if (box.length < 8) return 0
  const flags = box.readUInt32BE(0)
  const count = box.readUInt32BE(4)
  if ((flags & 0x100) === 0) return count * fallback
  const step = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length * 4
  let duration = 0
  let at = 8 + ((flags & 1) === 0 ? 0 : 4) + ((flags & 4) === 0 ? 0 : 4)
  for (; at + step <= box.length; at += step) duration += box.readUInt32BE(at)
  return duration
}

function hear(reading: Reading, duration: number, scale: number) {
  if (scale > 0) reading.seconds = Math.max(reading.seconds, duration / scale)
}

/** All bits set is for a length that is not known. */
function timeOf(box: Buffer): { scale: number; duration: number } | null {
  const isLong = box[0] === 1
  const at = isLong ? 20 : 12
  if (box.length < at + (isLong ? 12 : 8)) return null
  const duration = isLong ? Number(box.readBigUInt64BE(at + 4)) : box.readUInt32BE(at + 4)
  const isKnown = duration < (isLong ? 2 ** 63 : 2 ** 32 - 1)
  return { scale: box.readUInt32BE(at), duration: isKnown ? duration : 0 }
}
