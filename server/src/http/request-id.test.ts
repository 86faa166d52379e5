import { expect, test } from 'vitest'
import { newRequestId } from './request-id.ts'

test('begins with local time and ends in digits that differ', () => {
  const at = new Date(2026, 0, 2, 3, 4, 5, 6).getTime()
  const ids = Array.from({ length: 1000 }, () => newRequestId(at))
  for (const id of ids) expect(id).toMatch(/^20260102030405\d{7,9}\d{8}$/)
  expect(new Set(ids).size).toBe(1000)
})
