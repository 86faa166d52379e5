const PACKET_SECONDS_MAX = 0.12
/** Seconds per frame, by the lowest bits of a configuration (RFC 6716, table 2). */
const SILK_FRAMES = [0.01, 0.02, 0.04, 0.06]
const HYBRID_FRAMES = [0.01, 0.02]
const CELT_FRAMES = [0.0025, 0.005, 0.01, 0.02]

/** Seconds in an Opus packet, from its first two bytes (RFC 6716, 3.1); zero if invalid. */
export function opusSeconds(bytes: Buffer, at: number): number {
  const first = bytes[at]
  if (first === undefined) return 0
  const configuration = first >> 3
  const seconds = frameSeconds(configuration) * frameCount(first & 3, bytes[at + 1] ?? 0)
  return seconds <= PACKET_SECONDS_MAX ? seconds : 0
}

function frameSeconds(configuration: number): number {
  if (configuration < 12) return SILK_FRAMES[configuration & 3] ?? 0
  if (configuration < 16) return HYBRID_FRAMES[configuration & 1] ?? 0
  return CELT_FRAMES[configuration & 3] ?? 0
}

function frameCount(code: number, second: number): number {
  if (code === 3) return second & 0x3f
  return code === 0 ? 1 : 2
}

const HEAD = '\x01vorbis'
const HEAD_BYTES = 30

/** Minimum seconds in a Vorbis packet: half of a short block (Vorbis I, 4.2.2 and 4.3.8). */
export function minVorbisSeconds(bytes: Buffer): number | null {
  const at = bytes.indexOf(HEAD, 0, 'latin1')
  if (at === -1 || at + HEAD_BYTES > bytes.length) return null
  const rate = bytes.readUInt32LE(at + 12)
  return rate === 0 ? null : 2 ** (bytes.readUInt8(at + 28) & 15) / 2 / rate
}
