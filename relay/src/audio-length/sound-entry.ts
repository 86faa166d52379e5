import { flacFrameSamples } from './flac-frames.ts'
import { AAC_RATES, mpegFrameSeconds } from './frames.ts'
import { opusSeconds } from './opus-packets.ts'

/** Seconds per sample of a track; for some codecs each sample states its own in its first bytes. */
export type SampleSeconds = number | ((bytes: Buffer, at: number) => number)

/** Offset in an audio sample entry (ISO 14496-12, 12.2.3). */
const RATE_AT = 32
const ENTRY_BYTES = 36
/** Uncompressed or 8-bit logarithmic: a sample is one value per channel. */
const PLAIN = new Set(['sowt', 'twos', 'in24', 'ipcm', 'ulaw', 'alaw'])
/** Samples per Apple Lossless frame, the same in every encoder. */
const ALAC_FRAME = 4096

/** The duration decoders use; null for an unknown codec. */
export function sampleSeconds(entry: Buffer): SampleSeconds | null {
  if (entry.length < ENTRY_BYTES) return null
  const coding = entry.toString('latin1', 4, 8)
  const rate = entry.readUInt16BE(RATE_AT)
  if (coding === 'Opus') return opusSeconds
  if (coding === 'mp4a') return mpegSeconds(entry)
  if (rate === 0) return null
  if (coding === 'fLaC') return (bytes, at) => flacFrameSamples(bytes, at) / rate
  if (coding === 'alac') return ALAC_FRAME / rate
  return PLAIN.has(coding) ? 1 / rate : null
}

/**
 * ISO 14496-1, 7.2.6: nested descriptors, each with a tag, a size in groups of seven bits, and
 * content.
 */
const STREAM_TAG = 3
const DECODER_TAG = 4
const CONFIG_TAG = 5
const STREAM_BYTES = 3
const STREAM_FLAGS = 0xe0
const DECODER_BYTES = 13
const MP3 = new Set([0x69, 0x6b])

function mpegSeconds(entry: Buffer): SampleSeconds | null {
  const name = entry.indexOf('esds', ENTRY_BYTES, 'latin1')
  let kind = 0
  let at = name + 8
  while (name !== -1 && at + 2 <= entry.length) {
    const tag = entry[at]
    let size = 0
    let byte: number
    do {
      at += 1
      byte = entry[at] ?? 0
      size = size * 128 + (byte & 0x7f)
    } while ((byte & 0x80) !== 0)
    at += 1
    if (tag === CONFIG_TAG) return aacSeconds(entry.subarray(at, at + size))
    if (tag === DECODER_TAG) kind = entry[at] ?? 0
    if (MP3.has(kind)) return mpegFrameSeconds
    // No encoder writes the optional stream fields before the decoder.
    if (tag === STREAM_TAG && ((entry[at + 2] ?? 0) & STREAM_FLAGS) !== 0) return null
    at += tag === STREAM_TAG ? STREAM_BYTES : tag === DECODER_TAG ? DECODER_BYTES : size
  }
  return null
}

const WRITTEN_OUT = 15
const LONG_TYPES = new Set([1, 2, 3, 4, 6, 17, 19, 20])
const SHORT_TYPES = new Set([23, 39])
const REPLICATED = new Set([5, 29])
const ESCAPED = 31

/** ISO 14496-3, 1.6.2.1. The rate is that of the core; spectral band replication doubles it. */
function aacSeconds(config: Buffer): number | null {
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
