/** A wav file of silence; `size` is what it tells of its samples, in place of the truth. */
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

export const times = (count: number, piece: Buffer) =>
  Buffer.concat(Array.from({ length: count }, () => piece))
export const bytesOf = (size: number, ...first: number[]) => {
  const bytes = Buffer.alloc(size)
  bytes.set(first)
  return bytes
}

/** 128 kbit/s at 44,100: 1152 samples each. */
export const MP3_FRAME = bytesOf(417, 0xff, 0xfb, 0x90, 0x64)
/** 8 kbit/s at 24,000: 576 samples each. */
export const SLOW_MP3_FRAME = bytesOf(24, 0xff, 0xf3, 0x14, 0xc4)
/** 44,100 a second, 100 bytes, 1024 samples each. */
export const AAC_FRAME = bytesOf(100, 0xff, 0xf1, 0x50, 0x80, 0x0c, 0x80, 0xfc)
export const ID3_TAG = Buffer.concat([
  Buffer.from('ID3\x04\0\0\0\0\x01\x00', 'latin1'),
  MP3_FRAME.subarray(0, 128),
])

/** Of one frame, 20 ms. */
export const OPUS_PACKET = Buffer.from([0x78, 0xff])

export function page(
  serial: number,
  position: bigint,
  packet: Buffer | string,
  begins = false,
): Buffer {
  const body = Buffer.from(packet)
  const head = Buffer.alloc(28)
  head.write('OggS')
  head[5] = begins ? 2 : 0
  head.writeBigUInt64LE(position, 6)
  head.writeUInt32LE(serial, 14)
  head[26] = 1
  head[27] = body.length
  return Buffer.concat([head, body])
}

const NO_POSITION = 2n ** 64n - 1n
export const OPUS_HEAD = Buffer.from('OpusHead\x01\x01\x38\x01\x80\xbb\0\0\0\0\0', 'latin1')
export const ofRate = (head: string, rate: number) => {
  const packet = Buffer.alloc(80)
  packet.write(head, 'latin1')
  packet.writeUInt32LE(rate, head.length)
  return packet
}
export const oggPackets = (count: number, packet: Buffer, position = NO_POSITION) =>
  times(count, page(7, position, packet))
export const ogg = (head: Buffer, ...pages: Buffer[]) =>
  Buffer.concat([page(7, 0n, head, true), ...pages])
/** Two seconds, and half of a packet that is filled up. */
export const OPUS_OGG = ogg(
  OPUS_HEAD,
  page(7, 0n, 'OpusTags'),
  oggPackets(100, OPUS_PACKET),
  oggPackets(1, OPUS_PACKET, 96_792n),
)
/** Of 256 samples in each block, 16,000 a second. */
export const VORBIS_HEAD = ofRate('\x01vorbis\0\0\0\0\x01', 16_000).fill(0x88, 28, 29)

const STREAM_INFO = Buffer.from('1000100000000000000000000000', 'hex')
/** RFC 9639, D.1: one sample. */
const FLAC_FRAME = Buffer.from('fff869180000bf0358fd03128baa9a', 'hex')
export const flac = Buffer.concat([
  Buffer.from('fLaC\x80\0\0\x22', 'latin1'),
  STREAM_INFO,
  Buffer.alloc(20),
  times(100, FLAC_FRAME),
  Buffer.from('fff869180000be0358', 'hex'),
])
/** 50 a second, one channel of 16 bits, and as it says one sample. */
flac.writeUIntBE(50 << 4, 18, 3)
flac.writeUInt8(0xf0, 21)
flac.writeUInt32BE(1, 22)

/** With what it says of a block of samples, and of a second. */
export function lyingWav(format: number) {
  const bytes = wav(1.5)
  bytes.writeUInt16LE(format, 20)
  bytes.writeUInt32LE(0xffff_ffff, 28)
  bytes.writeUInt16LE(0xffff, 32)
  return bytes
}

/** With the format proper at the end of its head. */
export function longWav(format: number) {
  const plain = wav(1.5)
  const head = Buffer.concat([plain.subarray(0, 36), Buffer.alloc(24)])
  head.writeUInt32LE(40, 16)
  head.writeUInt16LE(0xfffe, 20)
  head.writeUInt16LE(22, 36)
  head.writeUInt16LE(format, 44)
  return Buffer.concat([head, plain.subarray(36)])
}

export function box(type: string, ...content: (Buffer | number[])[]): Buffer {
  const body = Buffer.concat(content.map((part) => (Buffer.isBuffer(part) ? part : words(part))))
  return Buffer.concat([words([body.length + 8]), Buffer.from(type), body])
}

export function words(values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

export const TYPE = box('ftyp', Buffer.from('M4A '))
export const LONG = 0x0100_0000
export const MDAT_AT = TYPE.length + 8
export const moov = (...boxes: Buffer[]) => withSound(Buffer.alloc(99), ...boxes)
export const withSound = (sound: Buffer, ...boxes: Buffer[]) =>
  Buffer.concat([TYPE, box('mdat', sound), box('moov', ...boxes)])

/** One second of everything that is said of the whole. */
export const ONE_SECOND = box('mvhd', [0, 0, 0, 1000, 1000])
const HANDLER = box('hdlr', [0, 0], Buffer.from('soun'))
export const track = (header: Buffer, ...tables: Buffer[]) =>
  box('trak', box('mdia', header, HANDLER, box('minf', box('stbl', ...tables))))
export const SECOND_LONG = box('mdhd', [0, 0, 0, 8000, 8000])

export function described(coding: string, ...more: Buffer[]): Buffer {
  const entry = Buffer.alloc(28)
  entry.writeUInt16BE(44_100, 24)
  return box('stsd', [0, 1], box(coding, entry, ...more))
}

/** Descriptors one in the other, the last of them with what the decoder has to know. */
export const mpeg = (kind: number, config: number[]) =>
  described(
    'mp4a',
    box(
      'esds',
      Buffer.from([0, 0, 0, 0, 3, 0x80, 0x80, 25, 0, 1, 0, 4, 17, kind, ...Buffer.alloc(12)]),
      Buffer.from([5, config.length, ...config]),
    ),
  )
/** At 8000 a second, each sample with 1024. */
export const AAC = mpeg(0x40, [0x15, 0x88])
/** The same, of which the decoder makes 16,000. */
export const REPLICATED_AAC = mpeg(0x40, [0x2d, 0x8c, 0x08])

/** Each of fewer than 2 ** 14 bytes. */
export const element = (id: number[], ...content: (Buffer | number[])[]) => {
  const body = Buffer.concat(content.map((part) => Buffer.from(part)))
  return Buffer.concat([Buffer.from([...id, 0x40 | (body.length >> 8), body.length & 0xff]), body])
}
export const webm = (codec: string, head: Buffer, ...blocks: Buffer[]) =>
  Buffer.concat([
    element([0x1a, 0x45, 0xdf, 0xa3]),
    element(
      [0x16, 0x54, 0xae, 0x6b],
      element(
        [0xae],
        element([0xd7], [1]),
        element([0x83], [2]),
        element([0x86], Buffer.from(codec)),
        element([0x63, 0xa2], head),
      ),
    ),
    // One second, as it says.
    element([0x1f, 0x43, 0xb6, 0x75], element([0xe7], [0x03, 0xe8]), ...blocks),
  ])
export const block = (flags: number, ...content: (Buffer | number[])[]) =>
  element([0xa3], [0x81, 0, 0, flags], ...content)
export const opusWebm = (...blocks: Buffer[]) => webm('A_OPUS', OPUS_HEAD, ...blocks)
