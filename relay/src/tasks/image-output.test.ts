import fc from 'fast-check'
import { expect, test } from 'vitest'
import { imageOutputTokens, makesImageTokens } from './image-output.ts'

test.each([
  ['gpt-image-1', '1024x1024', 'low', 272],
  ['gpt-image-1-mini', '1024x1536', 'medium', 1584],
  ['gpt-image-1.5', '1536x1024', 'high', 6208],
  ['chatgpt-image-latest', '1536x1024', 'low', 400],
  ['gpt-image-1', 'auto', 'low', 408],
  ['gpt-image-1', '1024x1024', 'auto', 4160],
  ['gpt-image-1', '', '', 6240],
  ['gpt-image-1', 'toString', 'constructor', 6240],
  ['gpt-image-2', '1024x1024', 'low', 196],
  ['gpt-image-2', '1024x1024', 'medium', 1756],
  ['gpt-image-2', '1024x1024', 'high', 7024],
  ['gpt-image-2', '1536x1024', 'high', 5488],
  ['gpt-image-2', '1024x1792', 'high', 5063],
  ['gpt-image-2', '3584x2048', 'high', 12_329],
  ['gpt-image-2', 'auto', 'auto', 23_719],
  ['gpt-image-3', '0x0', 'ultra', 23_719],
])('%s in %s and quality %s makes at most %i tokens', (model, size, quality, tokens) => {
  expect(imageOutputTokens(model, { size, quality })).toBe(tokens)
})

test('an unknown value never costs less than a known one', () => {
  const side = fc.integer({ min: 16, max: 3840 })
  fc.assert(
    fc.property(side, side, fc.constantFrom('low', 'medium', 'high'), (width, height, quality) => {
      const known = imageOutputTokens('gpt-image-2', { size: `${width}x${height}`, quality })
      expect(imageOutputTokens('gpt-image-2', { size: '', quality: '' })).toBeGreaterThanOrEqual(
        known,
      )
    }),
  )
})

test('only GPT Image is charged by its tokens', () => {
  expect(['gpt-image-1', 'chatgpt-image-latest'].every(makesImageTokens)).toBe(true)
  expect(['dall-e-3', 'gpt-4o', 'my-gpt-image-1'].some(makesImageTokens)).toBe(false)
})
