import { expect, test } from 'vitest'
import { type RowsState, withDrawnRows } from './rows-state.ts'

const state: RowsState<string> = {
  rows: ['new'],
  total: null,
  error: null,
  isStale: false,
  retry: () => {},
}

test('earlier rows are stale until the current rows are drawn', () => {
  expect(withDrawnRows(state, ['old'])).toMatchObject({ rows: ['old'], isStale: true })
  expect(withDrawnRows(state, state.rows)).toMatchObject({ rows: ['new'], isStale: false })
})

test('a first load without earlier rows is not stale', () => {
  expect(withDrawnRows(state, undefined)).toMatchObject({ rows: undefined, isStale: false })
})
