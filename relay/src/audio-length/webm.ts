import { flacFramesSeconds, flacRate } from './flac-frames.ts'
import { mpegSeconds } from './frames.ts'
import { opusSeconds } from './opus-packets.ts'
import { aacSeconds, type SampleSeconds } from './sound-entry.ts'
import { isVorbisSound, vorbisSecondsMost } from './vorbis.ts'
import { framesOf } from './webm-laces.ts'
import { readNumber, wholeNumber } from './webm-numbers.ts'

/** Of Matroska (RFC 9559). What these hold is walked through, everything else passed over. */
const TRACK_ENTRY = 0xae
const HOLDERS = new Set([0x18538067, 0x1654ae6b, TRACK_ENTRY, 0x1f43b675, 0xa0])
/** Elements of four bytes of id and eight of size. */
const ID_BYTES_MAX = 4
const SIZE_BYTES_MAX = 8
/** More than a recording of some hours has, and little enough to be walked through in no time. */
const ELEMENTS_MAX = 2 ** 20
const FRAMES_MAX = 2 ** 22
const SOUND = 2
/** An encoder fills up the last frame; none of sound is longer. */
const LAST_SECONDS_MOST = 0.128

type Track = {
  type: number | undefined
  codec: string
  /** What the codec says first. */
  head: Buffer
  /** Compressed once more, or encrypted. */
  isEncoded: boolean
  /** How long a frame plays; undefined before the first, null where that is not known. */
  each: SampleSeconds | null | undefined
  played: number
  last: number
}

/** What is read of the elements so far. */
type Reading = {
  readonly bytes: Buffer
  track: Track
  readonly tracks: Track[]
  readonly byNumber: Map<number, Track>
  frames: number
  /** The file can be read in more than one way. */
  isAmbiguous: boolean
}

type ElementReader = (reading: Reading, content: Buffer) => void

/**
 * How long the sound plays, which decoders go by: times may begin anywhere, as in later pieces of what a browser
 * records. Null where that is not known, and for elements that do not lie within each other as they should: what is
 * hidden so, some decoders find.
 */
export function webmSeconds(bytes: Buffer): number | null {
  const reading = newReading(bytes)
  const ends = [bytes.length]
  let at = 0
  for (let count = 0; at < bytes.length; count += 1) {
    if (count === ELEMENTS_MAX || reading.frames > FRAMES_MAX) return Infinity
    while (at >= (ends.at(-1) ?? 0)) ends.pop()
    const element = elementAt(bytes, at, ends.at(-1) ?? 0)
    if (element === null) return null
    const { id, begin, end } = element
    READERS.get(id)?.(reading, bytes.subarray(begin, end))
    if (HOLDERS.has(id)) ends.push(end)
    at = HOLDERS.has(id) ? begin : end
  }
  return reading.isAmbiguous ? null : longestOf(reading)
}

/** Null for what does not lie within what holds it; a holder whose size is not known goes on to the end of that. */
function elementAt(bytes: Buffer, at: number, endMost: number) {
  const id = readNumber(bytes, at, ID_BYTES_MAX, true)
  const size = id && readNumber(bytes, id.end, SIZE_BYTES_MAX, false)
  if (!id || !size) return null
  const isHolder = HOLDERS.has(id.value)
  const isUnknown = isHolder && size.value >= 2 ** (7 * (size.end - id.end)) - 1
  const end = isUnknown ? endMost : size.end + size.value
  // Of a file that was cut off, what holds all the rest is as well.
  const isCut = isHolder && endMost === bytes.length
  if (size.end > endMost || (end > endMost && !isCut)) return null
  return { id: id.value, begin: size.end, end: Math.min(end, endMost) }
}

const newReading = (bytes: Buffer): Reading => ({
  bytes,
  track: newTrack(),
  tracks: [],
  byNumber: new Map(),
  frames: 0,
  isAmbiguous: false,
})

const newTrack = (): Track => ({
  type: undefined,
  codec: '',
  head: Buffer.alloc(0),
  isEncoded: false,
  each: undefined,
  played: 0,
  last: 0,
})

function longestOf({ tracks }: Reading): number | null {
  let longest = 0
  for (const { type, each, played, last } of tracks) {
    if (type !== SOUND || each === undefined) continue
    if (each === null) return null
    longest = Math.max(longest, played - Math.min(last, LAST_SECONDS_MOST))
  }
  return longest
}

const readTrackEntry: ElementReader = (reading) => {
  reading.track = newTrack()
  reading.tracks.push(reading.track)
}

/** Of what is told twice some decoders take the first and some the last. */
const readTrackNumber: ElementReader = (reading, content) => {
  const { track, byNumber } = reading
  const number = wholeNumber(content)
  if (byNumber.has(number)) reading.isAmbiguous = true
  byNumber.set(number, track)
}

const readTrackType: ElementReader = (reading, content) => {
  const { track } = reading
  if (track.type !== undefined) reading.isAmbiguous = true
  track.type = wholeNumber(content)
}

const readCodec: ElementReader = (reading, content) => {
  const { track } = reading
  if (track.codec !== '') reading.isAmbiguous = true
  track.codec = content.toString('latin1', 0, 32)
}

const readCodecHead: ElementReader = (reading, content) => {
  const { track } = reading
  if (track.head.length > 0) reading.isAmbiguous = true
  track.head = content
}

const readEncodings: ElementReader = ({ track }) => {
  track.isEncoded = true
}

/** Of a block: the number of its track, how long after its cluster it is, flags, and frames. */
const readBlock: ElementReader = (reading, block) => {
  const number = readNumber(block, 0, SIZE_BYTES_MAX, false)
  if (number === null || number.end + 3 > block.length) return
  const at = number.end + 3
  const track = reading.byNumber.get(number.value)
  if (track === undefined) reading.isAmbiguous = true
  if (track?.type !== SOUND || track.each === null) return
  const each = (track.each ??= frameSeconds(track))
  if (each === null) return
  for (const { from, size } of framesOf(block, at, block.readUInt8(at - 1))) {
    track.last = typeof each === 'number' ? each : each(block, from, size)
    track.played += track.last
    reading.frames += 1
  }
}

/** WebM has the first two, Matroska all of them. */
function frameSeconds({ codec, head, isEncoded }: Track): SampleSeconds | null {
  if (isEncoded) return null
  if (codec.startsWith('A_OPUS')) return opusSeconds
  if (codec.startsWith('A_VORBIS')) {
    const most = vorbisSecondsMost(head)
    return most && ((bytes, at) => (isVorbisSound(bytes, at) ? most : 0))
  }
  if (codec === 'A_MPEG/L3') return mpegSeconds
  if (codec === 'A_AAC') return aacSeconds(head)
  const rate = codec === 'A_FLAC' ? flacRate(head, FLAC_INFO_AT) : 0
  if (rate === 0) return null
  return (bytes, from, size) => flacFramesSeconds(bytes, rate, { from, to: from + size })
}

/** Behind its name and the head of the block. */
const FLAC_INFO_AT = 8

/** By their ids. */
const READERS: ReadonlyMap<number, ElementReader> = new Map([
  [TRACK_ENTRY, readTrackEntry],
  [0xd7, readTrackNumber],
  [0x83, readTrackType],
  [0x86, readCodec],
  [0x63a2, readCodecHead],
  [0x6d80, readEncodings],
  [0xa3, readBlock],
  [0xa1, readBlock],
])
