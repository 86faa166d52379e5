import { expect, test } from 'vitest'
import { inOrder } from './values.ts'

const row = (key: string, value: number | null) => ({
  key,
  label: key,
  value,
  previous: null,
  requests: 1,
})

const rows = [row('loss', -6), row('small', 1), row('none', null), row('great', 9)]
const keysOf = (metric: 'margin' | 'quota') => inOrder(rows, metric).map(({ key }) => key)

test('margins start with the greatest gain and end with losses and unknown ones', () => {
  expect(keysOf('margin')).toEqual(['great', 'small', 'loss', 'none'])
})

test('other metrics keep the order of the server', () => {
  expect(keysOf('quota')).toEqual(['loss', 'small', 'none', 'great'])
})
