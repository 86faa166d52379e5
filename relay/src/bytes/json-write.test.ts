import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { writeInSteps, writeJson } from './json-write.ts'
import { finish } from './steps.ts'
import { countSteps } from './testing/count-steps.ts'

test('all parts together equal one-step output', () => {
  const values = fc.jsonValue({ maxDepth: 5, stringUnit: 'binary' })
  const limits = fc.record({
    values: fc.integer({ min: 0, max: 6 }),
    characters: fc.integer({ min: 1, max: 20 }),
  })
  fc.assert(
    fc.property(values, limits, (value, parts) => {
      const given = { a: value, b: undefined, c: [undefined, value] }
      expect(finish(writeInSteps(given, parts)).toString()).toBe(JSON.stringify(given))
    }),
    { numRuns: 2000 },
  )
})

test('no part takes longer than a few milliseconds', () => {
  const value = {
    text: '汉字😀"\n'.repeat(500_000),
    messages: Array.from({ length: 20_000 }, (_, at) => ({ role: 'user', content: `hello ${at}` })),
  }
  const stringify = vi.spyOn(JSON, 'stringify')
  const { count, value: written } = countSteps(writeInSteps(value))
  const lengths = stringify.mock.results.map(({ value: text }) => String(text).length)
  stringify.mockRestore()
  expect(count).toBeGreaterThan(12)
  expect(Math.max(...lengths)).toBeLessThan(1_100_000)
  expect(written.toString()).toBe(JSON.stringify(value))
})

test('a small value is written at once', () => {
  expect([...writeJson({ a: 'x'.repeat(1000) }, 1000)]).toEqual([])
})
