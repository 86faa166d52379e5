import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { audioSeconds } from './audio-length.ts'
import { wav } from './testing/recordings.ts'

/** Recorded by Chromium for 2.3 seconds, in pieces, so that neither tells a length. */
const recorded = (name: string) => readFileSync(new URL(`__fixtures__/${name}`, import.meta.url))

const times = (count: number, piece: Buffer) =>
  Buffer.concat(Array.from({ length: count }, () => piece))
const bytesOf = (size: number, ...first: number[]) => {
  const bytes = Buffer.alloc(size)
  bytes.set(first)
  return bytes
}

/** 128 kbit/s at 44,100: 1152 samples each. */
const MP3_FRAME = bytesOf(417, 0xff, 0xfb, 0x90, 0x64)
/** 8 kbit/s at 24,000: 576 samples each. */
const SLOW_MP3_FRAME = bytesOf(24, 0xff, 0xf3, 0x14, 0xc4)
/** 44,100 a second, 100 bytes, 1024 samples each. */
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
/** 50 a second, one channel of 16 bits, and as it says one sample. */
flac.writeUIntBE(50 << 4, 18, 3)
flac.writeUInt8(0xf0, 21)
flac.writeUInt32BE(1, 22)

/** With what it says of a block of samples, and of a second. */
function lyingWav(format: number) {
  const bytes = wav(1.5)
  bytes.writeUInt16LE(format, 20)
  bytes.writeUInt32LE(0xffff_ffff, 28)
  bytes.writeUInt16LE(0xffff, 32)
  return bytes
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
const LONG = 0x0100_0000
const moov = (...boxes: Buffer[]) =>
  Buffer.concat([TYPE, box('mdat', Buffer.alloc(99)), box('moov', ...boxes)])

test.each<[string, Buffer, number]>([
  ['wav', wav(1.5), 1.5],
  ['wav of unknown size', wav(1.5, { size: 0xffff_ffff }), 1.5],
  ['wav of no size', wav(1.5, { size: 0 }), 1.5],
  ['webm as a browser records it', recorded('chromium.webm'), 2.219],
  ['mp4 as a browser records it', recorded('chromium.mp4'), 2.24],
  ['mp3', times(100, MP3_FRAME), 2.612],
  ['mp3 behind a tag', Buffer.concat([ID3_TAG, times(100, MP3_FRAME)]), 2.612],
  [
    'mp3 that grows slower behind its beginning',
    Buffer.concat([times(2, MP3_FRAME), times(1000, SLOW_MP3_FRAME)]),
    24.052,
  ],
  [
    'mp3 with damage in it',
    Buffer.concat([times(50, MP3_FRAME), Buffer.from([0xff, 1, 0xff, 2]), times(50, MP3_FRAME)]),
    2.612,
  ],
  ['aac', times(100, AAC_FRAME), 2.322],
  ['ogg with Opus', ogg(OPUS_HEAD, 96_312n), 2],
  ['ogg with Vorbis', ogg(ofRate('\x01vorbis\0\0\0\0\x01', 16_000), 32_000n), 2],
  ['ogg of two recordings', Buffer.concat([ogg(OPUS_HEAD, 48_312n), ogg(OPUS_HEAD, 96_312n)]), 3],
  ['flac, whatever it says of itself', flac, 2],
  ['wav that says it has more in a block', lyingWav(1), 1.5],
  ['wav that says it has more in a second', lyingWav(7), 1.5],
  ['mp4', moov(box('mvhd', [0, 0, 0, 1000, 2500])), 2.5],
  ['mp4 with long times', moov(box('mvhd', [LONG, 0, 0, 0, 0, 1000, 0, 2500])), 2.5],
  [
    'mp4 whose track is longer than it says',
    moov(
      box('mvhd', [0, 0, 0, 1000, 1]),
      box('trak', box('mdia', box('mdhd', [0, 0, 0, 8000, 20_000]))),
    ),
    2.5,
  ],
])('%s', (_name, bytes, seconds) => {
  expect(audioSeconds(bytes)).toBeCloseTo(seconds, 2)
})

describe('has no length', () => {
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
    ['an mp4 of nothing', moov()],
    ['an mp4 of unknown length', moov(box('mvhd', [0, 0, 0, 1000, 0xffff_ffff]))],
    ['one frame by chance', Buffer.concat([MP3_FRAME, Buffer.from('and then a text')])],
    [
      'noise that looks like frames',
      Buffer.concat([MP3_FRAME, MP3_FRAME, Buffer.alloc(99_999, 0xff)]),
    ],
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
