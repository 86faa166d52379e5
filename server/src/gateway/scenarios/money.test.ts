import { request as httpRequest } from 'node:http'
import { describe, expect, test } from 'vitest'
import {
  answerAsAsked,
  answerChat,
  answerError,
  answerStream,
  type Behaviour,
  chunk,
  gated,
  resetConnection,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ASKED,
  COST,
  MODEL,
  QUOTA,
  setUp,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'

const REQUESTS = Number(process.env['MONEY_REQUESTS'] ?? 300)
const CONCURRENCY = 64

/** Too long to be counted exactly. */
const LONG = '1a'.repeat(100_000)

/** A Retry-After on every channel would stop all requests until it is over. */
const limitedFor9s = answerError(429, {}, { 'retry-after': '9' })

/** Every kind of failure in sequence. */
function moody(limited = answerError(429, {})): Behaviour {
  const moods: Behaviour[] = [
    answerAsAsked,
    answerError(500, {}),
    answerAsAsked,
    resetConnection,
    answerStream([chunk({ content: 'Hello' }), chunk({ content: ' there' })], 'cut'),
    answerAsAsked,
    limited,
    answerStream([chunk({ content: 'Hello' })], 'end'),
    answerError(400, { code: 'invalid_value' }),
    answerAsAsked,
  ]
  let turn = 0
  return (response, request) => {
    turn += 1
    return moods[turn % moods.length]?.(response, request)
  }
}

async function askAndMaybeLeave(world: World, index: number): Promise<void> {
  const body = JSON.stringify(index % 2 === 0 ? ASKED : STREAMED)
  const request = httpRequest(`${world.url}/v1/chat/completions`, {
    method: 'POST',
    agent: false,
    headers: { authorization: `Bearer ${world.key}` },
  })
  await new Promise<void>((resolve) => {
    request.on('error', () => resolve())
    request.on('close', () => resolve())
    request.on('response', (response) => {
      response.on('error', () => {})
      if (index % 7 === 0) response.once('data', () => request.destroy())
      response.resume()
    })
    request.end(body)
    if (index % 11 === 0) setTimeout(() => request.destroy(), index % 50)
  })
}

describe.each(DATABASES)('on %s', (kind) => {
  test('requests with retries, broken streams and disconnects: every unit is accounted for', async () => {
    const world = await setUp(
      [
        { script: [moody(limitedFor9s)] },
        { script: [moody()] },
        { script: [moody()], priority: -1 },
      ],
      { kind, quota: 10_000_000, tokenQuota: 5_000_000, options: [['RetryTimes', '2']] },
    )
    let next = 0
    const worker = async () => {
      while (next < REQUESTS) await askAndMaybeLeave(world, next++)
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, worker))
    await world.gateway().shutDown()
    const { account, key, logs } = await world.books()
    const charged = logs.reduce((sum, log) => sum + log.quota, 0)
    const channels = await world.database.kysely
      .selectFrom('channels')
      .select('used_quota')
      .execute()
    expect(charged).toBeGreaterThan(REQUESTS)
    expect(account.used_quota).toBe(charged)
    expect(account.quota).toBe(10_000_000 - charged)
    expect(key.used_quota).toBe(charged)
    expect(key.remain_quota).toBe(5_000_000 - charged)
    expect(channels.reduce((sum, row) => sum + row.used_quota, 0)).toBe(charged)
    expect(account.request_count).toBe(logs.length)
    // Some clients disconnected before their request had arrived.
    expect(logs.length).toBeGreaterThan(REQUESTS * 0.9)
    expect(world.transactionCount()).toBe(0)
    const reasons = new Set(logs.map(({ end_reason }) => end_reason))
    expect(reasons).toContain('client_left')
    expect(reasons).toContain('broken_stream')
    expect(reasons).toContain('request_refused')
  }, 90_000)

  // guards: C15.2
  test('200 concurrent requests on quota for 10 are served 10 times', async () => {
    const { script: slow, letGo: resolve } = gated(answerChat())
    const limited = { ...ASKED, max_tokens: 1000 }
    const world = await setUp(slow, { kind, quota: QUOTA, options: [['PreConsumedQuota', '0']] })
    const body = JSON.stringify(limited)
    const first = world.ask(limited)
    await waitUntil(async () => world.calls()[0] === 1)
    resolve()
    await first
    const held = (await world.books()).log?.held ?? 0
    expect(held).toBe(Math.ceil((body.length + 4 * 1000) * 0.075))
    const poor = await setUpPoor(kind, held * 10)
    const outcomes = await Promise.all(Array.from({ length: 200 }, () => poor.ask(limited)))
    const served = outcomes.filter((status) => status === 200)
    expect(served).toHaveLength(10)
    expect(outcomes.filter((status) => status === 429)).toHaveLength(190)
    const { account, logs } = await poor.world.books()
    expect(account.quota).toBe(held * 10 - 10 * COST)
    expect(logs).toHaveLength(10)
  })

  // guards: C11.3
  test.each([
    ['an empty text to embed', 0, { path: '/v1/embeddings' }, { model: MODEL, input: '' }],
    ['a prompt outside of the messages', 300, {}, { ...ASKED, prediction: { content: LONG } }],
    [
      'a long text of few letters',
      10_000,
      {},
      { ...ASKED, messages: [{ role: 'user', content: LONG }] },
    ],
  ])('%s is not served if the balance does not pay for it', async (_what, quota, init, body) => {
    const world = await setUp(answerChat(), { kind, quota })
    const response = await world.ask(body, init)
    expect(response.status).toBe(403)
    expect(world.calls()).toEqual([0])
    expect((await world.books()).account).toMatchObject({ quota, used_quota: 0 })
  })

  // guards: C11.1
  test('an output limit of 0 holds as much as no limit, and limits the provider if the balance is short', async () => {
    const world = await setUp(answerChat(), { kind, quota: 300 })
    expect((await world.ask({ ...ASKED, max_tokens: 0 })).status).toBe(200)
    const sent = JSON.parse(world.upstream.requestsOf('p0')[0]?.body.toString() ?? '')
    expect(sent.max_tokens).toBeGreaterThan(256)
    expect((await world.books()).log?.basis).toContain('"held":300')
  })
})

/** A provider that answers only once every other request has been refused. */
async function setUpPoor(kind: 'sqlite' | 'postgres', quota: number) {
  let refused = 0
  const { script: slow, letGo: resolve } = gated(answerChat())
  const world = await setUp(slow, { kind, quota, upstreamLimits: { firstByteMs: 20_000 } })
  return {
    world,
    ask: async (body: object) => {
      const { status } = await world.ask(body)
      if (status !== 200) refused += 1
      if (refused === 190) resolve()
      return status
    },
  }
}
