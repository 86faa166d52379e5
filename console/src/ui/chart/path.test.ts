import { expect, test } from 'vitest'
import { linePath } from './path.ts'

test('breaks the line where nothing was measured instead of drawing over it', () => {
  const points = [{ x: 0, y: 1 }, { x: 1, y: 2 }, null, { x: 3, y: 4 }, { x: 4, y: 5 }]
  expect(linePath(points)).toBe('M0 1L1 2M3 4L4 5')
})

test('draws a measured value between two gaps as a dot', () => {
  expect(linePath([null, { x: 1, y: 2.345 }, null])).toBe('M1 2.3h0')
  expect(linePath([null])).toBe('')
})
