import {
  playedFrom,
  playedInChunks,
  type Samples,
  samplesOf,
  type SampleTables,
  declaredDuration,
} from './box-samples.ts'
import { type SampleSeconds, sampleSeconds } from './sound-entry.ts'

/** Container boxes (ISO 14496-12). Their content is walked; all other boxes are skipped. */
const CONTAINER_BOXES = new Set(['moov', 'trak', 'mdia', 'minf', 'stbl', 'mvex', 'moof', 'traf'])
const HEAD_BYTES = 8
const LARGE_HEAD_BYTES = 16
/** More than a recording of several hours has, yet quick to walk. */
const BOXES_MAX = 2 ** 18
const SAMPLES_MAX = 2 ** 22
/** Audio; some files omit the handler. */
const SOUND_HANDLERS = ['soun', '']

type Track = {
  /** Units of time per second. */
  scale: number
  handler: string
  /**
   * Seconds per sample; null for an unknown codec, undefined for a track without a sample entry.
   */
  each: SampleSeconds | null | undefined
  readonly tables: SampleTables
  /**
   * Totals of the fragments: end of the last run in units of `scale`, seconds of all samples, and
   * seconds of the last sample.
   */
  end: number
  played: number
  last: number
}

/** Defaults for samples that state no duration or size. */
type SampleDefaults = { readonly duration: number; readonly size: number }

type Mp4State = {
  readonly bytes: Buffer
  /** Units of time per second, for the whole file. */
  scale: number
  readonly tracks: Track[]
  readonly trackOf: Map<number, Track>
  readonly defaults: Map<number, SampleDefaults>
  /**
   * The current track, where its fragment starts, the base offset of the fragment's data, and the
   * current offset in that data.
   */
  track: Track
  fragmentAt: number
  dataFrom: number
  dataAt: number
  fallback: SampleDefaults
  seconds: number
  samples: number
}

type BoxReader = (reading: Mp4State, box: Buffer, at: number) => void

/**
 * The length a file states, or the end of its last fragment in browser recordings, but at least as
 * long as its sound plays, because decoders play the sound. Null if unknown.
 */
export function boxedSeconds(bytes: Buffer): number | null {
  const reading = newReading(bytes)
  let at = 0
  for (let count = 0; at + HEAD_BYTES <= bytes.length; count += 1) {
    if (count === BOXES_MAX || reading.samples > SAMPLES_MAX) return null
    const type = bytes.toString('latin1', at + 4, at + HEAD_BYTES)
    const short = bytes.readUInt32BE(at)
    const isLarge = short === 1 && at + LARGE_HEAD_BYTES <= bytes.length
    const head = isLarge ? LARGE_HEAD_BYTES : HEAD_BYTES
    const size = isLarge ? Number(bytes.readBigUInt64BE(at + HEAD_BYTES)) : short
    if (size < head) break
    READERS[type]?.(reading, bytes.subarray(at + head, at + size), at)
    at += CONTAINER_BOXES.has(type) ? head : size
  }
  return longestOf(reading)
}

function newReading(bytes: Buffer): Mp4State {
  return {
    bytes,
    scale: 0,
    tracks: [],
    trackOf: new Map(),
    defaults: new Map(),
    track: newTrack(),
    fragmentAt: 0,
    dataFrom: 0,
    dataAt: 0,
    fallback: { duration: 0, size: 0 },
    seconds: 0,
    samples: 0,
  }
}

const newTrack = (): Track => ({
  scale: 0,
  handler: '',
  each: undefined,
  tables: {},
  end: 0,
  played: 0,
  last: 0,
})

function longestOf(reading: Mp4State): number | null {
  const { bytes, tracks } = reading
  const sounds = tracks.filter(({ handler, each }) =>
    each === null ? SOUND_HANDLERS.includes(handler) : each !== undefined,
  )
  if (sounds.length === 0) return null
  for (const { each, tables, scale, played: inFragments, last: lastPiece } of sounds) {
    if (each === null || each === undefined) return null
    noteDuration(reading, declaredDuration(tables), scale)
    const samples = samplesOf(tables, bytes.length)
    if (typeof each !== 'number') reading.samples += samples.count
    if (reading.samples > SAMPLES_MAX) return null
    const inChunks = playedInChunks(bytes, tables, { samples, each })
    // The encoder pads the last sample, and the stated length excludes the padding.
    const last = inFragments === 0 ? inChunks.last : lastPiece
    noteDuration(reading, inChunks.seconds + inFragments - last, 1)
  }
  return reading.seconds
}

/** Boxes that are too short are ignored. */
const READERS: Readonly<Record<string, BoxReader | undefined>> = {
  mvhd: (reading, box) => {
    const time = timeOf(box)
    if (time === null) return
    reading.scale = time.scale
    noteDuration(reading, time.duration, time.scale)
  },
  trak: (reading) => {
    reading.track = newTrack()
    reading.tracks.push(reading.track)
  },
  tkhd: ({ track, trackOf }, box) => {
    const at = box[0] === 1 ? 20 : 12
    const id = box.length >= at + 4 ? box.readUInt32BE(at) : 0
    if (!trackOf.has(id)) trackOf.set(id, track)
  },
  mdhd: (reading, box) => {
    const time = timeOf(box)
    if (time === null) return
    reading.track.scale = time.scale
    noteDuration(reading, time.duration, time.scale)
  },
  hdlr: ({ track }, box) => {
    track.handler = box.toString('latin1', 8, 12)
  },
  stsd: ({ track }, box) => {
    if (box.length < 8) return
    // With several sample entries, a file could assign its samples to any of them.
    track.each = box.readUInt32BE(4) === 1 ? sampleSeconds(box.subarray(8)) : null
  },
  ...Object.fromEntries(
    (['stts', 'stsz', 'stz2', 'stsc', 'stco', 'co64'] as const).map((name): [string, BoxReader] => [
      name,
      ({ track }, box) => {
        track.tables[name] = box
      },
    ]),
  ),
  mehd: (reading, box) => {
    noteDuration(reading, timeIn(box) ?? 0, reading.scale)
  },
  trex: ({ defaults }, box) => {
    if (box.length < 20) return
    defaults.set(box.readUInt32BE(4), {
      duration: box.readUInt32BE(12),
      size: box.readUInt32BE(16),
    })
  },
  moof: (reading, _box, at) => {
    reading.fragmentAt = at
    reading.dataAt = at
  },
  tfhd: (reading, box) => {
    if (box.length < 8) return
    const flags = box.readUInt32BE(0)
    const id = box.readUInt32BE(4)
    const defaults = reading.defaults.get(id) ?? { duration: 0, size: 0 }
    reading.track = reading.trackOf.get(id) ?? newTrack()
    const { told, base } = fragmentHead(box, flags)
    reading.fallback = { ...defaults, ...told }
    reading.dataFrom =
      base ?? ((flags & BASE_IS_FRAGMENT) === 0 ? reading.dataAt : reading.fragmentAt)
    reading.dataAt = reading.dataFrom
  },
  tfdt: ({ track }, box) => {
    track.end = timeIn(box) ?? track.end
  },
  trun: (reading, box) => {
    if (box.length < 8) return
    const { bytes, track, fallback, dataFrom } = reading
    const { duration, samples, dataOffset } = runOf(box, { fallback, maxBytes: bytes.length })
    track.end += duration
    noteDuration(reading, track.end, track.scale || reading.scale)
    reading.samples += samples.count
    const each = track.each ?? 0
    if (reading.samples > SAMPLES_MAX) return
    const at = dataOffset === null ? reading.dataAt : dataFrom + dataOffset
    const played = playedFrom(bytes, at, { samples, each })
    reading.dataAt = played.end
    track.played += played.seconds
    track.last = played.last
  },
}

const BASE_IS_FRAGMENT = 0x02_00_00

/** The fragment's sample defaults, and the base offset of its data. */
function fragmentHead(
  box: Buffer,
  flags: number,
): { told: Partial<SampleDefaults>; base: number | null } {
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

/** A run of samples, each of which may state its own duration and size. */
function runOf(
  box: Buffer,
  { fallback, maxBytes }: { fallback: SampleDefaults; maxBytes: number },
): { duration: number; samples: Samples; dataOffset: number | null } {
  const flags = box.readUInt32BE(0)
  const declared = box.readUInt32BE(4)
  const hasOffset = (flags & 1) !== 0 && box.length >= 12
  const dataOffset = hasOffset ? box.readInt32BE(8) : null
  const step = [0x100, 0x200, 0x400, 0x800].filter((flag) => (flags & flag) !== 0).length * 4
  const begin = 8 + ((flags & 1) === 0 ? 0 : 4) + ((flags & 4) === 0 ? 0 : 4)
  const entryCount = Math.max(0, step === 0 ? declared : Math.floor((box.length - begin) / step))
  const sizeFrom = begin + ((flags & 0x100) === 0 ? 0 : 4)
  const hasSizes = (flags & 0x200) !== 0
  const fittingCount = fallback.size === 0 ? 0 : Math.floor(maxBytes / fallback.size)
  const samples = {
    count: hasSizes ? entryCount : Math.min(entryCount, fittingCount),
    sizeAt: (index: number) =>
      hasSizes ? box.readUInt32BE(sizeFrom + index * step) : fallback.size,
  }
  if ((flags & 0x100) === 0) return { duration: declared * fallback.duration, samples, dataOffset }
  let duration = 0
  for (let at = begin; at + step <= box.length; at += step) duration += box.readUInt32BE(at)
  return { duration, samples, dataOffset }
}

function noteDuration(reading: Mp4State, duration: number, scale: number) {
  if (scale > 0) reading.seconds = Math.max(reading.seconds, duration / scale)
}

/** The only time in a box; null if the box is too short. */
function timeIn(box: Buffer): number | null {
  const isLong = box[0] === 1
  if (box.length < (isLong ? 12 : 8)) return null
  return isLong ? Number(box.readBigUInt64BE(4)) : box.readUInt32BE(4)
}

/** All bits set means an unknown duration. */
function timeOf(box: Buffer): { scale: number; duration: number } | null {
  const isLong = box[0] === 1
  const at = isLong ? 20 : 12
  if (box.length < at + (isLong ? 12 : 8)) return null
  const duration = isLong ? Number(box.readBigUInt64BE(at + 4)) : box.readUInt32BE(at + 4)
  const isKnown = duration < (isLong ? 2 ** 63 : 2 ** 32 - 1)
  return { scale: box.readUInt32BE(at), duration: isKnown ? duration : 0 }
}
