import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { audioSeconds } from './audio-length.ts'
import { wav } from './testing/recordings.ts'

/** Chromium recorded 2.3 seconds in fragments, so neither file states a length. */
const recorded = (name: string) => readFileSync(new URL(`__fixtures__/${name}`, import.meta.url))

const joined = (...pieces: Buffer[]) => Buffer.concat(pieces)
const times = (count: number, piece: Buffer) =>
  Buffer.concat(Array.from({ length: count }, () => piece))
const DAMAGE = Buffer.from([0xff, 1, 0xff, 2])
const bytesOf = (size: number, ...first: number[]) => {
  const bytes = Buffer.alloc(size)
  bytes.set(first)
  return bytes
}

/** 128 kbit/s at 44,100 Hz: 1152 samples each. */
const MP3_FRAME = bytesOf(417, 0xff, 0xfb, 0x90, 0x64)
/** 8 kbit/s at 24,000 Hz: 576 samples each. */
const SLOW_MP3_FRAME = bytesOf(24, 0xff, 0xf3, 0x14, 0xc4)
/** 44,100 Hz, 100 bytes, 1024 samples each. */
const AAC_FRAME = bytesOf(100, 0xff, 0xf1, 0x50, 0x80, 0x0c, 0x80, 0xfc)
const ID3_TAG = Buffer.concat([
  Buffer.from('ID3\x04\0\0\0\0\x01\x00', 'latin1'),
  MP3_FRAME.subarray(0, 128),
])

function page(serial: number, position: bigint, packet: Buffer | string, begins = false): Buffer {
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
const OPUS_HEAD = Buffer.from('OpusHead\x01\x01\x38\x01\x80\xbb\0\0\0\0\0', 'latin1')
const ofRate = (head: string, rate: number) => {
  const packet = Buffer.alloc(80)
  packet.write(head, 'latin1')
  packet.writeUInt32LE(rate, head.length)
  return packet
}
const ogg = (head: Buffer, last: bigint) =>
  Buffer.concat([
    page(7, 0n, head, true),
    page(7, last, 'sound'),
    page(7, NO_POSITION, 'and the beginning of more'),
  ])

const STREAM_INFO = Buffer.from('1000100000000000000000000000', 'hex')
/** RFC 9639, D.1: one sample. */
const FLAC_FRAME = Buffer.from('fff869180000bf0358fd03128baa9a', 'hex')
const flac = Buffer.concat([
  Buffer.from('fLaC\x80\0\0\x22', 'latin1'),
  STREAM_INFO,
  Buffer.alloc(20),
  times(100, FLAC_FRAME),
  Buffer.from('fff869180000be0358', 'hex'),
])
/** 50 Hz, one channel of 16 bits, and a stated total of one sample. */
flac.writeUIntBE(50 << 4, 18, 3)
flac.writeUInt8(0xf0, 21)
flac.writeUInt32BE(1, 22)

/** Overstates the bytes per block and per second. */
function lyingWav(format: number) {
  const bytes = wav(1.5)
  bytes.writeUInt16LE(format, 20)
  bytes.writeUInt32LE(0xffff_ffff, 28)
  bytes.writeUInt16LE(0xffff, 32)
  return bytes
}

/** The actual format tag is at the end of the header. */
function longWav(format: number) {
  const plain = wav(1.5)
  const head = Buffer.concat([plain.subarray(0, 36), Buffer.alloc(24)])
  head.writeUInt32LE(40, 16)
  head.writeUInt16LE(0xfffe, 20)
  head.writeUInt16LE(22, 36)
  head.writeUInt16LE(format, 44)
  return Buffer.concat([head, plain.subarray(36)])
}

function box(type: string, ...content: (Buffer | number[])[]): Buffer {
  const body = Buffer.concat(content.map((part) => (Buffer.isBuffer(part) ? part : words(part))))
  return Buffer.concat([words([body.length + 8]), Buffer.from(type), body])
}

function words(values: number[]): Buffer {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [index, value] of values.entries()) bytes.writeUInt32BE(value, index * 4)
  return bytes
}

const TYPE = box('ftyp', Buffer.from('M4A '))
const MDAT_AT = TYPE.length + 8
const moov = (...boxes: Buffer[]) => withSound(Buffer.alloc(99), ...boxes)
const withSound = (sound: Buffer, ...boxes: Buffer[]) =>
  Buffer.concat([TYPE, box('mdat', sound), box('moov', ...boxes)])

/** A stated total of one second. */
const ONE_SECOND = box('mvhd', [0, 0, 0, 1000, 1000])
const LONG_TIMES = box('mvhd', [0x0100_0000, 0, 0, 0, 0, 1000, 0, 2500])
const HANDLER = box('hdlr', [0, 0], Buffer.from('soun'))
const track = (header: Buffer, ...tables: Buffer[]) =>
  box('trak', box('mdia', header, HANDLER, box('minf', box('stbl', ...tables))))
const LONGER = box('mdhd', [0, 0, 0, 8000, 20_000])
const SECOND_LONG = box('mdhd', [0, 0, 0, 8000, 8000])

function described(coding: string, ...more: Buffer[]): Buffer {
  const entry = Buffer.alloc(28)
  entry.writeUInt16BE(44_100, 24)
  return box('stsd', [0, 1], box(coding, entry, ...more))
}

/** Nested descriptors; the last descriptor has the decoder's configuration. */
const mpeg = (kind: number, config: number[]) =>
  described(
    'mp4a',
    box(
      'esds',
      Buffer.from([0, 0, 0, 0, 3, 0x80, 0x80, 25, 0, 1, 0, 4, 17, kind, ...Array(12).fill(0)]),
      Buffer.from([5, config.length, ...config]),
    ),
  )
/** States a second, whatever the tables say. */
const tracked = (coding: Buffer, ...tables: Buffer[]) =>
  moov(ONE_SECOND, track(SECOND_LONG, coding, ...tables))

/** 8000 Hz, 1024 samples each. */
const AAC = mpeg(0x40, [0x15, 0x88])
/** The same, which the decoder doubles to 16,000 Hz. */
const REPLICATED_AAC = mpeg(0x40, [0x2d, 0x8c, 0x08])
/** One frame of 20 ms. */
const OPUS_PACKET = Buffer.from([0x78, 0xff])

test.each<[string, Buffer, number]>([
  ['wav', wav(1.5), 1.5],
  ['wav of unknown size', wav(1.5, { size: 0xffff_ffff }), 1.5],
  ['wav of no size', wav(1.5, { size: 0 }), 1.5],
  ['webm as a browser records it', recorded('chromium.webm'), 2.219],
  ['mp4 as a browser records it', recorded('chromium.mp4'), 2.24],
  ['mp3', times(100, MP3_FRAME), 2.612],
  ['mp3 behind a tag', joined(ID3_TAG, times(100, MP3_FRAME)), 2.612],
  ['mp3 that grows slower', joined(times(2, MP3_FRAME), times(1000, SLOW_MP3_FRAME)), 24.052],
  ['mp3 with damage in it', joined(times(50, MP3_FRAME), DAMAGE, times(50, MP3_FRAME)), 2.612],
  ['aac', times(100, AAC_FRAME), 2.322],
  ['ogg with Opus', ogg(OPUS_HEAD, 96_312n), 2],
  ['ogg with Vorbis', ogg(ofRate('\x01vorbis\0\0\0\0\x01', 16_000), 32_000n), 2],
  ['ogg of two recordings', joined(ogg(OPUS_HEAD, 48_312n), ogg(OPUS_HEAD, 96_312n)), 3],
  ['flac, whatever it says of itself', flac, 2],
  ['wav that says it has more in a block', lyingWav(1), 1.5],
  ['wav of a telephone, whatever it says', lyingWav(7), 3],
  ['wav with the longer head', longWav(1), 1.5],
  ['mp4', moov(box('mvhd', [0, 0, 0, 1000, 2500]), track(SECOND_LONG, AAC)), 2.5],
  ['mp4 with long times', moov(LONG_TIMES, track(SECOND_LONG, AAC)), 2.5],
  ['mp4 whose track is longer than it says', moov(ONE_SECOND, track(LONGER, AAC)), 2.5],
  [
    'mp4 that ends within its last sample',
    tracked(AAC, box('stsz', [0, 0, 8, ...Array<number>(8).fill(9)])),
    1,
  ],
])('%s', (_name, bytes, seconds) => {
  expect(audioSeconds(bytes)).toBeCloseTo(seconds, 2)
})

/** Content is limited to fewer than 2 ** 14 bytes. */
const element = (id: number[], ...content: (Buffer | number[])[]) => {
  const body = Buffer.concat(content.map((part) => Buffer.from(part)))
  return Buffer.concat([Buffer.from([...id, 0x40 | (body.length >> 8), body.length & 0xff]), body])
}
const webm = (codec: string, head: Buffer, ...blocks: Buffer[]) =>
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
    // States one second.
    element([0x1f, 0x43, 0xb6, 0x75], element([0xe7], [0x03, 0xe8]), ...blocks),
  ])
const block = (flags: number, ...content: (Buffer | number[])[]) =>
  element([0xa3], [0x81, 0, 0, flags], ...content)
const opusWebm = (...blocks: Buffer[]) => webm('A_OPUS', OPUS_HEAD, ...blocks)

const packets = (count: number) => times(count, OPUS_PACKET)
const OPUS_IN_CHUNKS = withSound(
  Buffer.concat([packets(100), Buffer.alloc(9), packets(101)]),
  ONE_SECOND,
  track(
    SECOND_LONG,
    described('Opus'),
    box('stsz', [0, 2, 201]),
    box('stsc', [0, 2, 1, 100, 1, 2, 101, 1]),
    box('stco', [0, 2, MDAT_AT, MDAT_AT + 209]),
  ),
)
const FEW_BITS = tracked(AAC, box('stz2', [0, 4, 79], Buffer.alloc(40)))
const oggPackets = (count: number) => Array.from({ length: count }, () => page(7, 0n, OPUS_PACKET))
/** The same sound without any times. */
function timeless(name: string) {
  const bytes = recorded(name)
  for (let at = bytes.indexOf('trun'); at !== -1; at = bytes.indexOf('trun', at + 1)) {
    const count = bytes.readUInt32BE(at + 8)
    for (let sample = 0; sample < count; sample += 1)
      bytes.fill(0, at + 16 + sample * 8, at + 20 + sample * 8)
  }
  for (let at = bytes.indexOf('tfdt'); at !== -1; at = bytes.indexOf('tfdt', at + 1))
    bytes.fill(0, at + 8, at + 16)
  return bytes
}
const UNKNOWN_WEBM = recorded('chromium.webm')
UNKNOWN_WEBM.write('A_XXXX', UNKNOWN_WEBM.indexOf('A_OPUS'))

describe('the length is the playing time, whatever the header says', () => {
  test.each<[string, Buffer, number]>([
    ['mp4 with more samples', tracked(AAC, box('stsz', [0, 1, 79])), 78 * 0.128],
    ['mp4 with samples of few bits', FEW_BITS, 78 * 0.128],
    ['mp4 of twice the rate', tracked(REPLICATED_AAC, box('stsz', [0, 1, 79])), 78 * 0.128],
    ['mp4 with longer samples', tracked(AAC, box('stts', [0, 2, 10, 8000, 5, 1600])), 11],
    [
      'mp4 with mp3',
      withSound(
        times(101, MP3_FRAME),
        ONE_SECOND,
        track(
          SECOND_LONG,
          mpeg(0x6b, []),
          box('stsz', [0, MP3_FRAME.length, 101]),
          box('stsc', [0, 1, 1, 101, 1]),
          box('stco', [0, 1, MDAT_AT]),
        ),
      ),
      2.612,
    ],
    ['mp4 with Opus in chunks', OPUS_IN_CHUNKS, 4],
    ['mp4 of a browser whose pieces last no time', timeless('chromium.mp4'), 2.22],
    [
      'ogg whose pages stand still',
      Buffer.concat([page(7, 0n, OPUS_HEAD, true), page(7, 0n, 'tags'), ...oggPackets(102)]),
      2.02 - 312 / 48_000,
    ],
    ['webm with packets that have no bytes', opusWebm(...Array(9).fill(block(4, [255]))), 1],
    ['webm whose blocks stand still', opusWebm(...Array(101).fill(block(0, OPUS_PACKET))), 2],
    [
      'webm with many packets in blocks, all of a size',
      opusWebm(...Array(10).fill(block(4, [9], packets(10))), block(0, OPUS_PACKET)),
      2,
    ],
    [
      'webm with sized packets in blocks',
      opusWebm(
        ...Array(30).fill(block(2, [2, 2, 2], packets(3))),
        ...Array(10).fill(block(6, [2, 0x82, 0xbf], packets(3))),
        block(0, OPUS_PACKET),
      ),
      2.4,
    ],
    [
      'webm with Vorbis, whose packets are no shorter than this',
      webm(
        'A_VORBIS',
        Buffer.concat([ofRate('\x01vorbis\0\0\0\0\x01', 8000).fill(0xb8, 28, 29)]),
        ...Array(201).fill(block(0, [0])),
      ),
      3.2,
    ],
  ])('%s', (_name, bytes, seconds) => {
    expect(audioSeconds(bytes)).toBeCloseTo(seconds, 2)
  })
})

describe('no length is known for', () => {
  test.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['a text', Buffer.from('no audio at all, ÿÿ neither here')],
    ['a wav of no format', Buffer.from('RIFF\0\0\0\0WAVEdata\x04\0\0\0abcd', 'latin1')],
    ['a flac without frames', flac.subarray(0, 42)],
    ['an ogg of endless pages', times(2 ** 19 + 1, page(7, 0n, ''))],
    ['an ogg of endless recordings', times(1002, ogg(OPUS_HEAD, 48_312n))],
    ['an mp4 of endless boxes', moov(times(2 ** 18, box('free')))],
    [
      'a webm of endless elements',
      Buffer.concat([recorded('chromium.webm'), times(2 ** 20, Buffer.from([0xec, 0x80]))]),
    ],
    ['an ogg of pictures', ogg(Buffer.from('\x80theora'), 1000n)],
    ['a wav of mp3', lyingWav(0x55)],
    ['a wav with the longer head of mp3', longWav(0x55)],
    ['an mp4 of nothing', moov()],
    ['an mp4 without sound', moov(ONE_SECOND)],
    ['an mp4 of unknown sound', tracked(described('Qclp'))],
    [
      'an mp4 of two kinds of sound',
      tracked(box('stsd', [0, 2], AAC.subarray(16), AAC.subarray(16))),
    ],
    [
      'an mp4 of endless samples',
      moov(
        ONE_SECOND,
        ...Array.from({ length: 9 }, () =>
          track(SECOND_LONG, described('Opus'), box('stsz', [0, 1, 2 ** 31])),
        ),
        box('free', Buffer.alloc(2 ** 20)),
      ),
    ],
    ['a webm of unknown sound', UNKNOWN_WEBM],
    ['an mp4 of unknown length', moov(box('mvhd', [0, 0, 0, 1000, 0xffff_ffff]))],
    ['one frame by chance', Buffer.concat([MP3_FRAME, Buffer.from('and then a text')])],
    ['noise like frames', joined(MP3_FRAME, MP3_FRAME, Buffer.alloc(99_999, 0xff))],
  ])('%s', (_name, bytes) => {
    expect(audioSeconds(bytes)).toBeNull()
  })
})

test('never fails, whatever is cut off or changed', () => {
  const originals = [
    recorded('chromium.webm'),
    recorded('chromium.mp4'),
    ogg(OPUS_HEAD, 96_312n),
    flac,
    wav(0.1),
    times(20, MP3_FRAME),
    times(20, AAC_FRAME),
    OPUS_IN_CHUNKS,
    FEW_BITS,
    tracked(mpeg(0x6b, []), box('stsz', [0, 1, 79])),
    opusWebm(block(2, [2, 2, 2], packets(3)), block(4, [9], packets(10)), block(6, [1, 0x82])),
    ogg(ofRate('\x01vorbis\0\0\0\0\x01', 16_000), 32_000n),
  ]
  const change = fc.record({ at: fc.nat(10_000), byte: fc.nat(255) })
  fc.assert(
    fc.property(
      fc.constantFrom(...originals),
      fc.array(change, { maxLength: 30 }),
      fc.nat(10_000),
      (original, changes, length) => {
        const bytes = Buffer.from(original)
        for (const { at, byte } of changes) bytes[at % bytes.length] = byte
        const seconds = audioSeconds(bytes.subarray(0, length))
        expect(seconds === null || (seconds > 0 && Number.isFinite(seconds))).toBe(true)
      },
    ),
    { numRuns: 2000 },
  )
})
