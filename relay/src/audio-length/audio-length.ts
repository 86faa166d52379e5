import { boxedSeconds } from './boxes.ts'
import { flacSamples } from './flac-frames.ts'
import { framedSeconds } from './frames.ts'
import { oggSeconds } from './ogg.ts'
import { webmSeconds } from './webm.ts'

/*
 * Length of a recording, read from its bytes: wav, flac, ogg (Opus, Vorbis, Speex, FLAC), mp3, aac,
 * mp4 and webm. The files are untrusted, so every reader is a single pass without recursion. A
 * stated length is used only if the sound plays no longer than that, because decoders play the
 * sound. The common library was not used: it walks a file in promises that cannot be interrupted,
 * has looped forever on some files, and cannot tell the length of browser recordings.
 */

/** Null if the format is unknown or the length cannot be determined. */
export function audioSeconds(bytes: Buffer): number | null {
  const seconds = readerFor(bytes)(bytes)
  return seconds !== null && Number.isFinite(seconds) && seconds > 0 ? seconds : null
}

function readerFor(bytes: Buffer): (bytes: Buffer) => number | null {
  const magic = bytes.toString('latin1', 0, 4)
  if (magic === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE') return wavSeconds
  if (magic === 'fLaC') return flacSeconds
  if (magic === 'OggS') return oggSeconds
  if (magic === '\x1aE\xdf\xa3') return webmSeconds
  if (bytes.toString('latin1', 4, 8) === 'ftyp') return boxedSeconds
  return framedSeconds
}

const RIFF_HEAD_BYTES = 12
const CHUNK_HEAD_BYTES = 8

/** A file written while recording states no valid size; its samples are the rest of the file. */
function wavSeconds(bytes: Buffer): number | null {
  let bytesPerSecond = 0
  let at = RIFF_HEAD_BYTES
  while (at + CHUNK_HEAD_BYTES <= bytes.length) {
    const id = bytes.toString('latin1', at, at + 4)
    const start = at + CHUNK_HEAD_BYTES
    const size = Math.min(bytes.readUInt32LE(at + 4), bytes.length - start)
    if (id === 'fmt ' && size >= 16) bytesPerSecond = wavRate(bytes.subarray(start, start + size))
    if (id === 'data') {
      const length = size === 0 ? bytes.length - start : size
      return bytesPerSecond === 0 ? null : length / bytesPerSecond
    }
    at = start + size + (size % 2)
  }
  return null
}

/** Format tags: integer and float PCM, and the two 8-bit logarithmic telephone codecs. */
const PLAIN_SAMPLES = [1, 3]
const LOGARITHMS = [6, 7]
/** The extensible header, which has the actual format tag at its end. */
const EXTENDED = 0xfffe
const FORMAT_PROPER_AT = 24
const DEFAULT_BITS = 16
const SAMPLE_BITS_MAX = 64

/**
 * Bytes per second; zero for compressed formats, whose duration is unknown here. The stated block
 * size counts only up to the size that channels and bits imply, because decoders use the latter.
 */
function wavRate(format: Buffer): number {
  const named = format.readUInt16LE(0)
  const isCut = named === EXTENDED && format.length < FORMAT_PROPER_AT + 2
  const kind = named === EXTENDED && !isCut ? format.readUInt16LE(FORMAT_PROPER_AT) : named
  const isLogarithm = LOGARITHMS.includes(kind)
  const bits = isLogarithm ? 8 : format.readUInt16LE(14) || DEFAULT_BITS
  if (bits > SAMPLE_BITS_MAX || !(isLogarithm || PLAIN_SAMPLES.includes(kind))) return 0
  const [channels, rate, blockAlign] = [
    format.readUInt16LE(2),
    format.readUInt32LE(4),
    format.readUInt16LE(12),
  ]
  return rate * Math.min(blockAlign, channels * Math.ceil(bits / 8))
}

const STREAM_INFO_AT = 8

/**
 * Null for an invalid header. The sample count in the header is not used, because decoders do not
 * check it.
 */
function flacSeconds(bytes: Buffer): number | null {
  if (bytes.length < STREAM_INFO_AT + 18) return null
  const rate = bytes.readUIntBE(STREAM_INFO_AT + 10, 3) >> 4
  return rate === 0 ? null : flacSamples(bytes) / rate
}
