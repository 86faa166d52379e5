import { expect, test } from 'vitest'
import { parseChannelFilter, STATUS_CHOICES, withChannelFilter } from './channel-filter.ts'

const parse = (text: string) => parseChannelFilter(new URLSearchParams(text))

const NONE = { status: '', type: '', health: '', group: '', model: '' }

test('reads the filters from the address and ignores invalid values', () => {
  expect(parse('status=2,3&type=8&health=slow&group=vip&model=o3')).toEqual({
    status: STATUS_CHOICES.notEnabled,
    type: '8',
    health: 'slow',
    group: 'vip',
    model: 'o3',
  })
  for (const text of ['', 'status=4&type=x', 'status=1;drop&type=-1', 'type=1,2&health=ill']) {
    expect(parse(text)).toEqual(NONE)
  }
})

test('a changed filter keeps the rest of the address and begins at the first page', () => {
  const next = withChannelFilter(new URLSearchParams('sort=name&p=3&type=8'), { status: '1' })
  expect(next.toString()).toBe('sort=name&type=8&status=1')
  expect(withChannelFilter(next, { status: '', type: '' }).toString()).toBe('sort=name')
})
