/*
 * FLAC frames (RFC 9639, 9.1). A frame does not state its size in bytes, so frames are found by
 * their sync code. An 8-bit checksum rejects bytes that only look like a frame.
 */

/** Sync code, sizes, channels, the longest frame number, and explicit block size and rate. */
const HEAD_BYTES_MAX = 16
const CRC_POLYNOMIAL = 0x07
/** Any three bytes may look like a frame, so a file could require millions of checksums. */
const CRC_TABLE = Uint8Array.from({ length: 256 }, (_, byte) => {
  let sum = byte
  for (let bit = 0; bit < 8; bit += 1) {
    sum = (sum & 0x80) === 0 ? sum << 1 : ((sum << 1) ^ CRC_POLYNOMIAL) & 0xff
  }
  return sum
})

/** Samples per channel in all frames. */
export function flacSamples(bytes: Buffer): number {
  let samples = 0
  for (let at = 0; at + 6 <= bytes.length; at += 1) samples += flacFrameSamples(bytes, at)
  return samples
}

/** Samples per channel in one frame; zero if there is no frame at `at`. */
export function flacFrameSamples(bytes: Buffer, at: number): number {
  const begins = bytes[at] === 0xff && ((bytes[at + 1] ?? 0) & 0xfe) === 0xf8
  return begins && at + 6 <= bytes.length ? samplesAt(bytes, at) : 0
}

function samplesAt(bytes: Buffer, at: number): number {
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
  return blockSize(blockBits, bytes, blockAt)
}

function blockSize(bits: number, bytes: Buffer, at: number): number {
  if (bits === 1) return 192
  if (bits <= 5) return 144 * 2 ** bits
  if (bits === 6) return bytes.readUInt8(at) + 1
  return bits === 7 ? bytes.readUInt16BE(at) + 1 : 2 ** bits
}

/** Length of a number coded like UTF-8, with up to seven bytes; zero if invalid. */
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
