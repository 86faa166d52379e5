const RIFF_HEAD_BYTES = 12
const CHUNK_HEAD_BYTES = 8
const FORMAT_BYTES_LEAST = 16
const [FORMAT, DATA] = ['fmt ', 'data'].map((name) => Buffer.from(name).readUInt32LE())

/**
 * What is written while it is made has no true size: its samples are all that follows. Which one of several formats
 * is meant, and which pieces of sound, decoders do not agree on: it is the slowest, and all of them.
 */
export function wavSeconds(bytes: Buffer): number | null {
  let slowest = Infinity
  let sound = 0
  let at = RIFF_HEAD_BYTES
  while (at + CHUNK_HEAD_BYTES <= bytes.length) {
    const id = bytes.readUInt32LE(at)
    const start = at + CHUNK_HEAD_BYTES
    const told = bytes.readUInt32LE(at + 4)
    const rest = bytes.length - start
    const size = id === DATA && told === 0 ? rest : Math.min(told, rest)
    if (id === FORMAT) slowest = Math.min(slowest, bytesPerSecond(bytes, start, size))
    if (id === DATA) sound += size
    at = start + size + (size % 2)
  }
  return slowest === 0 || slowest === Infinity ? null : sound / slowest
}

/** Whole numbers, fractions, and the two logarithms of telephones, which have eight bits. */
const PLAIN_SAMPLES = [1, 3]
const LOGARITHMS = [6, 7]
/** The longer form of the head, with the format proper at its end. */
const EXTENDED = 0xfffe
const FORMAT_PROPER_AT = 24
const USUAL_BITS = 16
const SAMPLE_BITS_MOST = 64

/**
 * Zero for what is compressed, of which nothing here says how long it plays. What a block of samples has is said
 * beside what it follows from, and decoders go by that, so no more than that is believed.
 */
function bytesPerSecond(bytes: Buffer, at: number, size: number): number {
  if (size < FORMAT_BYTES_LEAST) return 0
  const named = bytes.readUInt16LE(at)
  const isCut = named === EXTENDED && size < FORMAT_PROPER_AT + 2
  const kind = named === EXTENDED && !isCut ? bytes.readUInt16LE(at + FORMAT_PROPER_AT) : named
  const isLogarithm = LOGARITHMS.includes(kind)
  const bits = isLogarithm ? 8 : bytes.readUInt16LE(at + 14) || USUAL_BITS
  if (bits > SAMPLE_BITS_MOST || !(isLogarithm || PLAIN_SAMPLES.includes(kind))) return 0
  const channels = bytes.readUInt16LE(at + 2)
  const told = bytes.readUInt16LE(at + 12)
  return bytes.readUInt32LE(at + 4) * Math.min(told, channels * Math.ceil(bits / 8))
}
