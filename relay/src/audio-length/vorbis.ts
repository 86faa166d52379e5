const HEAD = '\x01vorbis'
const HEAD_BYTES = 30

/** Minimum seconds in a Vorbis packet: half of a short block (Vorbis I, 4.2.2 and 4.3.8). */
export function minVorbisSeconds(bytes: Buffer): number | null {
  const at = bytes.indexOf(HEAD, 0, 'latin1')
  if (at === -1 || at + HEAD_BYTES > bytes.length) return null
  const rate = bytes.readUInt32LE(at + 12)
  return rate === 0 ? null : 2 ** (bytes.readUInt8(at + 28) & 15) / 2 / rate
}
