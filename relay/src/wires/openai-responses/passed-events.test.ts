import { expect, test } from 'vitest'
import { PassedEvents } from './passed-events.ts'

const event = (json: object) => Buffer.from(`data: ${JSON.stringify(json)}\n\n`)

test('the first item is found after any number of events', () => {
  const passed = new PassedEvents({ keepItems: null, keepResponse: null })
  const begun = { type: 'response.created', response: { id: 'resp_1' } }
  const pings = Array.from({ length: 20 }, () => event({ type: 'keepalive' }))
  const added = ['msg_1', 'msg_2'].map((id) =>
    event({ type: 'response.output_item.added', item: { id } }),
  )
  passed.push([event(begun), ...pings, ...added])
  expect([passed.response(), passed.firstItemId()]).toEqual([{ id: 'resp_1' }, 'msg_1'])
})
