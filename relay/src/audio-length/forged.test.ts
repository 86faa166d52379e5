import { describe, expect, test } from 'vitest'
import { audioSeconds } from './audio-length.ts'
import {
  AAC,
  AAC_FRAME,
  block,
  box,
  bytesOf,
  described,
  element,
  flac,
  ID3_TAG,
  MDAT_AT,
  moov,
  MP3_FRAME,
  mpeg,
  ogg,
  oggPackets,
  ONE_SECOND,
  OPUS_HEAD,
  OPUS_OGG,
  OPUS_PACKET,
  opusWebm,
  page,
  SECOND_LONG,
  SLOW_MP3_FRAME,
  times,
  track,
  TYPE,
  VORBIS_HEAD,
  wav,
  withSound,
  words,
} from './testing/recordings.ts'

/** Of 7.68 seconds, each 24 ms and 24 bytes. */
const SLOW_MP3 = times(320, SLOW_MP3_FRAME)
/** Of 8191 bytes and 10 ms, of which it has only its head. */
const WIDE_AAC_HEAD = Buffer.from([0xff, 0xf1, 0x40, 0x83, 0xff, 0xe0, 0xfc])
/** Of 1728 bytes and 36 ms, of which it has only its head. */
const WIDE_MP2_HEAD = Buffer.from([0xff, 0xfd, 0xe8, 0, 0, 0, 0])

function wavChunks(...chunks: [string, Buffer][]): Buffer {
  const pieces = chunks.map(([name, content]) => {
    const head = Buffer.alloc(8)
    head.write(name)
    head.writeUInt32LE(content.length, 4)
    return Buffer.concat([head, content])
  })
  return Buffer.concat([Buffer.from('RIFF\xff\xff\xff\xffWAVE', 'latin1'), ...pieces])
}
const FORMAT = wav(0).subarray(20, 36)
const FAST_FORMAT = wav(0, { rate: 192_000 }).subarray(20, 36)

const FLAC_HEAD_BYTES = 42
/** Of one sample, at 8000 a second, in place of what its stream says. */
const SLOW_FLAC_FRAME = Buffer.from('fff864180000', 'hex')
const withSum = (head: Buffer) => {
  for (let sum = 0; sum < 256; sum += 1) {
    const frame = Buffer.concat([head, Buffer.from([sum])])
    if (audioSeconds(Buffer.concat([flac.subarray(0, FLAC_HEAD_BYTES), frame]))) return frame
  }
  throw new Error('no sum is right')
}
const fastFlac = Buffer.from(flac.subarray(0, FLAC_HEAD_BYTES))
fastFlac.writeUIntBE(655_350 << 4, 18, 3)

/** A packet of 120 ms. */
const LONG_PACKET = Buffer.from([0x1b, 2])
const hour = (hidden: Buffer) => {
  const head = page(7, 0n, '')
  head[27] = 255
  return Buffer.concat([head, hidden])
}
const doubled = (name: string, ...tables: Buffer[]) =>
  moov(track(SECOND_LONG, AAC, box('stsz', [0, 1, 79]), ...tables, box(name, [0, 1, 2])))
const twice = (entry: Buffer) => moov(track(SECOND_LONG, entry, box('stsz', [0, 1, 79])))
const entryOf = (description: Buffer) => description.subarray(16)

describe('counts what it hides', () => {
  test.each<[string, Buffer, number]>([
    [
      'mp3 between heads of AAC that claim it',
      Buffer.concat([MP3_FRAME, MP3_FRAME, WIDE_AAC_HEAD, SLOW_MP3]),
      7.732,
    ],
    [
      'mp3 within frames of AAC',
      times(3, Buffer.concat([WIDE_AAC_HEAD, SLOW_MP3, Buffer.alloc(8191 - 7 - SLOW_MP3.length)])),
      3 * 7.68,
    ],
    [
      'mp3 between heads of another layer that claim it',
      Buffer.concat([MP3_FRAME, MP3_FRAME, times(20, Buffer.concat([WIDE_MP2_HEAD, SLOW_MP3]))]),
      20 * 7.68 + 0.052,
    ],
    [
      'mp3 behind a tag that is none',
      Buffer.concat([Buffer.from('ID3\xff\0\0\0\0\x3f\0', 'latin1'), SLOW_MP3]),
      0,
    ],
    ['flac behind a tag', Buffer.concat([ID3_TAG, flac]), 2],
    [
      'wav with several pieces',
      wavChunks(['fmt ', FORMAT], ['data', Buffer.alloc(16)], ['data', Buffer.alloc(32_000)]),
      2,
    ],
    [
      'wav with a slower format before',
      wavChunks(['fmt ', FORMAT], ['fmt ', FAST_FORMAT], ['data', Buffer.alloc(32_000)]),
      2,
    ],
    [
      'wav with a slower format behind',
      wavChunks(['fmt ', FAST_FORMAT], ['data', Buffer.alloc(32_000)], ['fmt ', FORMAT]),
      2,
    ],
    [
      'flac whose frames are slower than it says',
      Buffer.concat([fastFlac, times(16_000, withSum(SLOW_FLAC_FRAME))]),
      2,
    ],
    [
      'ogg within a page of a wrong sum',
      Buffer.concat([OPUS_OGG, hour(oggPackets(100, OPUS_PACKET))]),
      4.02,
    ],
    [
      'ogg of many recordings with one packet each',
      times(100, ogg(OPUS_HEAD, page(7, 0n, 'OpusTags'), oggPackets(1, LONG_PACKET, 1n))),
      12,
    ],
    [
      'ogg with a second head of something else',
      Buffer.concat([OPUS_OGG, page(7, 0n, 'unknown', true), oggPackets(100, OPUS_PACKET)]),
      4.02,
    ],
    [
      'ogg that says it is played to nobody',
      ogg(
        Buffer.from('OpusHead\x01\x01\xff\xff\x80\xbb\0\0\0\0\0', 'latin1'),
        oggPackets(101, OPUS_PACKET, 48_000n),
      ),
      2.02,
    ],
    [
      'mp4 with many frames of mp3 in a sample',
      withSound(
        times(101, MP3_FRAME),
        ONE_SECOND,
        track(
          SECOND_LONG,
          mpeg(0x6b, []),
          box('stsz', [0, MP3_FRAME.length * 101, 1]),
          box('stsc', [0, 1, 1, 1, 1]),
          box('stco', [0, 1, MDAT_AT]),
        ),
      ),
      101 * (1152 / 44_100) - 0.128,
    ],
  ])('%s', (_name, bytes, seconds) => {
    expect(audioSeconds(bytes) ?? 0).toBeCloseTo(seconds, 1)
  })
})

describe('tells nothing', () => {
  test.each<[string, Buffer]>([
    [
      'mp4 whose box is longer than what holds it',
      Buffer.concat([
        moov(track(SECOND_LONG, AAC), words([999]), Buffer.from('free')),
        Buffer.alloc(999),
      ]),
    ],
    [
      'mp4 whose box is shorter than its head',
      moov(track(SECOND_LONG, AAC), words([7]), Buffer.from('free')),
    ],
    ['mp4 that tells its samples twice', doubled('stsz')],
    ['mp4 that tells its samples in two ways', doubled('stz2')],
    [
      'mp4 that tells its samples in what decoders pass through',
      doubled('meta', box('udta', box('stsz', [0, 1, 9999]))),
    ],
    [
      'mp4 that plays several parts',
      moov(
        box(
          'trak',
          box('edts', box('elst', [0, 2, 1000, 0, 65_536, 1000, 0, 65_536])),
          track(SECOND_LONG, AAC).subarray(8),
        ),
      ),
    ],
    [
      'mp4 whose samples have more bytes than it',
      moov(track(SECOND_LONG, AAC, box('stsz', [0, 9999, 79]))),
    ],
    [
      'mp4 whose samples lie in no chunk',
      moov(track(SECOND_LONG, described('Opus'), box('stsz', [0, 2, 9]))),
    ],
    [
      'mp4 whose chunks are out of order',
      moov(
        track(
          SECOND_LONG,
          described('Opus'),
          box('stsz', [0, 2, 9]),
          box('stsc', [0, 2, 1, 9, 1, 1, 0, 1]),
          box('stco', [0, 1, 8]),
        ),
      ),
    ],
    ['mp4 with Vorbis that looks like AAC', moov(track(SECOND_LONG, mpeg(0xdd, [0x15, 0x88])))],
    [
      'mp4 whose coding is told in free space',
      twice(described('mp4a', box('free', entryOf(AAC).subarray(36)))),
    ],
    [
      'mp4 whose coding is told twice',
      twice(described('mp4a', entryOf(AAC).subarray(36), entryOf(AAC).subarray(36))),
    ],
    [
      'mp4 with a piece of no track',
      Buffer.concat([moov(track(SECOND_LONG, AAC)), box('moof', box('traf', box('tfhd', [0, 9])))]),
    ],
    [
      'mp4 whose whole lies in free space',
      Buffer.concat([moov(track(SECOND_LONG, AAC)), box('free', box('moov', [0]))]),
    ],
    [
      'webm with sound before its tracks',
      Buffer.concat([
        element([0x1f, 0x43, 0xb6, 0x75], block(0, OPUS_PACKET)),
        opusWebm(block(0, OPUS_PACKET)),
      ]),
    ],
    [
      'webm with what is no element',
      Buffer.concat([
        opusWebm(block(0, OPUS_PACKET)),
        Buffer.alloc(20),
        opusWebm(block(0, OPUS_PACKET)).subarray(5),
      ]),
    ],
    [
      'webm whose element is longer than what holds it',
      Buffer.concat([opusWebm(Buffer.from([0xec, 0x50, 0])), Buffer.alloc(4096)]),
    ],
    [
      'webm whose element is longer than all',
      Buffer.concat([opusWebm(block(0, OPUS_PACKET)), Buffer.from([0xec, 0x50, 0])]),
    ],
    [
      'ogg with Vorbis that begins anew as Opus',
      Buffer.concat([ogg(VORBIS_HEAD, oggPackets(9, Buffer.alloc(9))), OPUS_OGG]),
    ],
    ['ogg of a stream that never began', Buffer.concat([OPUS_OGG, page(8, 0n, 'sound')])],
    [
      'sound of another form with frames of mp3 in its head',
      Buffer.concat([Buffer.from('.snd'), times(3, MP3_FRAME)]),
    ],
    ['mp3 with more than it in it', Buffer.concat([times(3, MP3_FRAME), Buffer.alloc(2 ** 17)])],
    [
      'mp4 without its head, with frames of mp3',
      Buffer.concat([words([0, 0]), Buffer.from('x'), times(9, AAC_FRAME)]),
    ],
  ])('%s', (_name, bytes) => {
    expect(audioSeconds(bytes)).toBeNull()
  })
})

test('goes through a large file once', { timeout: 30_000 }, () => {
  const size = 1024 * 1024
  const begun = Buffer.concat([MP3_FRAME, MP3_FRAME])
  const filled = (...pattern: number[]) =>
    Buffer.concat([begun, Buffer.alloc(size, Buffer.from(pattern))])
  const files: Buffer[] = [
    filled(0xff, 0xfb, 0x90),
    filled(0xff, 0xf1, 0x50, 0x80, 0x0c),
    Buffer.concat([OPUS_OGG, Buffer.alloc(size, 'OggS\0')]),
    Buffer.concat([flac, Buffer.alloc(size, Buffer.from('fff869', 'hex'))]),
    Buffer.concat([wav(0).subarray(0, 12), Buffer.alloc(size, wav(0).subarray(12, 36))]),
    Buffer.concat([TYPE, Buffer.alloc(size, box('sidx', Buffer.alloc(8)))]),
    Buffer.concat([TYPE, box('sidx', Buffer.alloc(size, 'sttstrsc'))]),
    opusWebm(...Array.from({ length: 32 }, () => block(4, [255], bytesOf(256, 0x78)))),
  ]
  const begin = process.cpuUsage()
  for (const bytes of files) audioSeconds(bytes)
  // A walk that begins anew for each piece would take minutes; this leaves room for machines that are busy.
  expect(process.cpuUsage(begin).user / files.length).toBeLessThan(1_000_000)
})
