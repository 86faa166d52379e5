import { once } from 'node:events'
import { createServer } from 'node:http'
import { afterEach, expect, test } from 'vitest'
import { rawCall, rawRequest, READERS } from '../../testing/harness/raw-call.ts'
import { openFastPath } from '../../testing/worlds/fast-path-world.ts'
import { addressOf } from '../../testing/worlds/gateway-world.ts'
import { isRelayPath } from '../gateway/intake/paths.ts'
import { NOT_READY } from './starting-page.ts'

const open = new Set<() => Promise<unknown>>()
afterEach(async () => {
  for (const close of open) await close()
  open.clear()
})

const POLICY = ["default-src 'none'; sandbox"]

test('before the database is open, every request gets a 503 to retry, from either parser', async () => {
  const { relay } = NOT_READY
  const front = await openFastPath(relay, { accepts: isRelayPath })
  open.add(front.close)
  const url = addressOf(front.server.address())
  for (const reader of READERS) {
    const answer = await rawCall(url, rawRequest('GET /v1/models', { reader }))
    expect(answer.status).toBe(503)
    // The second is the end of a chunked body.
    expect(['', '0\r\n\r\n']).toContain(answer.body)
    expect(answer.headers.get('retry-after')).toEqual(['1'])
    expect(answer.headers.get('content-security-policy')).toEqual(POLICY)
    expect(answer.headers.get('access-control-allow-origin')).toEqual(['*'])
  }
  const console = await rawCall(url, rawRequest('GET /'))
  expect(console.status).toBe(503)
  expect(console.headers.get('access-control-allow-origin')).toBeUndefined()
})

test('a handshake gets the same answer', async () => {
  const server = createServer().on('upgrade', NOT_READY.upgrade).listen(0, '127.0.0.1')
  await once(server, 'listening')
  open.add(async () => {
    server.close()
    server.closeAllConnections()
  })
  const lines = [
    'GET /v1/realtime HTTP/1.1',
    'Host: x',
    'Connection: Upgrade',
    'Upgrade: websocket',
  ]
  const answer = await rawCall(addressOf(server.address()), [...lines, '', ''].join('\r\n'))
  expect([answer.status, answer.body]).toEqual([503, ''])
  expect(answer.headers.get('connection')).toEqual(['close'])
  expect(answer.headers.get('content-security-policy')).toEqual(POLICY)
})
