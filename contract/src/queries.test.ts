import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { idParams, pageQuery } from './endpoint.ts'
import { logEndpoints } from './log.ts'
import { OPTIONS } from './options.ts'
import { topUpEndpoints } from './topup.ts'

const LAST_SECOND = 253_402_300_799
const MOMENT = 1_700_000_000

describe('the filter of the log', () => {
  const { query } = logEndpoints.listLogs.parts

  test.each([
    ['', 0],
    ['yesterday', 0],
    ['-5', 0],
    [`${MOMENT}.9`, MOMENT],
    [String(MOMENT * 1000), LAST_SECOND],
    ['1e300', LAST_SECOND],
  ])('a moment given as %j is %j', (text, seconds) => {
    expect(query.parse({ start_timestamp: text }).start_timestamp).toBe(seconds)
  })

  test.each([
    ['', 0],
    ['all', 0],
    ['2', 2],
    ['-1', -1],
    ['1e300', -1],
  ])('a type given as %j is %j', (text, type) => {
    expect(query.parse({ type: text }).type).toBe(type)
  })
})

test('a page beyond the maximum is not the first page', () => {
  const { p } = pageQuery(['id']).parse({ p: '9'.repeat(30) })
  expect(p).toBe(1_000_000)
  expect(pageQuery(['id']).parse({ p: '-3' }).p).toBe(0)
  const friends = topUpEndpoints.listFriends.parts.query
  expect(friends.parse({ page: '1e9' }).page).toBe(100_000)
})

test.each(['0x2', '30e0', '1.0', ' 1', '+1', '', 'NaN', '9'.repeat(17)])(
  '%j is not an id',
  (text) => {
    expect(idParams.safeParse({ id: text }).success).toBe(false)
  },
)

test('an id is documented as a whole number', () => {
  const { properties } = z.toJSONSchema(idParams, { io: 'input' })
  expect(properties?.['id']).toMatchObject({ type: 'integer', minimum: 1 })
})

test.each(['a,b', ' vip', 'vip ', ' ', 'a\nb', ''])('%j is not a group name', (name) => {
  for (const key of ['GroupRatio', 'GroupRequestsPerMinute'] as const) {
    expect(OPTIONS[key].schema.safeParse({ default: 1, [name]: 1 }).success).toBe(false)
    expect(OPTIONS[key].schema.safeParse({ default: 1, '企业 vip': 1 }).success).toBe(true)
  }
})
