import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TypicalOutput } from './typical-output.ts'

const HOUR_MS = 3_600_000

function outputOf(answers: readonly number[], now = 0): TypicalOutput {
  const output = new TypicalOutput(now)
  for (const tokens of answers) output.add(tokens, now)
  return output
}

test('few answers say nothing', () => {
  expect(outputOf(Array.from({ length: 7 }, () => 500)).quantile(0)).toBeNull()
  expect(outputOf(Array.from({ length: 8 }, () => 500)).quantile(0)).toBe(512)
})

test('no fewer than 98 of 100 answers lie below the quantile, and it is at most 42 % too high', () => {
  const answers = fc.array(fc.integer({ min: 0, max: 1_000_000 }), {
    minLength: 8,
    maxLength: 300,
  })
  fc.assert(
    fc.property(answers, (given) => {
      const quantile = outputOf(given).quantile(0) ?? 0
      const below = given.filter((tokens) => tokens <= quantile).length
      expect(below).toBeGreaterThanOrEqual(given.length * 0.98)
      const sorted = given.toSorted((a, b) => a - b)
      const exact = sorted[Math.ceil(given.length * 0.98) - 1] ?? 0
      expect(quantile).toBeLessThanOrEqual(Math.max(64, exact * 1.42))
    }),
  )
})

test('old answers fade', () => {
  const output = outputOf(Array.from({ length: 100 }, () => 60_000))
  for (let hour = 1; hour <= 48; hour += 1) {
    for (let answer = 0; answer < 10; answer += 1) output.add(400, hour * HOUR_MS)
  }
  expect(output.quantile(48 * HOUR_MS)).toBe(512)
})

test('a long pause leaves nothing to go by', () => {
  const output = outputOf(Array.from({ length: 20 }, () => 500))
  expect(output.quantile(6 * HOUR_MS)).toBe(512)
  expect(output.quantile(12 * HOUR_MS)).toBeNull()
})

test('a count beyond the largest bucket lies in it', () => {
  expect(outputOf(Array.from({ length: 8 }, () => 2 ** 24)).quantile(0)).toBe(2 ** 20)
})
