import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { CHANNEL_STATUS } from '@tollgate/contract'
import { startHttpProxy, startSocksProxy } from '../../../testing/fakes/proxies.ts'
import {
  answersAll,
  type Playing,
  refuses,
  type Refusing,
  sessionCreated,
} from '../../../testing/fakes/realtime-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  type Answered,
  openClient,
  openRealtime,
  REALTIME_MODEL,
  type RealtimeSetup,
  type RealtimeWorld,
  RESPONSE_COST,
  setUpRealtime,
  talk,
  withKey,
} from '../../../testing/worlds/realtime-scenario.ts'
import { expectJson, MODEL } from '../../../testing/worlds/relay-scenario.ts'
import { changeRow } from '../../../testing/worlds/rows.ts'

const refusal = z.strictObject({
  error: z.strictObject({
    message: z.string(),
    type: z.string(),
    param: z.string().nullable(),
    code: z.string().nullable(),
  }),
})

function refusedBy(answered: Answered) {
  if (!('body' in answered)) throw new Error('a session was opened')
  const { error } = refusal.parse(JSON.parse(answered.body))
  const id = answered.headers['x-request-id']
  expect(error.message.endsWith(` (request id: ${id})`)).toBe(true)
  expect(answered.headers['content-type']).toContain('application/json')
  return { status: answered.status, code: error.code }
}

function opened(answered: Answered) {
  if (!('client' in answered)) throw new Error(`refused: ${answered.body}`)
  return answered
}

const query = `model=${REALTIME_MODEL}`

describe('the key', () => {
  test.each<[string, (key: string) => Parameters<typeof openRealtime>[1]]>([
    ['in Authorization', withKey],
    ['in api-key', (key) => ({ headers: { 'api-key': key } })],
    ['in the address', (key) => ({ query: `${query}&api-key=${key}` })],
    ['a protocol', (key) => ({ protocols: ['realtime', `openai-insecure-api-key.${key}`] })],
  ])('may be %s', async (_where, way) => {
    const world = await setUpRealtime([[answersAll()]])
    const { client, protocol, headers } = opened(await openRealtime(world, way(world.key)))
    await client.next('session.created')
    expect(protocol).toBe(way('')?.protocols === undefined ? '' : 'realtime')
    expect(headers['x-request-id']).toMatch(/^\d+$/)
    await client.leave()
    const [session] = world.provider.sessionsOf('p0')
    // The provider gets its own key and no header of ours.
    expect(session?.headers['authorization']).toBe('Bearer sk-upstream')
    expect(JSON.stringify(session?.headers)).not.toContain(world.key.slice(3))
    expect(session?.url).toBe(`/v1/realtime?model=${REALTIME_MODEL}`)
    const { logs } = await world.books()
    expect(logs).toMatchObject([{ outcome: 'void', end_reason: 'client_left', quota: 0 }])
  })

  test.each<[string, Parameters<typeof openRealtime>[1]]>([
    ['wrong', withKey('sk-wrong')],
    ['missing', {}],
    ['wrong among the protocols', { protocols: ['realtime', 'openai-insecure-api-key.sk-wrong'] }],
  ])('is refused if it is %s', async (_what, way) => {
    const world = await setUpRealtime([[answersAll()]])
    expect(refusedBy(await openRealtime(world, way))).toEqual({
      status: 401,
      code: 'invalid_api_key',
    })
    expect(world.provider.asked('p0')).toBe(0)
    expect((await world.books()).logs).toEqual([])
  })

  test('that is wrong causes an error that the official client reads', async () => {
    const world = await setUpRealtime([[answersAll()]])
    await expect(talk({ ...world, key: 'sk-wrong' })).rejects.toThrow('401')
  })
})

test('the preview version of the protocol is forwarded, as a header or a subprotocol', async () => {
  const world = await setUpRealtime([[answersAll()]])
  const key = `openai-insecure-api-key.${world.key}`
  const ways = [
    { protocols: ['realtime', key, 'openai-beta.realtime-v1'] },
    { headers: { authorization: `Bearer ${world.key}`, 'OpenAI-Beta': 'realtime=v1' } },
    withKey(world.key),
  ]
  for (const way of ways) opened(await openRealtime(world, way))
  const spoken = world.provider.sessionsOf('p0').map(({ headers }) => headers['openai-beta'])
  expect(spoken).toEqual(['realtime=v1', 'realtime=v1', undefined])
})

type Case = [name: string, setup: RealtimeSetup, query: string, status: number, code: string]
const unpriced: RealtimeSetup = {
  options: [['DefaultModelRatio', 'null']],
  providers: [{ models: 'unknown' }],
}
const with404: RealtimeSetup = { options: [['UnknownModelStatus', '404']] }
const elsewhere = { token: { subnet: '10.0.0.0/8' } }

test.each<Case>([
  ['no model', {}, '', 400, 'invalid_query'],
  ['a call that was begun elsewhere', {}, 'call_id=rtc_1', 400, 'invalid_query'],
  ['a session for something else', {}, 'intent=translation', 400, 'invalid_query'],
  ['a transcription without a channel', {}, 'intent=transcription', 503, 'no_available_channel'],
  ['a model without a channel', {}, 'model=other', 503, 'no_available_channel'],
  ['such a model with the option', with404, 'model=other', 404, 'model_not_found'],
  ['a model not for the key', { token: { models: 'other' } }, query, 403, 'model_not_allowed'],
  ['an address not for the key', elsewhere, query, 403, 'address_not_allowed'],
  ['a chat provider', { providers: [{ type: 29 }] }, query, 503, 'no_available_channel'],
  ['no balance', { quota: 100 }, query, 403, 'insufficient_user_quota'],
  ['a key without balance', { tokenQuota: 100 }, query, 403, 'insufficient_user_quota'],
  ['a model without a price', unpriced, 'model=unknown', 400, 'model_price_unset'],
  ['too many sessions', { realtime: { sessionsMax: 0 } }, query, 503, 'too_many_sessions'],
])('%s is refused before the protocol is switched', async (...[, setup, asked, status, code]) => {
  const world = await setUpRealtime([[answersAll()]], setup)
  const way = { ...withKey(world.key), query: asked }
  expect(refusedBy(await openRealtime(world, way))).toEqual({ status, code })
  expect(world.provider.asked('p0')).toBe(0)
  const { account, logs } = await world.books()
  expect([account.used_quota, logs.every(({ outcome }) => outcome === 'void')]).toEqual([0, true])
})

test('sessions with a model without a channel count as requests per minute', async () => {
  const world = await setUpRealtime([[answersAll()]], { options: [['UserRequestsPerMinute', '1']] })
  const unserved = { ...withKey(world.key), query: 'model=x' }
  expect(refusedBy(await openRealtime(world, unserved)).status).toBe(503)
  const second = refusedBy(await openRealtime(world, unserved))
  expect(second).toEqual({ status: 429, code: 'rate_limit_exceeded' })
  expect((await world.books()).logs).toHaveLength(1)
})

test('sessions count as concurrent requests for as long as they last', async () => {
  const world = await setUpRealtime([[answersAll()]], {
    options: [['UserConcurrentRequests', '1']],
  })
  const client = await openClient(world)
  const second = await openRealtime(world, withKey(world.key))
  expect(refusedBy(second)).toEqual({ status: 429, code: 'rate_limit_exceeded' })
  expect(Number(second.headers['retry-after'])).toBeGreaterThan(0)
  client.send({ type: 'response.create' })
  await client.next('response.done')
  await client.leave()
  const { logs } = await world.books()
  expect(logs).toMatchObject([{ quota: RESPONSE_COST }])
  await openClient(world)
})

describe('without a WebSocket', () => {
  test('a request for a session is refused with a hint to use one', async () => {
    const world = await setUpRealtime([[answersAll()]])
    await expectJson(fetch(`${world.url}/v1/realtime?${query}`, withKey(world.key)), 426, {
      error: { code: 'upgrade_required' },
    })
  })

  test('other requests that offer another protocol are answered normally', async () => {
    const world = await setUpRealtime([[answersAll()]])
    const upgrade = 'Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AA\r\n'
    const asked = `GET /v1/models HTTP/1.1\r\nHost: x\r\n${upgrade}Authorization: Bearer ${world.key}\r\n`
    expect(await say(world, `${asked}Connection: close\r\n\r\n`)).toContain('HTTP/1.1 200')
  })

  test.each([
    'Sec-WebSocket-Version: 8\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
    'Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: short',
    'Sec-WebSocket-Version: 13',
  ])('an invalid handshake is refused: %j', async (headers) => {
    const world = await setUpRealtime([[answersAll()]])
    const upgrade = `Connection: Upgrade\r\nUpgrade: websocket\r\n${headers}\r\n`
    const asked = `GET /v1/realtime?${query} HTTP/1.1\r\nHost: x\r\n${upgrade}`
    const answer = await say(world, `${asked}Authorization: Bearer ${world.key}\r\n\r\n`)
    for (const said of ['HTTP/1.1 426', 'sec-websocket-version: 13', 'upgrade: websocket']) {
      expect(answer).toContain(said)
    }
    expect(world.provider.asked('p0')).toBe(0)
  })
})

async function say({ url }: RealtimeWorld, text: string): Promise<string> {
  const { port } = new URL(url)
  const socket = connect(Number(port), '127.0.0.1')
  let answer = ''
  socket.on('data', (bytes: Buffer) => (answer += bytes.toString()))
  socket.write(text)
  await once(socket, 'close')
  return answer
}

describe('channels', () => {
  const badKey = refuses(401, { error: { message: 'Incorrect API key', code: 'invalid_api_key' } })
  const sayingNo: Playing = (side) => {
    const error = { type: 'server_error', code: 'server_error', message: 'at api.example.com' }
    side.send({ type: 'error', event_id: 'event_1', error })
    side.close(4000, 'server_error')
  }
  const hanging: Refusing = { refuse: () => {} }
  const closing: Playing = (side) => side.close(1011)
  const gone: Refusing = { refuse: (socket) => void socket.destroy() }

  test.each<[string, Playing | Refusing, number, string]>([
    ['refuses the key', badKey, 401, 'auth'],
    ['is overloaded', refuses(503, { error: { message: 'overloaded' } }), 503, 'overloaded'],
    ['answers something else', refuses(200, { hello: 1 }), 200, ''],
    ['says after opening that it cannot', sayingNo, 101, 'upstream_fault'],
    ['closes at once', closing, 101, 'upstream_fault'],
    ['breaks off', gone, 0, ''],
    ['never answers', hanging, 0, 'timeout'],
  ])('are tried in order: one that %s is skipped', async (_what, play, status, reason) => {
    const world = await setUpRealtime([[play], [answersAll()]], {
      options: [['RetryTimes', '3']],
      upstreamLimits: { connectMs: 400 },
    })
    const client = await openClient(world)
    client.send({ type: 'response.create' })
    await client.next('response.done')
    await client.leave()
    const { log, logs } = await world.books()
    expect(logs).toHaveLength(1)
    expect(log).toMatchObject({ channel: world.channels[1], quota: RESPONSE_COST })
    const attempts: unknown = JSON.parse(String(log?.attempts))
    expect(attempts).toEqual(
      expect.arrayContaining([
        expect.objectContaining({
          channel: world.channels[0],
          status,
          reason: expect.stringContaining(reason),
        }),
        expect.objectContaining({ channel: world.channels[1], status: 101, reason: '' }),
      ]),
    )
  })

  test('if no channel opens a session, the client receives the reason over HTTP, free of charge', async () => {
    const world = await setUpRealtime([[badKey]])
    expect(refusedBy(await openRealtime(world, withKey(world.key)))).toEqual({
      status: 502,
      code: 'upstream_error',
    })
    await world.expectLog({ outcome: 'void', end_reason: 'upstream_error' })
    expect(await world.statusOf(world.channels[0])).toMatchObject({ status: 3 })
  })

  test('a refusal of the request itself is logged as one', async () => {
    const error = { type: 'invalid_request_error', message: 'no such voice', code: 'invalid_value' }
    const world = await setUpRealtime([[refuses(400, { error })]])
    expect(refusedBy(await openRealtime(world, withKey(world.key))).status).toBe(400)
    await world.expectLog({ outcome: 'void', end_reason: 'request_refused' })
  })

  test("no channel is tried while every provider's Retry-After lasts", async () => {
    const limited: Refusing = {
      refuse: (socket) =>
        void socket.end(
          'HTTP/1.1 429 Too Many Requests\r\nretry-after: 60\r\ncontent-length: 0\r\n\r\n',
        ),
    }
    const world = await setUpRealtime([[limited, answersAll()]])
    expect(refusedBy(await openRealtime(world, withKey(world.key))).status).toBe(429)
    const again = await openRealtime(world, withKey(world.key))
    expect(refusedBy(again)).toEqual({ status: 503, code: 'channels_waiting' })
    expect(world.provider.asked('p0')).toBe(1)
    const { logs, account } = await world.books()
    expect(logs.map(({ end_reason }) => end_reason)).toContain('no_channel')
    expect(account.used_quota).toBe(0)
  })

  test('a provider that waits for its client to speak counts as ready', async () => {
    const waits: Playing = async (side) => {
      await side.next('session.update')
      side.send(sessionCreated())
    }
    const world = await setUpRealtime([[waits]], { realtime: { greetingMs: 50 } })
    const client = await openClient(world)
    client.send({ type: 'session.update', session: {} })
    await client.next('session.created')
  })

  test('a channel has its own name for the model, and Azure its own address', async () => {
    const models = MODEL
    const mapping = 'my.deployment'
    const world = await setUpRealtime([[answersAll()], [answersAll()]], {
      providers: [
        { type: 3, other: '2025-04-01-preview', key: 'azure-key', models, mapping },
        { models, mapping },
      ],
    })
    const way = { ...withKey(world.key), query: `model=${MODEL}` }
    opened(await openRealtime(world, way))
    await changeRow(world, 'channels', world.channels[0], { status: CHANNEL_STATUS.disabled })
    await waitUntil(async () => {
      opened(await openRealtime(world, way))
      return world.provider.asked('p1') > 0
    })
    expect(world.provider.sessionsOf('p1')[0]?.url).toBe('/v1/realtime?model=my.deployment')
    const [azure] = world.provider.sessionsOf('p0')
    expect(azure?.url).toBe(
      '/openai/realtime?api-version=2025-04-01-preview&deployment=mydeployment',
    )
    expect(azure?.headers['api-key']).toBe('azure-key')
    expect(azure?.headers['authorization']).toBeUndefined()
  })

  test.each([
    ['HTTP', startHttpProxy],
    ['SOCKS5', startSocksProxy],
  ])('a channel with a proxy is reached through it: %s', async (_name, start) => {
    const proxy = await start()
    try {
      const config = JSON.stringify({ proxy: proxy.address.replace('://', '://me:secret@') })
      const away = JSON.stringify({ proxy: 'socks5://127.0.0.1:1' })
      const world = await setUpRealtime([[answersAll()], [answersAll()]], {
        providers: [{ config: away }, { config }],
      })
      const client = await openClient(world)
      await client.next('session.created')
      expect(proxy.targets).toEqual([new URL(world.provider.baseUrl('p1')).host])
      expect(proxy.names).toEqual(['me:secret'])
      expect(world.provider.asked('p0')).toBe(0)
      client.socket.terminate()
      await world.books()
    } finally {
      proxy.close()
    }
  })
})
