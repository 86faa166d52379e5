import { expect, test } from 'vitest'
import { withPrice } from './own-price.ts'

const tables = new Map([
  ['ModelRatio', '{"a": 1, "b": 2}'],
  ['CompletionRatio', '{"a": 5}'],
])

test('a price in dollars becomes ratios, and other models keep theirs', () => {
  expect(withPrice(tables, { model: 'b', input: 3, output: 12 }, 500_000)).toEqual([
    { key: 'ModelRatio', value: '{"a":1,"b":1.5}' },
    { key: 'CompletionRatio', value: '{"a":5,"b":4}' },
  ])
  const free = withPrice(tables, { model: 'c', input: 0, output: 0 }, 500_000)
  expect(free.map(({ value }): unknown => JSON.parse(value))).toMatchObject([{ c: 0 }, { c: 1 }])
  const [ratio] = withPrice(new Map(), { model: 'c', input: 1, output: 1 }, 7_000_000)
  expect(ratio?.value).toBe('{"c":7}')
})
