import { flacFrameSamples } from './flac-frames.ts'
import { opusSeconds, minVorbisSeconds } from './opus-packets.ts'
import type { SampleSeconds } from './sound-entry.ts'

const PAGE_HEAD_BYTES = 27
const CONTINUES = 1
const BEGINS = 2
/** A packet continues after a segment of this size. */
const SEGMENT_BYTES_MAX = 255
/** Half of the position of a page on which no packet ends. */
const NO_POSITION = 2 ** 32 - 1
/** More than a recording of several hours has, yet quick to walk. */
const PAGES_MAX = 2 ** 19
const STREAMS_MAX = 1000
const SPEEX_FRAME_SECONDS = 0.02

type Coding = {
  /** Samples per second, as page positions count them. */
  readonly rate: number
  /** Samples at the start that are not played. */
  readonly start: number
  /** Number of header packets. */
  readonly heads: number
  readonly each: SampleSeconds
}

/**
 * An audio stream: the last position its pages state, and the seconds of all packets and of the
 * last packet.
 */
type Stream = Coding & { position: number; packets: number; played: number; last: number }

/** Sum over all audio streams; usually there is one. */
export function oggSeconds(bytes: Buffer): number | null {
  const streams: Stream[] = []
  const running = new Map<number, Stream>()
  let at = 0
  for (let count = 0; at !== -1 && at + PAGE_HEAD_BYTES <= bytes.length; count += 1) {
    if (count === PAGES_MAX || streams.length > STREAMS_MAX) return null
    const serial = bytes.readUInt32LE(at + 14)
    const bodyAt = at + PAGE_HEAD_BYTES + bytes.readUInt8(at + 26)
    if ((bytes.readUInt8(at + 5) & BEGINS) !== 0) {
      const coding = codingOf(bytes.subarray(bodyAt, bodyAt + 80))
      const stream = coding && { ...coding, position: 0, packets: 0, played: 0, last: 0 }
      running.delete(serial)
      if (stream !== null) running.set(serial, stream)
      if (stream !== null) streams.push(stream)
    }
    at = bytes.indexOf('OggS', readPage(bytes, at, running.get(serial)), 'latin1')
  }
  if (streams.length === 0) return null
  return streams.reduce((sum, stream) => sum + secondsOf(stream), 0)
}

/**
 * The length the pages state, but at least as long as the packets play, because decoders play the
 * packets.
 */
function secondsOf({ rate, start, position, played, last }: Stream): number {
  // The encoder pads the last packet, and the stated length excludes the padding.
  return Math.max(0, (position - start) / rate, played - last - start / rate)
}

/** Returns the end of the page. */
function readPage(bytes: Buffer, at: number, stream: Stream | undefined): number {
  const sizesAt = at + PAGE_HEAD_BYTES
  const bodyAt = sizesAt + bytes.readUInt8(at + 26)
  let begins = (bytes.readUInt8(at + 5) & CONTINUES) === 0
  let next = bodyAt
  for (let sizeAt = sizesAt; sizeAt < bodyAt; sizeAt += 1) {
    const size = bytes[sizeAt] ?? 0
    if (begins && stream !== undefined) playPacket(stream, bytes, next)
    begins = size < SEGMENT_BYTES_MAX
    next += size
  }
  const [low, high] = [bytes.readUInt32LE(at + 6), bytes.readUInt32LE(at + 10)]
  if (stream !== undefined && !(low === NO_POSITION && high === NO_POSITION)) {
    stream.position = Math.max(stream.position, high * 2 ** 32 + low)
  }
  return next
}

function playPacket(stream: Stream, bytes: Buffer, at: number) {
  stream.packets += 1
  if (stream.packets <= stream.heads) return
  stream.last = typeof stream.each === 'number' ? stream.each : stream.each(bytes, at)
  stream.played += stream.last
}

/** Reads the first packet; null for images, text and unknown codecs. */
function codingOf(packet: Buffer): Coding | null {
  const name = packet.toString('latin1', 0, 8)
  if (name === 'OpusHead' && packet.length >= 12) {
    return { rate: 48_000, start: packet.readUInt16LE(10), heads: 2, each: opusSeconds }
  }
  const rate = rateOf(name, packet)
  if (rate === 0) return null
  const common = { rate, start: 0 }
  if (name.startsWith('\x01vorbis')) {
    return { ...common, heads: 3, each: minVorbisSeconds(packet) ?? 0 }
  }
  if (name.startsWith('\x7fFLAC')) {
    return { ...common, heads: 1, each: (bytes, at) => flacFrameSamples(bytes, at) / rate }
  }
  const frames = packet.length >= 68 ? Math.max(1, packet.readUInt32LE(64)) : 1
  return { ...common, heads: 2, each: frames * SPEEX_FRAME_SECONDS }
}

function rateOf(name: string, packet: Buffer): number {
  if (name.startsWith('\x01vorbis') && packet.length >= 16) return packet.readUInt32LE(12)
  if (name === 'Speex   ' && packet.length >= 40) return packet.readUInt32LE(36)
  return name.startsWith('\x7fFLAC') && packet.length >= 30 ? packet.readUIntBE(27, 3) >> 4 : 0
}
