import { once } from 'node:events'
import { createServer } from 'node:http'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { FakeClock } from '../../testing/fakes/fake-clock.ts'
import { portOf } from '../../testing/harness/port-of.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import { REALTIME_LIMITS } from '../gateway/limits.ts'
import { UPSTREAM_LIMITS } from './limits.ts'
import { openProviderSession } from './open-session.ts'

test.each(['ws://127.0.0.1:1/?code=planted#x', 'ws://', 'ftp://127.0.0.1:1/'])(
  'an address without sessions fails like an unreachable one: %s',
  async (url) => {
    const channelSecrets = { key: 'sk-upstream', baseUrl: url, proxy: null }
    const tunnel = new PassThrough()
    const call = { url, headers: {}, channelSecrets, tunnel }
    const opening = await openProviderSession(call, { ...UPSTREAM_LIMITS, ...REALTIME_LIMITS })
    expect(opening).toMatchObject({
      type: 'failed',
      status: 0,
      problem: { kind: 'upstream_fault', detail: 'No connection to the upstream could be made.' },
    })
    expect(tunnel.destroyed).toBe(true)
  },
)

test('a tunnel ends if no session is opened in time', async () => {
  const tunnel = new PassThrough()
  const url = 'ws://127.0.0.1:1/'
  const channelSecrets = { key: 'sk-upstream', baseUrl: url, proxy: null }
  const limits = { ...UPSTREAM_LIMITS, ...REALTIME_LIMITS, connectMs: 50 }
  const opening = await openProviderSession({ url, headers: {}, channelSecrets, tunnel }, limits)
  expect(opening).toMatchObject({ type: 'failed' })
  await waitUntil(async () => tunnel.destroyed)
})

test('the reason of a refusal is read within the rest of the connect time', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const clock = new FakeClock()
  const connectMs = 2_000
  const leftMs = 500
  server.on('upgrade', (_request, socket) => {
    socket.on('error', () => {})
    void clock
      .advance(connectMs - leftMs)
      .then(() =>
        socket.write('HTTP/1.1 429 Too Many Requests\r\ncontent-length: 100\r\n\r\nToo ma'),
      )
  })
  try {
    const url = `ws://127.0.0.1:${portOf(server)}/`
    const channelSecrets = { key: 'sk-upstream', baseUrl: url, proxy: null }
    const call = { url, headers: {}, channelSecrets, tunnel: null }
    const limits = { ...UPSTREAM_LIMITS, ...REALTIME_LIMITS, connectMs }
    const opening = openProviderSession(call, limits, { clock })
    await clock.passOnceWaited(leftMs)
    expect(await opening).toMatchObject({ type: 'failed', status: 429 })
  } finally {
    server.closeAllConnections()
    server.close()
  }
})
