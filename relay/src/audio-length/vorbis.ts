const HEAD = '\x01vorbis'
const HEAD_BYTES = 30

/**
 * How long a packet of Vorbis plays at most: half of a long block (Vorbis I, 4.2.2 and 4.3.8). Which packets are short
 * ones only the whole of the code books tells. Null where there is not one head.
 */
export function vorbisSecondsMost(bytes: Buffer): number | null {
  const at = bytes.indexOf(HEAD, 0, 'latin1')
  if (at === -1 || at + HEAD_BYTES > bytes.length) return null
  if (bytes.includes(HEAD, at + 1, 'latin1')) return null
  const rate = bytes.readUInt32LE(at + 12)
  return rate === 0 ? null : 2 ** (bytes.readUInt8(at + 28) >> 4) / 2 / rate
}

/** Packets of sound begin with a bit that is not set, those before them with one that is. */
export const isVorbisSound = (bytes: Buffer, at: number): boolean => ((bytes[at] ?? 1) & 1) === 0
