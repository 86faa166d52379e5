import { expect, test } from 'vitest'
import { rangeOf } from './use-selection.ts'

const ids = ['a', 'b', 'c', 'd']

test('a range includes both ends, in either direction', () => {
  expect(rangeOf(ids, 'b', 'd')).toEqual(['b', 'c', 'd'])
  expect(rangeOf(ids, 'd', 'b')).toEqual(['b', 'c', 'd'])
})

test('a range from a missing row is the one row', () => {
  expect(rangeOf(ids, 'gone', 'c')).toEqual(['c'])
  expect(rangeOf(ids, null, 'c')).toEqual(['c'])
})
