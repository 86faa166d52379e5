import { expect, test } from 'vitest'
import type { StoredEntry } from '../client-dialect.ts'
import { RecentItems } from './recent-items.ts'

const HOUR = 60 * 60 * 1000
const message = (id: string, text = 'x') => ({ id, type: 'message', content: [{ text }] })

function setUp(bytesMax?: number) {
  const clock = { now: 0 }
  const items = new RecentItems(() => clock.now, bytesMax === undefined ? {} : { bytesMax })
  return { clock, items, own: items.of(1) }
}

test('an item is found by its owner only, for an hour', () => {
  const { clock, items, own } = setUp()
  own.keep([message('msg_1')])
  clock.now = HOUR - 1
  expect(own.find('msg_1')).toEqual(message('msg_1'))
  expect(items.of(2).find('msg_1')).toBeNull()
  clock.now = HOUR
  expect(own.find('msg_1')).toBeNull()
})

test('the size of a kept item is known to its owner', () => {
  const { items, own } = setUp()
  own.keep([message('msg_1')])
  expect(own.bytesOf('msg_1')).toBe(JSON.stringify(message('msg_1')).length)
  expect([own.bytesOf('msg_2'), items.of(2).bytesOf('msg_1')]).toEqual([0, 0])
})

test('only items that clients refer to are kept, unless they are too large', () => {
  const { own } = setUp()
  const types = ['reasoning', 'custom_tool_call', 'shell_call', 'web_search_call', 'mcp_call']
  own.keep(['function_call', ...types].map((type) => ({ id: type, type })))
  own.keep([message('msg_1', 'x'.repeat(2 * 1024 * 1024))])
  expect([own.find('function_call'), own.find('msg_1')]).toEqual([null, null])
  expect(types.filter((type) => own.find(type) === null)).toEqual([])
})

test('what is kept is stored elsewhere too, and what was read there is found', () => {
  const stored: unknown[] = []
  const store = (owner: number, entries: readonly StoredEntry[]) =>
    stored.push(...entries.map(({ name, content }) => [owner, name, content.toString()]))
  const items = new RecentItems(() => 0, { store })
  items.of(7).keep([message('msg_1'), { id: 'fc_1', type: 'function_call' }, { id: '' }])
  const [first] = stored
  expect(stored).toEqual([[7, 'item msg_1', JSON.stringify(message('msg_1'))]])
  const other = new RecentItems(() => 0, { store })
  other.receive(7, [{ name: 'item msg_1', content: Buffer.from(String([first].flat()[2])) }])
  expect(other.of(7).find('msg_1')).toEqual(message('msg_1'))
  expect(stored).toHaveLength(1)
})

test('a response is found with the ids before it and its items, whatever they contain', () => {
  const { items, own } = setUp()
  const response = { id: 'resp_2', chain: ['resp_1'], items: Buffer.from('{"a":"\\n"},\n{}') }
  own.keepResponse({ ...response, isAsked: false })
  expect(own.findResponse('resp_2')).toEqual(response)
  expect([own.find('resp_2'), own.find('response resp_2')]).toEqual([null, null])
  expect(items.of(2).findResponse('resp_2')).toBeNull()
})

test('a long response is kept only if the client asks for that', () => {
  const { own } = setUp()
  const response = { chain: [], items: Buffer.alloc(64 * 1024 + 1, ' ') }
  expect(own.keepResponse({ ...response, id: 'resp_1', isAsked: false })).toBe(false)
  expect(own.keepResponse({ ...response, id: 'resp_2', isAsked: true })).toBe(true)
  const huge = { chain: [], items: Buffer.alloc(2 * 1024 * 1024, ' '), id: 'resp_3', isAsked: true }
  expect(own.keepResponse(huge)).toBe(false)
  expect(own.findResponse('resp_1')).toBeNull()
  expect(own.findResponse('resp_2')).not.toBeNull()
})

test('what was loaded for a request is found, even if the memory has no room for it', () => {
  const { items } = setUp(1)
  const content = Buffer.from(JSON.stringify(message('msg_1')))
  items.receive(1, [{ name: 'item msg_1', content }])
  expect(items.of(1).find('msg_1')).toBeNull()
  const missing = new Set<string>()
  const own = items.of(1, missing, new Map([['item msg_1', content]]))
  expect(own.find('msg_1')).toEqual(message('msg_1'))
  expect([...missing]).toEqual([])
})

test('what is looked for in vain is named', () => {
  const { items } = setUp()
  const missing = new Set<string>()
  const own = items.of(1, missing)
  own.bytesOf('msg_1')
  own.findResponse('resp_1')
  expect([...missing]).toEqual(['item msg_1', 'response resp_1'])
})

test('the oldest items are evicted for new ones', () => {
  const { own } = setUp(3 * (JSON.stringify(message('msg_1')).length + 300))
  for (const id of ['msg_1', 'msg_2', 'msg_1', 'msg_3', 'msg_4']) own.keep([message(id)])
  expect(['msg_1', 'msg_2', 'msg_3', 'msg_4'].filter((id) => own.find(id) !== null)).toEqual([
    'msg_1',
    'msg_3',
    'msg_4',
  ])
})
