import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { audioSeconds } from './audio-length.ts'
import {
  AAC,
  AAC_FRAME,
  ID3_TAG,
  LONG,
  MDAT_AT,
  MP3_FRAME,
  ONE_SECOND,
  OPUS_HEAD,
  OPUS_OGG,
  OPUS_PACKET,
  REPLICATED_AAC,
  SECOND_LONG,
  SLOW_MP3_FRAME,
  VORBIS_HEAD,
  block,
  box,
  described,
  flac,
  longWav,
  lyingWav,
  moov,
  mpeg,
  ofRate,
  ogg,
  oggPackets,
  opusWebm,
  page,
  times,
  track,
  wav,
  webm,
  withSound,
} from './testing/recordings.ts'

/** Recorded by Chromium for 2.3 seconds, in pieces, so that neither tells a length. */
const recorded = (name: string) => readFileSync(new URL(`__fixtures__/${name}`, import.meta.url))

test.each<[string, Buffer, number]>([
  ['wav', wav(1.5), 1.5],
  ['wav of unknown size', wav(1.5, { size: 0xffff_ffff }), 1.5],
  ['wav of no size', wav(1.5, { size: 0 }), 1.5],
  ['webm as a browser records it', recorded('chromium.webm'), 2.219],
  ['mp4 as a browser records it', recorded('chromium.mp4'), 2.22],
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
  ['ogg with Opus', OPUS_OGG, 2.01],
  ['ogg with Vorbis', ogg(VORBIS_HEAD, oggPackets(250, Buffer.alloc(9))), 2],
  ['ogg of two recordings', Buffer.concat([OPUS_OGG, OPUS_OGG]), 4.02],
  [
    'ogg that begins in the middle of an hour',
    ogg(OPUS_HEAD, oggPackets(100, OPUS_PACKET, 172_800_000n)),
    2,
  ],
  ['flac, whatever it says of itself', flac, 2],
  ['wav that says it has more in a block', lyingWav(1), 1.5],
  ['wav of a telephone, whatever it says', lyingWav(7), 3],
  ['wav with the longer head', longWav(1), 1.5],
  ['mp4', moov(box('mvhd', [0, 0, 0, 1000, 2500]), track(SECOND_LONG, AAC)), 2.5],
  [
    'mp4 with long times',
    moov(box('mvhd', [LONG, 0, 0, 0, 0, 1000, 0, 2500]), track(SECOND_LONG, AAC)),
    2.5,
  ],
  [
    'mp4 whose track is longer than it says',
    moov(box('mvhd', [0, 0, 0, 1000, 1]), track(box('mdhd', [0, 0, 0, 8000, 20_000]), AAC)),
    2.5,
  ],
  [
    'mp4 that ends within its last sample',
    moov(ONE_SECOND, track(SECOND_LONG, AAC, box('stsz', [0, 0, 8, ...Array<number>(8).fill(9)]))),
    1,
  ],
])('%s', (_name, bytes, seconds) => {
  expect(audioSeconds(bytes)).toBeCloseTo(seconds, 2)
})

/** An element of nothing. */
const VOID = Buffer.from([0xec, 0x80])
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
/** The same sound, with no time in it. */
const timeless = (name: string, change: (bytes: Buffer) => void) => {
  const bytes = recorded(name)
  change(bytes)
  return bytes
}

describe('lasts as long as its sound plays, whatever it says', () => {
  test.each<[string, Buffer, number]>([
    [
      'mp4 with more samples',
      moov(ONE_SECOND, track(SECOND_LONG, AAC, box('stsz', [0, 1, 79]))),
      78 * 0.128,
    ],
    [
      'mp4 with samples of few bits',
      moov(ONE_SECOND, track(SECOND_LONG, AAC, box('stz2', [0, 4, 79], Buffer.alloc(40)))),
      78 * 0.128,
    ],
    [
      'mp4 with samples of twice the rate',
      moov(ONE_SECOND, track(SECOND_LONG, REPLICATED_AAC, box('stsz', [0, 1, 79]))),
      78 * 0.128,
    ],
    [
      'mp4 with longer samples',
      moov(ONE_SECOND, track(SECOND_LONG, AAC, box('stts', [0, 2, 10, 8000, 5, 1600]))),
      11,
    ],
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
    [
      'mp4 of a browser whose pieces last no time',
      timeless('chromium.mp4', (bytes) => {
        for (let at = bytes.indexOf('trun'); at !== -1; at = bytes.indexOf('trun', at + 1)) {
          const count = bytes.readUInt32BE(at + 8)
          for (let sample = 0; sample < count; sample += 1)
            bytes.fill(0, at + 16 + sample * 8, at + 20 + sample * 8)
        }
        for (let at = bytes.indexOf('tfdt'); at !== -1; at = bytes.indexOf('tfdt', at + 1))
          bytes.fill(0, at + 8, at + 16)
      }),
      2.22,
    ],
    [
      'ogg whose pages stand still',
      ogg(OPUS_HEAD, page(7, 0n, 'OpusTags'), oggPackets(100, OPUS_PACKET, 0n)),
      2,
    ],
    [
      'webm with packets that have no bytes',
      opusWebm(...Array(9).fill(block(4, [255])), ...Array(51).fill(block(0, OPUS_PACKET))),
      1,
    ],
    ['webm whose blocks stand still', opusWebm(...Array(101).fill(block(0, OPUS_PACKET))), 2],
    [
      'webm with many packets in blocks, all of a size',
      opusWebm(...Array(10).fill(block(4, [9], packets(10))), block(0, OPUS_PACKET)),
      2,
    ],
    [
      'webm with packets of told sizes in blocks',
      opusWebm(
        ...Array(30).fill(block(2, [2, 2, 2], packets(3))),
        ...Array(10).fill(block(6, [2, 0x82, 0xbf], packets(3))),
        block(0, OPUS_PACKET),
      ),
      2.4,
    ],
    [
      'webm with Vorbis, whose packets are no longer than this',
      webm(
        'A_VORBIS',
        ofRate('\x01vorbis\0\0\0\0\x01', 8000).fill(0xb8, 28, 29),
        ...Array(26).fill(block(0, [0])),
      ),
      26 * 0.128 - 0.128,
    ],
  ])('%s', (_name, bytes, seconds) => {
    expect(audioSeconds(bytes)).toBeCloseTo(seconds, 2)
  })
})

describe('has no length', () => {
  test.each<[string, Buffer]>([
    ['nothing', Buffer.alloc(0)],
    ['a text', Buffer.from('no audio at all, ÿÿ neither here')],
    ['a wav of no format', Buffer.from('RIFF\0\0\0\0WAVEdata\x04\0\0\0abcd', 'latin1')],
    ['a flac without frames', flac.subarray(0, 42)],
    ['an ogg of pictures', ogg(Buffer.from('\x80theora\0'), page(7, 1000n, 'x'))],
    ['a wav of mp3', lyingWav(0x55)],
    ['a wav with the longer head of mp3', longWav(0x55)],
    ['an mp4 of nothing', moov()],
    ['an mp4 without sound', moov(ONE_SECOND)],
    ['an mp4 of unknown sound', moov(ONE_SECOND, track(SECOND_LONG, described('Qclp')))],
    [
      'an mp4 of two kinds of sound',
      moov(ONE_SECOND, track(SECOND_LONG, box('stsd', [0, 2], AAC.subarray(16), AAC.subarray(16)))),
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
    [
      'a webm of unknown sound',
      timeless('chromium.webm', (bytes) => void bytes.write('A_XXXX', bytes.indexOf('A_OPUS'))),
    ],
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

test.each<[string, Buffer]>([
  ['an ogg of endless pages', times(2 ** 19 + 1, page(7, 0n, OPUS_HEAD.subarray(0, 19)))],
  ['an ogg of endless recordings', times(1002, OPUS_OGG)],
  ['an mp4 of endless boxes', moov(times(2 ** 18, box('free')))],
  ['a webm of endless elements', Buffer.concat([recorded('chromium.webm'), times(2 ** 20, VOID)])],
])('%s is more than anybody records', (_name, bytes) => {
  expect(audioSeconds(bytes)).toBe(Infinity)
})

test('never fails, whatever is cut off or changed', () => {
  const originals = [
    recorded('chromium.webm'),
    recorded('chromium.mp4'),
    OPUS_OGG,
    flac,
    wav(0.1),
    times(20, MP3_FRAME),
    times(20, AAC_FRAME),
    OPUS_IN_CHUNKS,
    moov(ONE_SECOND, track(SECOND_LONG, AAC, box('stz2', [0, 4, 79], Buffer.alloc(40)))),
    moov(ONE_SECOND, track(SECOND_LONG, mpeg(0x6b, []), box('stsz', [0, 1, 79]))),
    opusWebm(block(2, [2, 2, 2], packets(3)), block(4, [9], packets(10)), block(6, [1, 0x82])),
    ogg(VORBIS_HEAD, oggPackets(9, Buffer.alloc(9))),
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
