import { expect, test } from 'vitest'
import { areInLog, logPath } from './log-path.ts'
import { parseUsageSearch } from './usage-search.ts'
import { inOrder, rowName } from './values.ts'

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

test('tokens of the same name are told apart by their owners, also in the log', () => {
  const owner = { id: 7, username: 'ann' }
  const token = { ...row('3', 1), label: 'web' }
  expect([rowName({ ...token, owner }), rowName(token)]).toEqual(['web · ann', 'web'])
  const search = parseUsageSearch(new URLSearchParams('by=token'), true)
  const time = { start: 0, end: 10 }
  expect(logPath({ ...token, owner }, search, time, [])).toMatch(/&token_name=web&user_id=7$/)
  const filters = [{ by: 'model', key: 'o3', label: 'o3' } as const]
  expect(logPath(token, search, time, filters)).toMatch(/&model_name=o3&token_name=web$/)
})

test('a token without a name has its id, and no log of its own', () => {
  const search = parseUsageSearch(new URLSearchParams('by=token'), true)
  const time = { start: 0, end: 10 }
  const token = { ...row('3', 1), label: '' }
  expect(rowName({ ...token, owner: { id: 7, username: 'ann' } })).toBe('#3 · ann')
  const deleted = row('3', 1)
  expect([logPath(token, search, time, []), logPath(deleted, search, time, [])]).toEqual([
    null,
    null,
  ])
  const byModel = parseUsageSearch(new URLSearchParams('by=model'), true)
  const filters = [{ by: 'token', key: '3', label: '' } as const]
  expect([logPath(row('o3', 1), byModel, time, filters), areInLog(filters)]).toEqual([null, false])
})
