import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { addressOf } from '../../testing/worlds/gateway-world.ts'
import type { Checks } from './checks.ts'
import { Probes } from './probes.ts'

const FINE: Checks = { database: { status: 'ok', latency_ms: 1 }, journal: { status: 'ok' } }

let probes: Probes
let server: Server

beforeEach(async () => {
  probes = new Probes('v1')
  server = createServer((request, response) => {
    if (!probes.serve(request, response)) response.end('the app')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
})
afterEach(async () => {
  server.close()
  server.closeAllConnections()
})

async function call(path: string, method = 'GET') {
  const response = await fetch(`${addressOf(server.address())}${path}`, { method })
  return { status: response.status, headers: response.headers, text: await response.text() }
}

test('the process is alive from the start to the end, and ready in between', async () => {
  const statuses = async () =>
    Promise.all(['/healthz', '/livez', '/readyz'].map(async (path) => (await call(path)).status))
  expect(await statuses()).toEqual([200, 200, 503])
  probes.open(async () => FINE)
  expect(await statuses()).toEqual([200, 200, 200])
  probes.stop()
  expect(await statuses()).toEqual([200, 200, 503])
})

test('the answer is JSON that nothing caches', async () => {
  probes.open(async () => FINE)
  const { text, headers } = await call('/readyz?x=1')
  expect(JSON.parse(text)).toEqual({
    status: 'ready',
    version: 'v1',
    checks: { start: { status: 'ok' }, ...FINE },
  })
  expect(headers.get('content-type')).toContain('application/json')
  expect(headers.get('cache-control')).toBe('no-store')
  const head = await call('/readyz', 'HEAD')
  expect([head.status, head.text]).toEqual([200, ''])
  expect(head.headers.get('content-length')).toBe(String(text.length))
})

test.each<[string, Checks]>([
  ['database', { ...FINE, database: { status: 'unavailable' } }],
  ['journal', { ...FINE, journal: { status: 'unwritable' } }],
  ['journal', { ...FINE, journal: { status: 'backlog' } }],
])('a failed check of the %s is the reason in a 503', async (_name, checks) => {
  probes.open(async () => checks)
  const { status, text } = await call('/readyz')
  expect(status).toBe(503)
  expect(JSON.parse(text)).toMatchObject({ status: 'not_ready', checks })
  expect((await call('/healthz')).status).toBe(200)
})

test('a process that is told to stop during a check is not ready', async () => {
  const { promise, resolve } = Promise.withResolvers<Checks>()
  const { promise: asked, resolve: noteAsked } = Promise.withResolvers<void>()
  probes.open(() => {
    noteAsked()
    return promise
  })
  const answer = call('/readyz')
  await asked
  probes.stop()
  resolve(FINE)
  expect((await answer).status).toBe(503)
})

test('other methods are refused, and other paths are left to the app', async () => {
  const { status, headers } = await call('/healthz', 'POST')
  expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  expect((await call('/healthz/x')).text).toBe('the app')
})
