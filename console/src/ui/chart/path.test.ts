import { expect, test } from 'vitest'
import { dotsPath, linePath } from './path.ts'

const gapped = [{ x: 0, y: 1 }, { x: 1, y: 2 }, null, { x: 3, y: 4.345 }, null]

test('breaks the line at missing values instead of drawing across them', () => {
  expect(linePath(gapped)).toBe('M0 1L1 2M3 4.3')
})

test('shows a measured value between two gaps as a dot', () => {
  expect(dotsPath(gapped)).toBe('M3 4.3h0')
  expect(dotsPath([null])).toBe('')
})
