import { expect, test } from 'vitest'
import { rowsAt, withinCount } from './visible-rows.ts'

test.each([
  [0, { first: 0, last: 21 }],
  [39, { first: 0, last: 22 }],
  [40 * 50, { first: 42, last: 71 }],
  [40 * 50 + 1, { first: 42, last: 72 }],
])(
  'a frame of 13 rows, scrolled by %i px, renders what is in view and 8 spare rows',
  (top, rows) => {
    expect(rowsAt(top, 520, 40)).toEqual(rows)
  },
)

test.each([
  [100, { first: 42, last: 71 }],
  [60, { first: 31, last: 60 }],
  [3, { first: 0, last: 3 }],
  [0, { first: 0, last: 0 }],
])('of %i rows, those that exist are rendered', (count, rows) => {
  expect(withinCount({ first: 42, last: 71 }, count)).toEqual(rows)
})
