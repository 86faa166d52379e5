import { flacFramesSeconds, flacRate } from './flac-frames.ts'
import { mpegSeconds } from './frames.ts'
import { opusSeconds } from './opus-packets.ts'

/** How long a sample of a track plays, which for some is said by its own bytes. */
export type SampleSeconds = number | ((bytes: Buffer, at: number, size: number) => number)

/** Of a sample entry for sound (ISO 14496-12, 12.2.3), and what QuickTime's versions of it have beside. */
const VERSION_AT = 16
const RATE_AT = 32
const ENTRY_BYTES = 36
const MORE_BYTES = [0, 16, 36]
const BOX_HEAD_BYTES = 8
const FULL_HEAD_BYTES = 12
/** Uncompressed, or eight bits of a logarithm: a sample is one of each channel. */
const PLAIN = new Set(['sowt', 'twos', 'in24', 'ipcm', 'ulaw', 'alaw'])

/** What decoders go by; null for a coding that is not known here. */
export function sampleSeconds(entry: Buffer): SampleSeconds | null {
  if (entry.length < ENTRY_BYTES) return null
  const coding = entry.toString('latin1', 4, 8)
  if (coding === 'Opus') return opusSeconds
  if (coding === 'mp4a') return mp4aSeconds(entry)
  const rate = entry.readUInt16BE(RATE_AT)
  // QuickTime's second version has its rate elsewhere.
  if (rate === 0 || entry.readUInt16BE(VERSION_AT) > 1) return null
  if (coding === 'fLaC') {
    const told = flacRate(inside(entry, 'dfLa') ?? Buffer.alloc(0), FULL_HEAD_BYTES + 4)
    const slower = Math.min(rate, told || Infinity)
    return (bytes, from, size) => flacFramesSeconds(bytes, slower, { from, to: from + size })
  }
  if (coding === 'alac') return alacSeconds(entry, rate)
  return PLAIN.has(coding) ? 1 / rate : null
}

/** The box of that name in a sample entry, of which there is one in the whole of it; null otherwise. */
function inside(entry: Buffer, name: string): Buffer | null {
  const found = entry.indexOf(name, ENTRY_BYTES, 'latin1')
  if (found === -1 || entry.includes(name, found + 1, 'latin1')) return null
  let at = ENTRY_BYTES + (MORE_BYTES[entry.readUInt16BE(VERSION_AT)] ?? 0)
  while (at + BOX_HEAD_BYTES <= entry.length) {
    const type = entry.toString('latin1', at + 4, at + BOX_HEAD_BYTES)
    const size = entry.readUInt32BE(at)
    if (size < BOX_HEAD_BYTES) return null
    if (type === name) return entry.subarray(at, at + size)
    // QuickTime has what the decoder needs in a box of its own.
    at += type === 'wave' ? BOX_HEAD_BYTES : size
  }
  return null
}

/** Samples in a frame and in a second, which Apple Lossless tells in a box of the same name. */
const ALAC_SIZE_AT = FULL_HEAD_BYTES
const ALAC_RATE_AT = FULL_HEAD_BYTES + 20

function alacSeconds(entry: Buffer, rate: number): number | null {
  const config = inside(entry, 'alac')
  if (config === null || config.length < ALAC_RATE_AT + 4) return null
  const told = config.readUInt32BE(ALAC_RATE_AT)
  return config.readUInt32BE(ALAC_SIZE_AT) / Math.min(rate, told || Infinity)
}

/** ISO 14496-1, 7.2.6: descriptors within each other, each a tag, a size in groups of seven bits, and content. */
const STREAM_TAG = 3
const DECODER_TAG = 4
const CONFIG_TAG = 5
const STREAM_BYTES = 3
const STREAM_FLAGS = 0xe0
const DECODER_BYTES = 13
const MP3 = new Set([0x69, 0x6b])
const AAC = new Set([0x40, 0x66, 0x67, 0x68])

function mp4aSeconds(entry: Buffer): SampleSeconds | null {
  const box = inside(entry, 'esds') ?? Buffer.alloc(0)
  let kind = 0
  let at = FULL_HEAD_BYTES
  while (at + 2 <= box.length) {
    const tag = box[at]
    let size = 0
    let byte: number
    do {
      at += 1
      byte = box[at] ?? 0
      size = size * 128 + (byte & 0x7f)
    } while ((byte & 0x80) !== 0)
    at += 1
    if (tag === CONFIG_TAG) return AAC.has(kind) ? aacSeconds(box.subarray(at, at + size)) : null
    if (tag === DECODER_TAG) kind = box[at] ?? 0
    if (MP3.has(kind)) return mpegSeconds
    // What a stream may say before its decoder nobody writes.
    if (tag === STREAM_TAG && ((box[at + 2] ?? 0) & STREAM_FLAGS) !== 0) return null
    at += tag === STREAM_TAG ? STREAM_BYTES : tag === DECODER_TAG ? DECODER_BYTES : size
  }
  return null
}

/** ISO 14496-3, 1.6.2.1. The rate is that of the core, of which spectral band replication makes twice as many. */
const AAC_RATES = [
  96_000, 88_200, 64_000, 48_000, 44_100, 32_000, 24_000, 22_050, 16_000, 12_000, 11_025, 8000,
  7350,
]
const WRITTEN_OUT = 15
const LONG_TYPES = new Set([1, 2, 3, 4, 6, 17, 19, 20])
const SHORT_TYPES = new Set([23, 39])
const REPLICATED = new Set([5, 29])
const ESCAPED = 31

/** Of each frame; null for what has no frames of one length. */
export function aacSeconds(config: Buffer): number | null {
  const bits = [...config.subarray(0, 16)].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  let at = 0
  const read = (count: number) => Number.parseInt(bits.slice(at, (at += count)) || '0', 2)
  const readType = () => {
    const type = read(5)
    return type === ESCAPED ? 32 + read(6) : type
  }
  const readRate = () => {
    const index = read(4)
    return index === WRITTEN_OUT ? read(24) : (AAC_RATES[index] ?? 0)
  }
  const outer = readType()
  const rate = readRate()
  read(4)
  const isReplicated = REPLICATED.has(outer)
  if (isReplicated) readRate()
  const type = isReplicated ? readType() : outer
  const isShorter = read(1) === 1
  if (rate === 0) return null
  if (LONG_TYPES.has(type)) return (isShorter ? 960 : 1024) / rate
  return SHORT_TYPES.has(type) ? (isShorter ? 480 : 512) / rate : null
}
