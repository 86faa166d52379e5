import {
  bytesIn,
  playedFrom,
  playedInChunks,
  type Samples,
  samplesOf,
  type SampleTables,
  toldDuration,
} from './box-samples.ts'
import { type SampleSeconds, sampleSeconds } from './sound-entry.ts'

/** Of ISO 14496-12. What these hold is walked through. */
const HOLDERS = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf', 'edts'])
/** What these hold nobody reads, nor what the sound itself is in. */
const CLOSED = new Set(['free', 'skip', 'ftyp', 'styp'])
/** What decoders read wherever it stands, and is passed over here. */
const HIDDEN = new Set(
  ['moov', 'trak', 'trun', 'trex', 'stsz', 'stz2', 'stsc', 'stco', 'co64', 'cmov'].map((name) =>
    Buffer.from(name).readUInt32BE(),
  ),
)
/** More than covers, texts and places take. */
const PASSED_BYTES_MAX = 8 * 1024 * 1024
/** Of small letters, so that numbers and most texts are passed over. */
const NAMES_FROM = Math.min(...HIDDEN)
const HEAD_BYTES = 8
const LARGE_HEAD_BYTES = 16
/** More than a recording of some hours has, and little enough to be walked through in no time. */
const BOXES_MAX = 2 ** 18
const SAMPLES_MAX = 2 ** 22
/** An encoder fills up the last sample, and tells the length without that; none of sound is longer. */
const LAST_SECONDS_MOST = 0.128

type Track = {
  /** Units of time in a second. */
  scale: number
  /** Undefined where nothing says so: some files leave it out. */
  isSound: boolean | undefined
  /** How long a sample plays; null for a coding that is not known, undefined where there is nothing to play. */
  each: SampleSeconds | null | undefined
  readonly tables: SampleTables
  /** Of boxes that it may have only one of. */
  readonly seen: Set<string>
  /** Of its fragments, in units and in seconds, and the last of their samples. */
  told: number
  played: number
  last: number
}

/** What a sample has that does not say so itself. */
type Usual = { readonly duration: number; readonly size: number }

/** What is read of the boxes so far. */
type Reading = {
  readonly bytes: Buffer
  readonly tracks: Track[]
  readonly trackOf: Map<number, Track>
  readonly usual: Map<number, Usual>
  /** The track that is read, and of fragments where each began, and where the data of its pieces is. */
  track: Track
  fragmentAt: number
  dataFrom: number
  dataAt: number
  fallback: Usual
  /** As the whole says of itself; of fragments that is of a recording of which these may be a piece. */
  told: number
  hasFragments: boolean
  samples: number
  sampleBytes: number
  passedBytes: number
  /** The file can be read in more than one way. */
  isAmbiguous: boolean
}

type BoxReader = (reading: Reading, box: Buffer, at: number) => void

/**
 * What a file tells of itself, and no less than its sound plays, which is what decoders go by. Null where that is
 * not known, and for boxes that do not lie within each other as they should: what is hidden so, some decoders find.
 */
export function boxedSeconds(bytes: Buffer): number | null {
  const reading = newReading(bytes)
  const ends = [bytes.length]
  let at = 0
  for (let count = 0; ; count += 1) {
    const end = innermost(ends, at)
    if (end === null) break
    if (at + HEAD_BYTES > end) {
      at = end
      continue
    }
    if (count === BOXES_MAX || reading.samples > SAMPLES_MAX) return Infinity
    const { type, head, size } = boxAt(bytes, at, end)
    // Only the last may be cut off.
    if (size < head || (at + size > end && ends.length > 1)) return null
    const next = Math.min(at + size, end)
    if (HOLDERS.has(type)) ends.push(next)
    readBox(reading, type, { box: bytes.subarray(at + head, next), at })
    at = HOLDERS.has(type) ? at + head : next
  }
  return reading.isAmbiguous ? null : longestOf(reading)
}

/** The end of the innermost box that goes on here; null at the end of all. */
function innermost(ends: number[], at: number): number | null {
  while (ends.length > 0 && at >= (ends.at(-1) ?? 0)) ends.pop()
  return ends.at(-1) ?? null
}

/** A size of zero is for all that follows. */
function boxAt(bytes: Buffer, at: number, end: number) {
  const type = bytes.toString('latin1', at + 4, at + HEAD_BYTES)
  const short = bytes.readUInt32BE(at)
  if (short === 0) return { type, head: HEAD_BYTES, size: end - at }
  if (short !== 1) return { type, head: HEAD_BYTES, size: short }
  const isCut = at + LARGE_HEAD_BYTES > end
  const size = isCut ? 0 : Number(bytes.readBigUInt64BE(at + HEAD_BYTES))
  return { type, head: LARGE_HEAD_BYTES, size }
}

function readBox(reading: Reading, type: string, { box, at }: { box: Buffer; at: number }) {
  const { track } = reading
  const once = ONCE[type]
  if (once !== undefined) {
    if (track.seen.has(once)) reading.isAmbiguous = true
    track.seen.add(once)
  }
  const read = READERS[type]
  read?.(reading, box, at)
  const isRead = HOLDERS.has(type) || (read !== undefined && type !== 'stsd')
  if (isRead || type === 'mdat' || reading.isAmbiguous) return
  // Old ones that are left in free space are read where they begin it.
  const isClosed = CLOSED.has(type)
  const content = isClosed ? box.subarray(4, HEAD_BYTES) : box
  reading.passedBytes += content.length
  if (reading.passedBytes > PASSED_BYTES_MAX || hides(content)) reading.isAmbiguous = true
}

function hides(box: Buffer): boolean {
  let name = 0
  for (const byte of box) {
    name = ((name << 8) | byte) >>> 0
    if (name >= NAMES_FROM && HIDDEN.has(name)) return true
  }
  return false
}

function newReading(bytes: Buffer): Reading {
  return {
    bytes,
    tracks: [],
    trackOf: new Map(),
    usual: new Map(),
    track: newTrack(),
    fragmentAt: 0,
    dataFrom: 0,
    dataAt: 0,
    fallback: { duration: 0, size: 0 },
    told: 0,
    hasFragments: false,
    samples: 0,
    sampleBytes: 0,
    passedBytes: 0,
    isAmbiguous: false,
  }
}

const newTrack = (): Track => ({
  scale: 0,
  isSound: undefined,
  each: undefined,
  tables: {},
  seen: new Set(),
  told: 0,
  played: 0,
  last: 0,
})

function longestOf(reading: Reading): number | null {
  const sounds = reading.tracks.filter(({ isSound, each }) =>
    each === null ? isSound !== false : each !== undefined,
  )
  if (sounds.length === 0) return null
  let longest = reading.hasFragments ? 0 : reading.told
  for (const track of sounds) {
    const seconds = secondsOf(reading, track)
    if (seconds === null) return null
    longest = Math.max(longest, seconds)
  }
  return longest
}

function secondsOf(reading: Reading, track: Track): number | null {
  const { each, tables, scale } = track
  const samples = samplesOf(tables, reading.bytes.length)
  if (each === null || each === undefined || samples === null) return null
  if (typeof each !== 'number') reading.samples += samples.count
  if (reading.samples > SAMPLES_MAX) return Infinity
  const inChunks = playedInChunks(reading.bytes, tables, { samples, each })
  if (inChunks === null) return null
  const last = track.played === 0 ? inChunks.last : track.last
  const played = inChunks.seconds + track.played - Math.min(last, LAST_SECONDS_MOST)
  return Math.max(played, inSeconds(toldDuration(tables) + track.told, scale))
}

const inSeconds = (duration: number, scale: number) => (scale > 0 ? duration / scale : 0)

const TABLES = ['stts', 'stsz', 'stz2', 'stsc', 'stco', 'co64'] as const
/** Within a track, also in its other form; of two, some decoders take the first and some the last. */
const ONCE: Readonly<Record<string, string | undefined>> = {
  ...Object.fromEntries(['tkhd', 'mdhd', 'stsd', 'elst', ...TABLES].map((name) => [name, name])),
  stz2: 'stsz',
  co64: 'stco',
}

const readTime: BoxReader = (reading, box) => {
  const time = timeOf(box)
  if (time !== null) reading.told = Math.max(reading.told, inSeconds(time.duration, time.scale))
}

/** A box with less in it than it should have is passed over. */
const READERS: Readonly<Record<string, BoxReader | undefined>> = {
  mvhd: readTime,
  trak: (reading) => {
    reading.track = newTrack()
    reading.tracks.push(reading.track)
  },
  tkhd: ({ track, trackOf }, box) => {
    const at = box[0] === 1 ? 20 : 12
    const id = box.length >= at + 4 ? box.readUInt32BE(at) : 0
    if (!trackOf.has(id)) trackOf.set(id, track)
  },
  mdhd: (reading, box, at) => {
    reading.track.scale = timeOf(box)?.scale ?? 0
    readTime(reading, box, at)
  },
  hdlr: ({ track }, box) => {
    // QuickTime has a second one, of where its data is.
    track.isSound = track.isSound === true || box.toString('latin1', 8, 12) === 'soun'
  },
  elst: (reading, box) => {
    // Each of several may play the same once more; one without sound delays it.
    const step = box[0] === 1 ? 20 : 12
    let count = 0
    for (let at = 8; at + step <= box.length && count < 2; at += step) {
      const begin = step === 20 ? Number(box.readBigInt64BE(at + 8)) : box.readInt32BE(at + 4)
      if (begin >= 0) count += 1
    }
    if (count > 1) reading.isAmbiguous = true
  },
  stsd: ({ track }, box) => {
    if (box.length < 8) return
    // Which of several is whose can be told as one likes.
    track.each = box.readUInt32BE(4) === 1 ? sampleSeconds(box.subarray(8)) : null
  },
  ...Object.fromEntries(
    TABLES.map((name): [string, BoxReader] => [
      name,
      ({ track }, box) => {
        track.tables[name] = box
      },
    ]),
  ),
  trex: (reading, box) => {
    if (box.length < 20) return
    const { usual } = reading
    const id = box.readUInt32BE(4)
    if (usual.has(id)) reading.isAmbiguous = true
    usual.set(id, { duration: box.readUInt32BE(12), size: box.readUInt32BE(16) })
  },
  moof: (reading, _box, at) => {
    reading.fragmentAt = at
    reading.dataAt = at
  },
  tfhd: (reading, box) => {
    if (box.length < 8) return
    const flags = box.readUInt32BE(0)
    const id = box.readUInt32BE(4)
    const usual = reading.usual.get(id) ?? { duration: 0, size: 0 }
    const track = reading.trackOf.get(id)
    if (track === undefined) reading.isAmbiguous = true
    reading.track = track ?? newTrack()
    const { told, base } = fragmentHead(box, flags)
    reading.fallback = { ...usual, ...told }
    reading.dataFrom =
      base ?? ((flags & BASE_IS_FRAGMENT) === 0 ? reading.dataAt : reading.fragmentAt)
    reading.dataAt = reading.dataFrom
  },
  trun: (reading, box) => {
    if (box.length < 8) return
    const { bytes, track, fallback, dataFrom } = reading
    const { duration, samples, dataOffset } = runOf(box, fallback)
    reading.hasFragments = true
    track.told += duration
    reading.samples += samples.count
    if (reading.samples > SAMPLES_MAX) return
    reading.sampleBytes += bytesIn(samples)
    if (reading.sampleBytes > bytes.length) reading.isAmbiguous = true
    if (reading.isAmbiguous) return
    const at = dataOffset === null ? reading.dataAt : dataFrom + dataOffset
    const played = playedFrom(bytes, at, { samples, each: track.each ?? 0 })
    reading.dataAt = played.end
    track.played += played.seconds
    track.last = played.last
  },
}

const BASE_IS_FRAGMENT = 0x02_00_00

/** What a fragment tells of its samples, and where their data begins. */
function fragmentHead(box: Buffer, flags: number): { told: Partial<Usual>; base: number | null } {
  let at = 8
  const next = (flag: number, width = 4): number | null => {
    if ((flags & flag) === 0) return null
    at += width
    if (at > box.length) return null
    return width === 8 ? Number(box.readBigUInt64BE(at - 8)) : box.readUInt32BE(at - 4)
  }
  const base = next(1, 8)
  next(2)
  const duration = next(8)
  const size = next(0x10)
  return {
    base,
    told: { ...(duration === null ? {} : { duration }), ...(size === null ? {} : { size }) },
  }
}

/** A run of samples, each of which may tell its own. */
function runOf(
  box: Buffer,
  fallback: Usual,
): { duration: number; samples: Samples; dataOffset: number | null } {
  const flags = box.readUInt32BE(0)
  const told = box.readUInt32BE(4)
  const hasOffset = (flags & 1) !== 0 && box.length >= 12
  const dataOffset = hasOffset ? box.readInt32BE(8) : null
  const step = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length * 4
  const begin = 8 + ((flags & 1) === 0 ? 0 : 4) + ((flags & 4) === 0 ? 0 : 4)
  const written = Math.max(0, step === 0 ? told : Math.floor((box.length - begin) / step))
  const sizeFrom = begin + ((flags & 0x100) === 0 ? 0 : 4)
  const hasSizes = (flags & 0x200) !== 0
  const samples = {
    count: hasSizes || fallback.size > 0 ? written : 0,
    sizeAt: (index: number) =>
      hasSizes ? box.readUInt32BE(sizeFrom + index * step) : fallback.size,
  }
  if ((flags & 0x100) === 0) return { duration: told * fallback.duration, samples, dataOffset }
  let duration = 0
  for (let at = begin; at + step <= box.length; at += step) duration += box.readUInt32BE(at)
  return { duration, samples, dataOffset }
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
