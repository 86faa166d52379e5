import { expect, test } from 'vitest'
import { parseUserFilter } from './user-filter.ts'

const parse = (text: string) => parseUserFilter(new URLSearchParams(text))

test('reads the filters from the address and ignores invalid values', () => {
  const text = 'role=admin&status=disabled&group=vip&active=idle&provider=none&quota_min=5'
  expect(Object.values(parse(text))).toEqual([
    'admin',
    'disabled',
    'vip',
    'idle',
    'none',
    '5',
    '',
    '',
  ])
  const none = parse('')
  for (const wrong of ['role=10', 'status=1&active=ever', 'quota_min=-1&quota_max=x']) {
    expect(parse(wrong)).toEqual(none)
  }
})
