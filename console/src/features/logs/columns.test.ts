import { expect, test } from 'vitest'
import { adminColumns, ownColumns } from './columns.tsx'

const idsOf = (columns: typeof ownColumns) => columns.map(({ id }) => id)

test('administrators have the columns of users and two more: channel and username', () => {
  const own = new Set(idsOf(ownColumns))
  expect(idsOf(adminColumns).filter((id) => !own.has(id))).toEqual(['channel', 'username'])
  expect(idsOf(adminColumns).filter((id) => own.has(id))).toEqual(idsOf(ownColumns))
  expect(own.has('content')).toBe(true)
})
