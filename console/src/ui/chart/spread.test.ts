import { expect, test } from 'vitest'
import { spread } from './spread.ts'

test('labels with enough room stay at their values', () => {
  expect(spread([180, 100, 20], 16)).toEqual([180, 100, 20])
})

test('labels at one place move apart, in order and none above the picture', () => {
  for (const wanted of [
    [200, 200, 200],
    [5, 4, 3, 2, 1],
    [100, 100, 99, 98],
    [0, 0],
  ]) {
    const placed = spread(wanted, 16)
    for (const [index, y] of placed.entries()) {
      expect(y).toBeGreaterThanOrEqual(0)
      expect(y).toBeLessThanOrEqual(200)
      const above = placed[index + 1]
      if (above !== undefined) expect(y - above).toBeGreaterThanOrEqual(16)
    }
  }
})
