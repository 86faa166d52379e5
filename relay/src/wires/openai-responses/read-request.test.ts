import { expect, test } from 'vitest'
import { finish } from '../../bytes/steps.ts'
import { accepted } from '../../errors/testing/accepted.ts'
import { SUMMARY_REQUEST } from './compaction.ts'
import { readInputTokensRequest } from './read-request.ts'
import { RecentItems } from './recent-items.ts'
import { READABLE_CIPHER as cipher } from './testing/readable-cipher.ts'

test.each([
  ['is no object', '[]'],
  ['is no JSON', '{"model":'],
  ['is no UTF-8', Buffer.from([0x22, 0xff])],
  ['is nested too deeply', `{"metadata":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
])('a body that %s is refused', (_, body) => {
  const read = readInputTokensRequest(Buffer.from(body), { now: () => 0, cipher, items: null })
  expect(finish(read)).toMatchObject({ type: 'invalid_request_error', param: null })
})

test('references to more than a context window holds are refused', () => {
  const items = new RecentItems(() => 0).of(1)
  items.keep([{ id: 'msg_1', type: 'message', role: 'assistant', content: 'x'.repeat(500_000) }])
  const readWith = (count: number) => {
    const input = Array.from({ length: count }, () => ({ type: 'item_reference', id: 'msg_1' }))
    const body = Buffer.from(JSON.stringify({ model: 'm', input }))
    return finish(readInputTokensRequest(body, { now: () => 0, cipher, items }))
  }
  expect(readWith(4)).toMatchObject({ model: 'm' })
  expect(readWith(5)).toMatchObject({ param: 'input', code: 'request_too_large' })
})

test('a hold covers what is added: items that are referred to, and the request for a summary', () => {
  const recentItems = new RecentItems(() => 0)
  const items = recentItems.of(1)
  const id = 'msg_1'
  const content = [{ type: 'output_text', text: 'x'.repeat(1000) }]
  items.keep([{ type: 'message', id, role: 'assistant', content }])
  const excess = (...input: object[]) => {
    const body = JSON.stringify({ model: 'm', input: [{ role: 'user', content: 'hi' }, ...input] })
    const given = { now: () => 0, cipher, items }
    const read = accepted(finish(readInputTokensRequest(Buffer.from(body), given)))
    return read.promptTokensUpperBound - body.length
  }
  expect(excess()).toBe(0)
  expect(excess({ type: 'item_reference', id })).toBeGreaterThan(1000)
  expect(excess({ type: 'compaction_trigger' })).toBe(SUMMARY_REQUEST.length)
})
