/** A silent wav file; `size` overrides the stated size of its samples. */
export function wav(
  seconds: number,
  { rate = 8000, size }: { rate?: number; size?: number } = {},
): Buffer {
  const head = Buffer.alloc(44)
  const samples = Buffer.alloc(Math.round(seconds * rate) * 2)
  head.write('RIFF\xff\xff\xff\xffWAVEfmt ', 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(rate, 24)
  head.writeUInt32LE(rate * 2, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36)
  head.writeUInt32LE(size ?? samples.length, 40)
  return Buffer.concat([head, samples])
}
