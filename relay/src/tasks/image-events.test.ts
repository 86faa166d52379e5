import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { JsonRecord } from '../bytes/json-value.ts'
import { deliveredImages } from './image-events.ts'

const [part, image] = ['image_edit.partial_image', 'image_edit.completed']
function made(types: string[], n: number, partialImages: number) {
  const events = types.map((type) => ({ type }))
  return deliveredImages(events, { n, partialImages })
}
const sixParts = Array.from({ length: 6 }, () => part)

test.each([
  ['nothing', [], 0, 0, 0],
  ['a part of the first', [part], 0, 1, 1],
  ['one without parts', [image], 1, 0, 0],
  ['one, and parts of the next', [part, image, part, part], 1, 3, 2],
  ['parts of both side by side, and one of them', [...sixParts, image], 1, 6, 3],
  ['parts of both and neither', sixParts, 0, 6, 6],
  ['all, and a part of none', [image, part, image, part], 2, 2, 0],
  ['other events', ['image_edit.started', 'toString'], 0, 0, 0],
])('of two images: %s', (_what, types, images, partials, unfinishedPartials) => {
  expect(made(types, 2, 3)).toEqual({ images, partials, unfinishedPartials, reportedUsage: null })
})

test('delivered images report their cost, unless one of them does not', () => {
  const usage = { input_tokens: 5, output_tokens: 372 }
  const [tells, silent] = [{ type: image, usage }, { type: image }]
  const told = (events: JsonRecord[]) =>
    deliveredImages(events, { n: 3, partialImages: 1 }).reportedUsage
  expect(told([tells, tells])).toMatchObject({ promptTokens: 10, completionTokens: 744 })
  expect([told([]), told([tells, silent])]).toEqual([null, null])
})

test('never exceeds what was requested', () => {
  const types = fc.array(fc.constantFrom(part, image), { maxLength: 30 })
  const [n, partialImages] = [fc.integer({ min: 1, max: 4 }), fc.integer({ min: 0, max: 3 })]
  fc.assert(
    fc.property(types, n, partialImages, (sent, asked, parts) => {
      const { images, partials, unfinishedPartials } = made(sent, asked, parts)
      expect(images).toBeLessThanOrEqual(asked)
      expect(partials).toBeLessThanOrEqual(asked * parts)
      expect(unfinishedPartials).toBeLessThanOrEqual((asked - images) * parts)
    }),
  )
})
