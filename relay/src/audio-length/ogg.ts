import { flacFrameSeconds, flacFramesSeconds } from './flac-frames.ts'
import { opusSeconds } from './opus-packets.ts'
import type { SampleSeconds } from './sound-entry.ts'
import { isVorbisSound, vorbisSecondsMost } from './vorbis.ts'

const PAGE = 'OggS'
const PAGE_HEAD_BYTES = 27
const CODING_BYTES_MAX = 80
const CONTINUES = 1
/** A packet goes on behind a piece of this size. */
const PIECE_BYTES_MOST = 255
/** More than a recording of some hours has, and little enough to be walked through in no time. */
const PAGES_MAX = 2 ** 19
const PACKETS_MAX = 2 ** 22
const STREAMS_MAX = 1000
const SPEEX_FRAME_SECONDS = 0.02
/** As long as decoders need to come to rest; encoders leave out no more (RFC 7845, 4.2). */
const OPUS_START_MOST = 3840
/** Of streams that nobody hears. */
const SILENT = ['\x80theora', 'fishead\0']

type Coding = {
  /** What decoders go by, as a text. */
  readonly kind: string
  /** Samples a second, as positions count them. */
  readonly rate: number
  /** Samples that are played to nobody. */
  readonly start: number
  readonly each: SampleSeconds
}

/** A stream of sound: how far its pages say it is, how long its packets play, and the last of them. */
type Stream = Coding & { position: number; played: number; last: number }

/** What is read of the pages so far; of streams the last with each serial number, null for one nobody hears. */
type Reading = {
  readonly bytes: Buffer
  readonly streams: Stream[]
  readonly running: Map<number, Stream | null>
  packets: number
}

/**
 * The lengths of all streams of sound together, which usually is one. Decoders begin anew behind a page whose check
 * sum is wrong, also within what it claims to hold, so that every page counts, wherever it is.
 */
export function oggSeconds(bytes: Buffer): number | null {
  const reading: Reading = { bytes, streams: [], running: new Map(), packets: 0 }
  const { streams } = reading
  let at = 0
  for (let count = 0; at !== -1 && at + PAGE_HEAD_BYTES <= bytes.length; count += 1) {
    if (count === PAGES_MAX || streams.length > STREAMS_MAX) return Infinity
    if (reading.packets > PACKETS_MAX) return Infinity
    if (bytes[at + PAGE.length] === 0) {
      const stream = streamOf(reading, at)
      if (stream === undefined) return null
      readPage(reading, at, stream)
    }
    at = bytes.indexOf(PAGE, at + PAGE.length, 'latin1')
  }
  if (streams.length === 0) return null
  const seconds = streams.reduce((sum, stream) => sum + secondsOf(stream), 0)
  const [flac] = streams.filter(({ kind }) => kind.startsWith(FLAC))
  return flac === undefined ? seconds : Math.max(seconds, flacFramesSeconds(bytes, flac.rate))
}

/** What its packets play, and of the last one, which encoders fill up, what the position leaves. */
function secondsOf({ rate, start, position, played, last }: Stream): number {
  const told = (position - start) / rate
  return told > played - last && told < played ? told : played
}

/** Of a page: undefined where no stream began, or one begins anew as another, which decoders take as they like. */
function streamOf({ bytes, streams, running }: Reading, at: number): Stream | null | undefined {
  const serial = bytes.readUInt32LE(at + 14)
  const bodyAt = at + PAGE_HEAD_BYTES + bytes.readUInt8(at + 26)
  const known = running.get(serial)
  const coding = codingOf(bytes.subarray(bodyAt, bodyAt + CODING_BYTES_MAX))
  if (coding === null && known !== undefined) return known
  if (coding === null) {
    const name = bytes.toString('latin1', bodyAt, bodyAt + NAME_BYTES)
    if (!SILENT.some((silent) => name.startsWith(silent))) return undefined
    running.set(serial, null)
    return null
  }
  if (known !== undefined && known?.kind !== coding.kind) return undefined
  const stream = { ...coding, position: 0, played: 0, last: 0 }
  running.set(serial, stream)
  streams.push(stream)
  return stream
}

function readPage(reading: Reading, at: number, stream: Stream | null) {
  if (stream === null) return
  const { bytes } = reading
  const sizesAt = at + PAGE_HEAD_BYTES
  const bodyAt = sizesAt + bytes.readUInt8(at + 26)
  let begins = (bytes.readUInt8(at + 5) & CONTINUES) === 0
  let next = bodyAt
  for (let sizeAt = sizesAt; sizeAt < bodyAt; sizeAt += 1) {
    const size = bytes[sizeAt] ?? 0
    if (begins && size > 0) playPacket(stream, bytes, next, size)
    if (begins) reading.packets += 1
    begins = size < PIECE_BYTES_MOST
    next += size
  }
  const [low, high] = [bytes.readUInt32LE(at + 6), bytes.readInt32LE(at + 10)]
  // Negative where no packet ends on this page.
  stream.position = Math.max(stream.position, high * 2 ** 32 + low)
}

function playPacket(stream: Stream, bytes: Buffer, at: number, size: number) {
  const { each } = stream
  const seconds = typeof each === 'number' ? each : each(bytes, at, size)
  if (seconds === 0) return
  stream.last = seconds
  stream.played += seconds
}

const NAME_BYTES = 8
const OPUS = 'OpusHead'
const VORBIS = '\x01vorbis'
const SPEEX = 'Speex   '
const FLAC = '\x7fFLAC'

/** From its first packet; null for pictures, texts, and what is not known. */
function codingOf(packet: Buffer): Coding | null {
  const name = packet.toString('latin1', 0, NAME_BYTES)
  if (name === OPUS && packet.length >= 12) {
    const start = Math.min(packet.readUInt16LE(10), OPUS_START_MOST)
    // What comes before the sound is no packet of sound by its first bytes.
    return { kind: name, rate: 48_000, start, each: opusSeconds }
  }
  if (name === SPEEX && packet.length >= 68) return speexOf(packet)
  if (name.startsWith(FLAC) && packet.length >= 30) {
    const rate = packet.readUIntBE(27, 3) >> 4
    const each: SampleSeconds = (bytes, at) => flacFrameSeconds(bytes, at, rate)
    return { kind: `${FLAC} ${rate}`, rate, start: 0, each }
  }
  const most = name.startsWith(VORBIS) ? vorbisSecondsMost(packet) : null
  if (most === null) return null
  const each: SampleSeconds = (bytes, at) => (isVorbisSound(bytes, at) ? most : 0)
  const rate = packet.readUInt32LE(12)
  return { kind: `${VORBIS} ${rate} ${most}`, rate, start: 0, each }
}

/** Of each packet the frames in it, of which the size is told beside the rate. */
function speexOf(packet: Buffer): Coding | null {
  const [rate, size, count] = [36, 56, 64].map((at) => packet.readUInt32LE(at))
  if (!rate || size === undefined || count === undefined) return null
  const each = Math.max(1, count) * Math.max(SPEEX_FRAME_SECONDS, size / rate)
  return { kind: `${SPEEX} ${rate} ${each}`, rate, start: 0, each }
}
