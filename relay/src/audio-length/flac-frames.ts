/*
 * Frames of FLAC (RFC 9639, 9.1). None tells how many bytes it has, so each is found by how it begins; a check
 * sum of eight bits keeps apart what only looks like one.
 */

/** Sync code, sizes, channels, the longest number, size and rate where they are written out. */
const HEAD_BYTES_MAX = 16
const CRC_POLYNOMIAL = 0x07
/** Of each byte: any three may look like a frame, so that a file could have millions of sums to be made. */
const CRC_TABLE = Uint8Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit += 1) {
    sum = (sum & 0x80) === 0 ? sum << 1 : ((sum << 1) ^ CRC_POLYNOMIAL) & 0xff
  }
  return sum
})

const RATE_AT = 10
const INFO_BYTES = 18
const HEAD_INFO_AT = 8

/** Of a file with its own head. How many samples there are is said at the beginning too, which nobody checks. */
export const flacSeconds = (bytes: Buffer): number =>
  flacFramesSeconds(bytes, flacRate(bytes, HEAD_INFO_AT))

/** Samples a second, of what a stream says first (RFC 9639, 8.2); zero where it does not. */
export const flacRate = (bytes: Buffer, at: number): number =>
  at + INFO_BYTES > bytes.length ? 0 : bytes.readUIntBE(at + RATE_AT, 3) >> 4

/** Of all frames that begin in a piece; `rate` is that of those which do not say. */
export function flacFramesSeconds(
  bytes: Buffer,
  rate: number,
  { from = 0, to = bytes.length }: { from?: number; to?: number } = {},
): number {
  let seconds = 0
  for (let at = from; at < to; at += 1) seconds += flacFrameSeconds(bytes, at, rate)
  return seconds
}

/** Of one frame; zero for what is none. Decoders go by the frame, which may contradict its stream. */
export function flacFrameSeconds(bytes: Buffer, at: number, rate: number): number {
  const begins = bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xfe) === 0xf8
  return begins && at + 6 <= bytes.length ? secondsAt(bytes, at, rate) : 0
}

function secondsAt(bytes: Buffer, at: number, rate: number): number {
  const sizes = bytes[at + 2] ?? 0
  const blockBits = sizes >> 4
  const rateBits = sizes & 15
  const numberBytes = codedLength(bytes[at + 4] ?? 0)
  if (blockBits === 0 || rateBits === 15 || numberBytes === 0) return 0
  const blockAt = at + 4 + numberBytes
  const rateAt = blockAt + (blockBits === 6 ? 1 : blockBits === 7 ? 2 : 0)
  const sumAt = rateAt + (rateBits === 12 ? 1 : rateBits === 13 || rateBits === 14 ? 2 : 0)
  if (sumAt - at >= HEAD_BYTES_MAX || sumAt >= bytes.length) return 0
  if (checkSum(bytes, at, sumAt) !== bytes[sumAt]) return 0
  const slower = Math.min(rate || Infinity, frameRate(rateBits, bytes, rateAt) || Infinity)
  return blockSize(blockBits, bytes, blockAt) / slower
}

const RATES = [
  0, 88_200, 176_400, 192_000, 8000, 16_000, 22_050, 24_000, 32_000, 44_100, 48_000, 96_000,
]

/** Zero for that of the stream. */
function frameRate(bits: number, bytes: Buffer, at: number): number {
  if (bits === 12) return bytes.readUInt8(at) * 1000
  if (bits === 13) return bytes.readUInt16BE(at)
  return bits === 14 ? bytes.readUInt16BE(at) * 10 : (RATES[bits] ?? 0)
}

function blockSize(bits: number, bytes: Buffer, at: number): number {
  if (bits === 1) return 192
  if (bits <= 5) return 144 * 2 ** bits
  if (bits === 6) return bytes.readUInt8(at) + 1
  return bits === 7 ? bytes.readUInt16BE(at) + 1 : 2 ** bits
}

/** Of a number that is written as UTF-8 writes characters, with up to seven bytes; zero for none. */
function codedLength(first: number): number {
  if (first < 0x80) return 1
  const ones = Math.clz32(~(first << 24))
  return ones >= 2 && ones <= 7 ? ones : 0
}

function checkSum(bytes: Buffer, from: number, to: number): number {
  let sum = 0
  for (let at = from; at < to; at += 1) sum = CRC_TABLE[sum ^ (bytes[at] ?? 0)] ?? 0
  return sum
}
