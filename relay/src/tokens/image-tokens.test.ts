import { describe, expect, test } from 'vitest'
import { imageSize } from '../media/image-size.ts'
import { imageTokens } from './image-tokens.ts'

const MODELS = [
  'gpt-4o',
  'gpt-4o-mini',
  'o3',
  'gpt-5',
  'gpt-4.1-mini',
  'o4-mini',
  'gpt-5.4',
  'claude-sonnet-4-5',
  'claude-opus-5-5',
]
const HELD = [...MODELS, 'gpt-image-1', 'gpt-image-2']

describe('imageTokens', () => {
  test.each([
    [256, 256, [255, 8500, 225, 210, 104, 111, 77, 100, 100]],
    [512, 512, [255, 8500, 225, 210, 415, 441, 308, 361, 361]],
    [1024, 1024, [765, 25501, 675, 630, 1659, 1762, 1229, 1369, 1369]],
    [1920, 1080, [1105, 36835, 975, 910, 2443, 2594, 2448, 1560, 2691]],
    [2560, 1440, [1105, 36835, 975, 910, 2443, 2594, 2931, 1560, 4784]],
    [4032, 3024, [765, 25501, 675, 630, 2353, 2498, 2942, 1530, 4740]],
    [768, 2048, [1445, 48169, 1275, 1190, 2489, 2642, 1844, 1176, 2072]],
    [300, 200, [255, 8500, 225, 210, 114, 121, 84, 88, 88]],
  ])("for %i × %i match the vendors' published numbers", (width, height, tokens) => {
    expect(MODELS.map((model) => imageTokens(model, { width, height }))).toEqual(tokens)
  })

  test.each([
    [256, 256, 77],
    [1920, 1080, 2448],
    [2560, 1440, 4320],
    [4032, 3024, 11868],
  ])('for %i × %i in original size', (width, height, tokens) => {
    expect(imageTokens('gpt-5.4', { width, height }, 'original')).toBe(tokens)
  })

  test('are the base for low detail of tile models and a fixed number for Gemini', () => {
    expect(imageTokens('gpt-4o', null, 'low')).toBe(85)
    expect(imageTokens('gemini-2.5-flash', { width: 300, height: 300 })).toBe(258)
    expect(imageTokens('gemini-2.5-flash', { width: 1000, height: 700 })).toBe(516)
    expect(imageTokens('gemini-3-pro-preview', null)).toBe(1120)
  })

  test.each([
    // The first two were measured; the others follow from the rules.
    ['gpt-image-1', 1024, 1025, '', 194],
    ['gpt-image-1.5', 512, 513, '', 323],
    ['gpt-image-1-mini', 3840, 2160, 'low', 323],
    ['chatgpt-image-latest', 1000, 1000, 'high', 194 + 4160],
    ['gpt-image-1', 1024, 1536, 'high', 323 + 6240],
    ['gpt-image-1', 1240, 1000, 'high', 323 + 4160],
    ['gpt-image-1', 1000, 800, 'high', 323 + 6240],
    ['gpt-image-2', 512, 512, '', 1024],
    ['gpt-image-2', 256, 256, '', 256],
    ['gpt-image-2', 1024, 1024, 'high', 1024],
    ['gpt-image-2', 1024, 16, '', 32 * 11],
    ['gpt-image-2', 4096, 4096, '', 39 * 39],
  ])('for %s at %i × %i with fidelity "%s" are %i', (model, width, height, fidelity, tokens) => {
    expect(imageTokens(model, { width, height }, fidelity)).toBe(tokens)
  })

  test('never exceed what is held for an image', () => {
    for (const width of [1, 31, 33, 700, 2047, 5000, 60_000]) {
      for (const height of [1, 33, 769, 4096, 60_000]) {
        for (const model of HELD) {
          const most = model === 'gpt-4o-mini' ? 48_169 : 12_000
          for (const detail of ['', 'high', 'original']) {
            expect(imageTokens(model, { width, height }, detail)).toBeLessThanOrEqual(most)
          }
        }
      }
    }
  })
})

function dataUrl(bytes: Buffer): string {
  return `data:image/x;base64,${bytes.toString('base64')}`
}

function webp(kind: string, fill: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.alloc(30)
  bytes.write('RIFF____WEBP', 'latin1')
  bytes.write(kind, 12, 'latin1')
  fill(bytes)
  return bytes
}

const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

describe('imageSize', () => {
  test('reads GIF', () => {
    const gif = Buffer.from([...Buffer.from('GIF89a'), 0x2c, 0x01, 0xc8, 0x00])
    expect(imageSize(dataUrl(gif))).toEqual({ width: 300, height: 200 })
  })

  test('reads JPEG past its other segments', () => {
    const app = [0xff, 0xe0, 0, 6, 1, 2, 3, 4]
    const table = [0xff, 0xc4, 0, 4, 9, 9]
    const frame = [0xff, 0xc2, 0, 11, 8, 0x04, 0x38, 0x07, 0x80, 3, 1]
    const jpeg = Buffer.from([0xff, 0xd8, ...app, ...table, ...frame])
    expect(imageSize(dataUrl(jpeg))).toEqual({ width: 1920, height: 1080 })
  })

  test('reads the three kinds of WebP', () => {
    const lossy = webp('VP8 ', (bytes) => {
      bytes.writeUInt16LE(640, 26)
      bytes.writeUInt16LE(480, 28)
    })
    const lossless = webp('VP8L', (bytes) => bytes.writeUInt32LE(639 | (479 << 14), 21))
    const extended = webp('VP8X', (bytes) => {
      bytes.writeUIntLE(639, 24, 3)
      bytes.writeUIntLE(479, 27, 3)
    })
    for (const image of [lossy, lossless, extended]) {
      expect(imageSize(dataUrl(image))).toEqual({ width: 640, height: 480 })
    }
  })

  test.each([
    ['an address', 'https://x.example/a.png'],
    ['nothing', ''],
    ['no base64', 'data:image/png,abc'],
    ['an empty image', 'data:image/png;base64,'],
    ['a broken PNG', dataUrl(PNG)],
    ['a PNG of no size', dataUrl(Buffer.concat([PNG, Buffer.alloc(40)]))],
    ['a JPEG without end', dataUrl(Buffer.from('ffd8ffe00000ffe000000000', 'hex'))],
    ['an unknown WebP', dataUrl(webp('VP9 ', () => undefined))],
    ['text', dataUrl(Buffer.from('hello'))],
  ])('the size of %s is unknown', (_what, url) => {
    expect(imageSize(url)).toBeNull()
  })
})
