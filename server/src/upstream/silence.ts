const RATE = 8000
const SAMPLE_BYTES = 2
const HEAD_BYTES = 44
const PCM = 1
const MONO = 1

/** A second of silence as a wav file. Transcribers refuse recordings of less than 0.1 s. */
export function silence(): Buffer {
  const head = Buffer.alloc(HEAD_BYTES)
  const bytes = RATE * SAMPLE_BYTES
  head.write('RIFF', 'latin1')
  head.writeUInt32LE(HEAD_BYTES - 8 + bytes, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(PCM, 20)
  head.writeUInt16LE(MONO, 22)
  head.writeUInt32LE(RATE, 24)
  head.writeUInt32LE(RATE * SAMPLE_BYTES, 28)
  head.writeUInt16LE(SAMPLE_BYTES, 32)
  head.writeUInt16LE(SAMPLE_BYTES * 8, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(bytes, 40)
  return Buffer.concat([head, Buffer.alloc(bytes)])
}
