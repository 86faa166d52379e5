import { expect, test } from 'vitest'
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

test('only items that clients refer to are kept', () => {
  const { own } = setUp()
  const types = ['reasoning', 'custom_tool_call', 'shell_call', 'web_search_call', 'mcp_call']
  own.keep(['function_call', ...types].map((type) => ({ id: type, type })))
  expect(own.find('function_call')).toBeNull()
  expect(types.filter((type) => own.find(type) === null)).toEqual([])
})

test('items that clients refer to are announced, and kept as they are received', () => {
  const announced: unknown[] = []
  const announce = (owner: number, items: readonly object[]) => announced.push([owner, items])
  const items = new RecentItems(() => 0, { announce })
  items.of(7).keep([message('msg_1'), { id: 'fc_1', type: 'function_call' }])
  items.of(7).keep([{ id: 'fc_2', type: 'function_call' }])
  expect(announced).toEqual([[7, [message('msg_1')]]])
  items.receive(7, [message('msg_2')])
  expect(items.of(7).find('msg_2')).toEqual(message('msg_2'))
  expect(announced).toHaveLength(1)
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

test('an item that is too large is not kept', () => {
  const { own } = setUp()
  own.keep([message('msg_1', 'x'.repeat(1024 * 1024))])
  expect(own.find('msg_1')).toBeNull()
})
