import { expect, test } from 'vitest'
import type { LogFacets } from '@tollgate/contract'
import { suggestions, withChannelIds, withChannelsOf } from './log-suggestions.ts'

const facets: LogFacets = {
  counted: 4,
  more: false,
  facets: [
    { name: 'model', values: [{ value: 'gpt-4o', label: 'gpt-4o', count: 4 }] },
    { name: 'user', values: [{ value: '2', label: 'Ali', count: 3 }] },
    {
      name: 'channel',
      values: [
        { value: '1', label: 'flaky', count: 1 },
        { value: '2', label: 'my relay', count: 3 },
        { value: '3', label: '1', count: 3 },
      ],
    },
  ],
}

test('a channel is known by its name, and a number is its id', () => {
  expect(withChannelIds('failed channel:Flaky', facets)).toBe('failed channel:1')
  expect(withChannelIds('channel："My Relay" gpt', facets)).toBe('channel:2 gpt')
  for (const text of ['channel:1', 'channel:other', 'failed  gpt']) {
    expect(withChannelIds(text, facets)).toBe(text)
  }
})

test('a channel that the filter leaves out is still known by its name', () => {
  const values = [{ value: '1', label: 'flaky', count: 1 }]
  const filtered: LogFacets = { counted: 1, more: false, facets: [{ name: 'channel', values }] }
  const merged = withChannelsOf(facets, filtered)
  expect(withChannelIds('channel:"my relay"', merged)).toBe('channel:2')
  expect(suggestions('channel:', { facets: merged, isAdmin: true })).toHaveLength(3)
  expect(suggestions('model:', { facets: merged, isAdmin: true })).toEqual([])
})

test('a word without a key is completed to a key, a result or a value', () => {
  const suggested = (draft: string) => suggestions(draft, { facets, isAdmin: true })
  expect(suggested('gp')).toEqual(['model:gpt-4o'])
  expect(suggested('failed ali')).toEqual(['failed user:Ali'])
  expect(suggested('rel')).toEqual(['channel:2'])
  expect(suggested('us')).toEqual(['user:'])
  expect(suggested('user:al')).toEqual(['user:Ali', 'user:*al*'])
})
