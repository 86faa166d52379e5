import { expect, test } from 'vitest'
import { csvOf } from '../../lib/csv.ts'
import { adminColumns, csvColumns, ownColumns } from './columns.tsx'
import { parseQuery } from './log-query.ts'

const idsOf = (columns: typeof ownColumns) => columns.map(({ id }) => id)

test('administrators have the columns of users and two more: channel and username', () => {
  const own = new Set(idsOf(ownColumns))
  expect(idsOf(adminColumns).filter((id) => !own.has(id))).toEqual(['channel', 'username'])
  expect(idsOf(adminColumns).filter((id) => own.has(id))).toEqual(idsOf(ownColumns))
  expect(own.has('content')).toBe(true)
})

test('the CSV file has each request id as it is, and as a word that no spreadsheet rounds', () => {
  const request_id = '202611291240411234567890123456'
  // Safe because the columns read nothing else.
  const log = { request_id } as Parameters<NonNullable<(typeof csvColumns)[number]['csv']>>[0]
  const exact = ownColumns.find(({ id }) => id === 'request_id')
  expect(exact?.csv?.(log)).toBe(request_id)
  const words = csvColumns.map(({ csv }) => csv?.(log) ?? '')
  expect(csvOf([words])).toBe(`request:${request_id}\r\n`)
  expect(words.map(Number)).toEqual([Number.NaN])
  expect(parseQuery(String(words[0]), 500_000)).toEqual({ fields: { request_id }, unknown: [] })
  expect(csvColumns[0]?.csv?.({ ...log, request_id: '' })).toBe('')
})
