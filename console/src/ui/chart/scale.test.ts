import { expect, test } from 'vitest'
import { axisWidth, bandsOf, decimalsOf, niceTicks, tickEvery, verticalScale } from './scale.ts'

test('ticks are round, few, and reach the greatest value', () => {
  expect(niceTicks(7)).toEqual([0, 2, 4, 6, 8])
  expect(niceTicks(100)).toEqual([0, 50, 100])
  expect(niceTicks(1e12)).toEqual([0, 5e11, 1e12])
  for (const most of [1, 3, 9.99, 12_345, 0.000_02, 1e15]) {
    const ticks = niceTicks(most)
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(most * (1 - 1e-6))
    expect(ticks.length).toBeLessThanOrEqual(5)
  }
})

test('money has ticks that are round in dollars, not in units', () => {
  expect(niceTicks(2_565 * 40, { unit: 500_000 })).toEqual([0, 50_000, 100_000, 150_000])
})

test('there is no tick between two requests', () => {
  expect(niceTicks(1, { isWhole: true })).toEqual([0, 1])
  expect(niceTicks(3, { isWhole: true })).toEqual([0, 1, 2, 3])
})

test('a loss has ticks below zero, and is drawn there', () => {
  expect(niceTicks(9, { min: -6 })).toEqual([-10, -5, 0, 5, 10])
  expect(niceTicks(0, { min: -3 })).toEqual([-3, -2, -1, 0])
  const y = verticalScale([-10, 10], 200)
  expect([y(10), y(0), y(-0.001), y(-5), y(-10)]).toEqual([0, 100, 101, 150, 200])
})

test('zero, and an invalid number, has only the line at zero', () => {
  expect(niceTicks(0)).toEqual([0])
  expect(niceTicks(Number.NaN)).toEqual([0])
})

test('ticks have as many decimals as they need to differ', () => {
  expect([0.001, 0.05, 0.5, 1, 20].map(decimalsOf)).toEqual([3, 2, 1, 0, 0])
})

test('a single unit next to a million is still visible, and zero is not', () => {
  const y = verticalScale([0, 1_000_000], 200)
  expect([y(1_000_000), y(500_000), y(1), y(0)]).toEqual([0, 100, 199, 200])
})

test('bars stand on whole pixels, never overlap and fill the width', () => {
  for (const [count, width] of [
    [7, 701],
    [48, 300],
    [90, 290],
  ] as const) {
    const bands = bandsOf(count, width)
    for (const [index, { x, width: own }] of bands.entries()) {
      expect(Number.isInteger(x) && Number.isInteger(own) && own >= 1).toBe(true)
      expect(x + own).toBeLessThanOrEqual(bands[index + 1]?.x ?? width)
    }
  }
})

test('a few bars in a wide plot stay bars, around their middle', () => {
  for (const { x, width, middle } of bandsOf(2, 1000)) {
    expect(width).toBe(120)
    expect(Math.abs(x + width / 2 - middle)).toBeLessThanOrEqual(1)
  }
})

test('texts below the axis never touch', () => {
  expect(tickEvery(7, 700, 50)).toBe(1)
  expect(tickEvery(90, 300, 50)).toBe(24)
})

test('the axis widens for long labels only', () => {
  expect(axisWidth(['$0.00', '$0.40'])).toBe(axisWidth([]))
  expect(axisWidth(['$0.00000', '$0.00003'])).toBeGreaterThan(axisWidth([]))
})
