import { expect, test } from 'vitest'
import { turnRequest } from './turn-exchange.ts'

const headersOf = (headers: Record<string, string>, frame = {}) =>
  turnRequest({ headers, socket: {} }, Buffer.from('{}'), frame).headers

test('a turn has the headers of the handshake, but for those of the WebSocket', () => {
  const session = { authorization: 'Bearer sk-1', 'session-id': 's1', 'openai-beta': 'other=v1' }
  const socket = { upgrade: 'websocket', connection: 'Upgrade', 'sec-websocket-key': 'a' }
  const own = { 'content-type': 'application/json', 'content-length': '2' }
  expect(headersOf({ ...session, ...socket })).toEqual({ ...session, ...own })
  const beta = { 'openai-beta': 'responses_websockets=2026-02-06' }
  expect(headersOf({ ...beta, 'session-id': 's1' })).toEqual({ 'session-id': 's1', ...own })
})

test('what Codex tells in a frame instead of a header becomes that header', () => {
  const member = 'ws_request_header_x_openai_internal_codex_responses_lite'
  const header = 'x-openai-internal-codex-responses-lite'
  expect(headersOf({}, { client_metadata: { [member]: 'true' } })).toMatchObject({
    [header]: 'true',
  })
  expect(headersOf({}, { client_metadata: { other: 'true' } })).not.toHaveProperty(header)
})
