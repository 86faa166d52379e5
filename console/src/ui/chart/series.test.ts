import { expect, test } from 'vitest'
import { isAllZero, lookOf, OTHER, type Series, totalAt, withOther } from './series.ts'
import { stackAt } from './stack.ts'

const series = (count: number): Series[] =>
  Array.from({ length: count }, (_, index) => ({
    id: `m${index}`,
    name: `model ${index}`,
    values: [index + 1, 1, null],
  }))

test('six series stay as they are', () => {
  expect(withOther(series(6), [], 'Other').map(({ id }) => id)).toEqual(
    series(6).map(({ id }) => id),
  )
})

test('from the seventh on they are summed, and no value is lost', () => {
  const folded = withOther(series(9), [], 'Other')
  expect(folded).toHaveLength(7)
  expect(folded[6]).toEqual({ id: OTHER, name: 'Other', values: [7 + 8 + 9, 3, 0] })
  expect(totalAt(folded, 0)).toBe(totalAt(series(9), 0))
})

test('a sum from the server is part of the others', () => {
  const rest = { id: 'rest', name: '', values: [5, null] }
  expect(withOther(series(7), [rest], 'Other')[6]?.values).toEqual([7 + 5, 1, 0])
  expect(withOther(series(1), [rest], 'Other').map(({ name }) => name)).toEqual([
    'model 0',
    'Other',
  ])
})

test('the sum looks the same however many series precede it', () => {
  const other: Series = { id: OTHER, name: 'Other', values: [1] }
  expect([0, 2, 6].map((index) => lookOf(other, index))).toEqual([6, 6, 6])
})

test('detects an empty chart', () => {
  expect(isAllZero([{ id: 'a', name: 'a', values: [null, 0] }])).toBe(true)
  expect(isAllZero([{ id: 'a', name: 'a', values: [null, 1] }])).toBe(false)
})

test('a bar is stacked without gaps, and leaves out zero values', () => {
  const stacked = [
    { id: 'a', name: 'a', values: [4] },
    { id: 'b', name: 'b', values: [0] },
    { id: 'c', name: 'c', values: [6] },
  ]
  expect(stackAt(stacked, 0, (value) => 100 - value * 10)).toEqual([
    { series: 0, top: 60, height: 40 },
    { series: 2, top: 0, height: 60 },
  ])
})
