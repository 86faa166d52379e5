import { expect, test } from 'vitest'
import {
  followedRows,
  KEPT_ROWS_MAX,
  NONE_NEWER,
  newerThan,
  type Range,
  readNewer,
  TAIL_ROWS_MAX,
  withNewer,
} from './newer-rows.ts'

const rowsTo = (last: number, first = 1) =>
  Array.from({ length: last - first + 1 }, (_, index) => ({ id: last - index }))

/** A log to which `arriving` rows are added after each request. */
function logOf(length: number, arriving = 0) {
  const asked: Range[] = []
  let last = length
  const list = async (range: Range) => {
    asked.push(range)
    const { after = 0, before = Infinity } = range
    const rows = rowsTo(last).filter(({ id }) => id > after && id < before)
    last += arriving
    return rows.slice(0, TAIL_ROWS_MAX)
  }
  return { list, asked }
}

test('more rows than one request answers are all read, without a gap or a row twice', async () => {
  const { list, asked } = logOf(370, 30)
  const { rows, isWhole } = await readNewer(20, list)
  expect(rows).toEqual(rowsTo(370, 21))
  expect([isWhole, asked.length]).toEqual([true, 4])
})

test('a page that is empty so far is followed from the first row on', async () => {
  const { list, asked } = logOf(2)
  expect(await readNewer(0, list)).toEqual({ rows: rowsTo(2), isWhole: true })
  expect(asked).toEqual([{ after: undefined, before: undefined }])
})

test('at most as many rows are read as a view keeps', async () => {
  const { list, asked } = logOf(10_000)
  const { rows, isWhole } = await readNewer(20, list)
  expect(rows).toEqual(rowsTo(10_000, 10_001 - KEPT_ROWS_MAX))
  expect([isWhole, asked.length]).toEqual([false, KEPT_ROWS_MAX / TAIL_ROWS_MAX])
})

test('newer rows stand before the page while they follow it without a gap', async () => {
  const page = rowsTo(20, 1)
  const some = withNewer(NONE_NEWER, { rows: rowsTo(60, 21), isWhole: true })
  expect(followedRows(some, page)).toEqual(rowsTo(60))
  const many = withNewer(some, { rows: rowsTo(540, 61), isWhole: true })
  expect(many).toEqual({ rows: rowsTo(540, 41), arrived: 520, isMore: false })
  expect(followedRows(many, page)).toEqual(rowsTo(540, 41))
  const unread = withNewer(some, { rows: rowsTo(9000, 8501), isWhole: false })
  expect(followedRows(unread, page)).toEqual(rowsTo(9000, 8501))
  expect(unread.isMore).toBe(true)
})

test('a page that was read again has rows that were newer before', () => {
  const newer = withNewer(NONE_NEWER, { rows: rowsTo(9000, 8501), isWhole: false })
  expect(newerThan(newer, 8000)).toBe(newer)
  const left = { rows: rowsTo(9000, 8991), arrived: 10, isMore: false }
  expect(newerThan(newer, 8990)).toEqual(left)
  expect(followedRows(left, rowsTo(8990, 8971))).toEqual(rowsTo(9000, 8971))
})
