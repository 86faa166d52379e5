import { opusSeconds, minVorbisSeconds } from './opus-packets.ts'
import type { SampleSeconds } from './sound-entry.ts'
import { frameStarts, floating, readNumber, wholeNumber } from './webm-lacing.ts'

/**
 * Container elements of Matroska (RFC 9559). Their content is walked; all other elements are
 * skipped.
 */
const TRACK_ENTRY = 0xae
const CONTAINER_ELEMENTS = new Set([
  0x18538067,
  0x1549a966,
  0x1654ae6b,
  TRACK_ENTRY,
  0x1f43b675,
  0xa0,
])
const NANOSECONDS = 1e9
const DEFAULT_SCALE = 1e6
/** Element ids have up to four bytes, sizes up to eight. */
const ID_BYTES_MAX = 4
const SIZE_BYTES_MAX = 8
/** More than a recording of several hours has, yet quick to walk. */
const ELEMENTS_MAX = 2 ** 20
const SOUND = 2

type Track = {
  type: number
  codec: string
  /** The codec's header. */
  head: Buffer
  /** Compressed again, or encrypted. */
  isEncoded: boolean
  /** Seconds of all frames; null if unknown. */
  played: number | null
  last: number
}

/** `declaredDuration`, `cluster` and `end` are in units of `scale` nanoseconds. */
type WebmState = {
  scale: number
  declaredDuration: number
  cluster: number
  end: number
  track: Track
  readonly tracks: Track[]
  readonly byNumber: Map<number, Track>
}

type ElementReader = (reading: WebmState, content: Buffer) => void

/**
 * Browsers write while recording and state no length. The length is then the time of the last
 * block, but at least as long as the sound plays, because decoders play the sound. Null if unknown.
 */
export function webmSeconds(bytes: Buffer): number | null {
  const reading = newReading()
  let at = 0
  for (let count = 0; at < bytes.length; count += 1) {
    if (count === ELEMENTS_MAX) return null
    const id = readNumber(bytes, at, ID_BYTES_MAX, true)
    const size = id && readNumber(bytes, id.end, SIZE_BYTES_MAX, false)
    if (!id || !size) break
    at = CONTAINER_ELEMENTS.has(id.value) ? size.end : size.end + size.value
    READERS[id.value]?.(reading, bytes.subarray(size.end, at))
  }
  return longestOf(reading)
}

const newReading = (): WebmState => ({
  scale: DEFAULT_SCALE,
  declaredDuration: 0,
  cluster: 0,
  end: 0,
  track: newTrack(),
  tracks: [],
  byNumber: new Map(),
})

const newTrack = (): Track => ({
  type: 0,
  codec: '',
  head: Buffer.alloc(0),
  isEncoded: false,
  played: 0,
  last: 0,
})

function longestOf({ tracks, declaredDuration, end, scale }: WebmState): number | null {
  const sounds = tracks.filter(({ type }) => type === SOUND)
  if (sounds.length === 0) return null
  let longest = (Math.max(declaredDuration, end) * scale) / NANOSECONDS
  for (const { played, last } of sounds) {
    if (played === null) return null
    // The encoder pads the last frame, and the stated length excludes the padding.
    longest = Math.max(longest, played - last)
  }
  return longest
}

/** A block holds its track number, its time offset in the cluster, flags and frames. */
const readBlock: ElementReader = (reading, block) => {
  const number = readNumber(block, 0, SIZE_BYTES_MAX, false)
  if (number === null || number.end + 3 > block.length) return
  const at = number.end + 3
  reading.end = Math.max(reading.end, reading.cluster + block.readInt16BE(number.end))
  const track = reading.byNumber.get(number.value)
  if (track === undefined || track.type !== SOUND || track.played === null) return
  const each = frameSeconds(track)
  if (each === null) {
    track.played = null
    return
  }
  for (const start of frameStarts(block, at, block.readUInt8(at - 1))) {
    track.last = typeof each === 'number' ? each : each(block, start)
    track.played += track.last
  }
}

/** WebM allows only these two codecs. */
function frameSeconds({ codec, head, isEncoded }: Track): SampleSeconds | null {
  if (isEncoded) return null
  if (codec.startsWith('A_OPUS')) return opusSeconds
  return codec.startsWith('A_VORBIS') ? minVorbisSeconds(head) : null
}

/** By element id. */
const READERS: Readonly<Record<number, ElementReader | undefined>> = {
  // TimestampScale
  0x2ad7b1: (reading, content) => {
    reading.scale = wholeNumber(content) || DEFAULT_SCALE
  },
  // Duration
  0x4489: (reading, content) => {
    reading.declaredDuration = floating(content)
  },
  // Timestamp of a cluster
  0xe7: (reading, content) => {
    reading.cluster = wholeNumber(content)
  },
  [TRACK_ENTRY]: (reading) => {
    reading.track = newTrack()
    reading.tracks.push(reading.track)
  },
  // TrackNumber
  0xd7: ({ track, byNumber }, content) => {
    const number = wholeNumber(content)
    if (!byNumber.has(number)) byNumber.set(number, track)
  },
  // TrackType
  0x83: ({ track }, content) => {
    track.type = wholeNumber(content)
  },
  // CodecID
  0x86: ({ track }, content) => {
    track.codec = content.toString('latin1', 0, 32)
  },
  // CodecPrivate
  0x63a2: ({ track }, content) => {
    track.head = content
  },
  // ContentEncodings
  0x6d80: ({ track }) => {
    track.isEncoded = true
  },
  // SimpleBlock and Block
  0xa3: readBlock,
  0xa1: readBlock,
}
