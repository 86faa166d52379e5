import { expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { answersAll } from '../../../testing/fakes/realtime-upstream.ts'
import { answerChat } from '../../../testing/fakes/scripted-upstream.ts'
import { rawCall, rawRequest, READERS } from '../../../testing/harness/raw-call.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { setUpRealtime } from '../../../testing/worlds/realtime-scenario.ts'
import { ASKED, setUp } from '../../../testing/worlds/relay-scenario.ts'

const OPTIONS: ['ServerAddress' | 'ConsoleAddress', string][] = [
  ['ServerAddress', 'https://gate.example'],
  ['ConsoleAddress', 'https://console.example'],
]

test.each([
  ['POST /v1/chat/completions', 200],
  ['GET /v1/models', 200],
  ['GET /v1/nothing', 404],
  ['OPTIONS /v1/models', 204],
  ['GET /dashboard/billing/usage', 200],
  ['POST /v1beta/models/m:generateContent', 404],
  ['POST /rerank', 400],
])("%s is answered at hosts other than the console's", async (line, status) => {
  const world = await setUp(answerChat(), { options: OPTIONS })
  const body = line.startsWith('POST') ? { body: JSON.stringify(ASKED) } : {}
  const auth = `Authorization: Bearer ${world.key}`
  for (const reader of READERS) {
    const at = (...headers: string[]) =>
      rawCall(world.url, rawRequest(line, { headers: [auth, ...headers], reader, ...body }))
    for (const host of ['gate.example', 'gate.internal:3000', '127.0.0.1', 'localhost:1']) {
      expect((await at(`Host: ${host}`)).status, host).toBe(status)
    }
    for (const host of ['console.example', 'Console.Example:8443', 'console.example.']) {
      const refused = await at(`Host: ${host}`)
      expect([refused.status, refused.body]).toEqual([
        404,
        expect.stringContaining('This host serves the console only.'),
      ])
      expect(refused.headers.get('content-security-policy')).toHaveLength(1)
    }
    // Through a trusted proxy.
    expect((await at('Host: localhost', 'X-Forwarded-Host: console.example')).status).toBe(404)
  }
})

test('the relay answers at a host an administrator chose for the console until root confirms it', async () => {
  const world = await setUp(answerChat(), { options: OPTIONS })
  await world.setOption('ConsoleAddress', 'https://other.example', ROLE.admin)
  const at = async (host: string) => {
    const headers = [`Host: ${host}`, `Authorization: Bearer ${world.key}`]
    return (await rawCall(world.url, rawRequest('GET /v1/models', { headers }))).status
  }
  expect([await at('other.example'), await at('console.example')]).toEqual([200, 404])
  await world.setOption('ConsoleAddress', 'https://third.example')
  expect([await at('third.example'), await at('console.example')]).toEqual([404, 200])
})

test('a key is not read on the host of the console', async () => {
  const world = await setUp(answerChat(), { options: OPTIONS })
  const headers = ['Host: console.example', 'Authorization: Bearer sk-no']
  const { status, body } = await rawCall(world.url, rawRequest('GET /v1/models', { headers }))
  expect([status, body]).toEqual([404, expect.stringContaining('"console_host"')])
})

test('a Realtime session is refused there as well', async () => {
  const world = await setUpRealtime([[answersAll()]], { options: OPTIONS })
  const open = (host: string) =>
    rawCall(
      world.url,
      [
        'GET /v1/realtime?model=gpt-realtime HTTP/1.1',
        `Host: ${host}`,
        'Connection: Upgrade',
        'Upgrade: websocket',
        'Sec-WebSocket-Version: 13',
        'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
        `Authorization: Bearer ${world.key}`,
        '',
        '',
      ].join('\r\n'),
    )
  expect((await open('console.example')).status).toBe(404)
  expect(world.provider.asked('p0')).toBe(0)
  const opening = open('gate.example')
  await waitUntil(async () => world.provider.sessionsOf('p0').length === 1)
  world.provider.sessionsOf('p0')[0]?.close(1000)
  expect((await opening).status).toBe(101)
})
