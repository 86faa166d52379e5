import { expect, test } from 'vitest'
import { parseChannelFilter, STATUS_CHOICES } from './channel-filter.ts'

const parse = (text: string) => parseChannelFilter(new URLSearchParams(text))

const NONE = { status: '', type: '', health: '', group: '', tag: '', model: '' }

test('reads the filters from the address and ignores invalid values', () => {
  expect(parse('status=2,3&type=8&health=slow&group=vip&tag=eu&model=o3')).toEqual({
    status: STATUS_CHOICES.notEnabled,
    type: '8',
    health: 'slow',
    group: 'vip',
    tag: 'eu',
    model: 'o3',
  })
  for (const text of ['', 'status=4&type=x', 'status=1;drop&type=-1', 'type=1,2&health=ill']) {
    expect(parse(text)).toEqual(NONE)
  }
})
