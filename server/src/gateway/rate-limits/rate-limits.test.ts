import { describe, expect, test } from 'vitest'
import type { OptionKey } from '@tollgate/contract'
import {
  answerChat,
  answerError,
  answerStream,
  type Behaviour,
  chunk,
  gated,
  neverAnswer,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { startRedis } from '../../../testing/harness/redis.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ASKED,
  COST,
  type Provider,
  QUOTA,
  readError,
  setUp,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'
import {
  otherStream,
  partialStream,
  readStream,
} from '../../../testing/worlds/stream-failover-scenario.ts'

const rateHeadersOf = ({ headers }: Response) =>
  Object.fromEntries([...headers].filter(([name]) => name.startsWith('x-ratelimit-')))

const statusesOf = async (times: number, send: () => Promise<Response>) => {
  const statuses: number[] = []
  for (let time = 0; time < times; time += 1) statuses.push((await send()).status)
  return statuses
}

test('a key has a number of requests per minute, and headers with the rest', async () => {
  const world = await setUp(answerChat(), { options: [['TokenRequestsPerMinute', '3']] })
  const answer = await world.ask()
  expect([answer.status, rateHeadersOf(answer)]).toEqual([
    200,
    {
      'x-ratelimit-limit-requests': '3',
      'x-ratelimit-remaining-requests': '2',
      'x-ratelimit-reset-requests': '1m0s',
    },
  ])
  expect(answer.headers.get('access-control-expose-headers')).toContain('x-ratelimit-limit-tokens')
  expect(await statusesOf(2, () => world.ask())).toEqual([200, 200])

  const refused = await world.ask()
  expect(refused.status).toBe(429)
  expect(rateHeadersOf(refused)).toMatchObject({ 'x-ratelimit-remaining-requests': '0' })
  const wait = Number(refused.headers.get('retry-after'))
  expect(wait).toBeGreaterThan(30)
  expect(wait).toBeLessThanOrEqual(60)
  expect(await readError(refused)).toMatchObject({
    type: 'requests',
    code: 'rate_limit_exceeded',
    message: expect.stringMatching(
      /^Rate limit reached for this API key on requests per min \(RPM\): Limit 3, Used 3, Requested 1\. Please try again in (?:1m0|\d+)s\./,
    ),
  })
  // A refused request reaches no provider, is free and leaves no log row.
  const { account, logs } = await world.books()
  expect([world.calls(), account.quota, logs.length]).toEqual([[3], QUOTA - 3 * COST, 3])
  const other = await world.addToken({ user: world.user })
  expect((await { ...world, key: other.key }.ask()).status).toBe(200)
})

test('requests for a model without a channel count like all others', async () => {
  const world = await setUp(answerChat(), { options: [['TokenRequestsPerMinute', '3']] })
  const unserved = () => world.ask({ ...ASKED, model: 'x' })
  expect(await statusesOf(4, unserved)).toEqual([503, 503, 503, 429])
  expect((await world.ask()).status).toBe(429)
  expect((await world.books()).logs).toHaveLength(3)
})

test('a free token count counts as a request', async () => {
  const world = await setUp(answerChat(), {
    options: [
      ['TokenRequestsPerMinute', '3'],
      ['TokenTokensPerMinute', '100'],
    ],
  })
  const count = () =>
    fetch(`${world.url}/v1/messages/count_tokens`, {
      method: 'POST',
      headers: { 'x-api-key': world.key, 'content-type': 'application/json' },
      body: JSON.stringify({
        ...ASKED,
        messages: [{ role: 'user', content: 'word '.repeat(500) }],
      }),
    })
  expect(await statusesOf(4, count)).toEqual([200, 200, 200, 429])
  expect((await world.ask()).status).toBe(429)
})

test("all keys of a user share the user's limit", async () => {
  const world = await setUp(answerChat(), {
    options: [
      ['UserRequestsPerMinute', '3'],
      ['TokenRequestsPerMinute', '2'],
    ],
  })
  const other = { ...world, key: (await world.addToken({ user: world.user })).key }
  expect(await statusesOf(3, () => world.ask())).toEqual([200, 200, 429])
  const last = await other.ask()
  expect(rateHeadersOf(last)).toMatchObject({
    'x-ratelimit-limit-requests': '3',
    'x-ratelimit-remaining-requests': '0',
  })
  expect((await readError(await other.ask())).message).toContain('for this account')
})

test('all users served by a group share its limit, and a changed option counts immediately', async () => {
  const world = await setUp([{ script: [answerChat()] }, { script: [answerChat()], group: 'vip' }])
  const add = async (group: string) => {
    const user = await world.addUser({ quota: QUOTA, group })
    return { ...world, key: (await world.addToken({ user })).key }
  }
  const [vip, second] = [await add('vip'), await add('vip')]
  await world.setOption('GroupRequestsPerMinute', '{"vip": 2}')
  expect(await statusesOf(3, () => world.ask())).toEqual([200, 200, 200])
  expect([(await vip.ask()).status, (await second.ask()).status]).toEqual([200, 200])
  expect((await readError(await second.ask())).message).toContain('for the group vip')
  await world.setOption('GroupRequestsPerMinute', '{"vip": 3, "constructor": 1}')
  expect(await statusesOf(2, () => vip.ask())).toEqual([200, 429])
})

/** Option, its value and the refusal's text. */
const LIMITS: [OptionKey, string, string][] = [
  ['UserRequestsPerMinute', '1', 'for this account on requests per min (RPM): Limit 1'],
  ['UserTokensPerMinute', '25', 'for this account on tokens per min (TPM): Limit 25'],
  ['UserConcurrentRequests', '1', 'for this account on concurrent requests: Limit 1'],
  ['TokenRequestsPerMinute', '1', 'for this API key on requests per min (RPM): Limit 1'],
  ['TokenTokensPerMinute', '25', 'for this API key on tokens per min (TPM): Limit 25'],
  ['TokenConcurrentRequests', '1', 'for this API key on concurrent requests: Limit 1'],
  ['GroupRequestsPerMinute', '{"default":1}', 'for the group default on requests per min (RPM)'],
  ['GroupTokensPerMinute', '{"default":25}', 'for the group default on tokens per min (TPM)'],
  ['GroupConcurrentRequests', '{"default":1}', 'for the group default on concurrent requests'],
]

test.each(LIMITS)('%s limits, with its own wording and headers', async (option, most, words) => {
  const { script, letGo } = gated(answerChat())
  const world = await setUp([script, answerChat()], { options: [[option, most]] })
  const running = world.ask()
  await waitUntil(async () => world.calls()[0] === 1)
  const isConcurrent = option.endsWith('ConcurrentRequests')
  if (!isConcurrent) {
    letGo()
    await running
    await world.books()
  }
  const refused = await world.ask()
  expect(refused.status).toBe(429)
  expect((await readError(refused)).message).toContain(words)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  const names = Object.keys(rateHeadersOf(refused))
  const measure = option.endsWith('TokensPerMinute') ? 'tokens' : 'requests'
  const shown = isConcurrent ? [] : ['limit', 'remaining', 'reset']
  expect(names).toEqual(shown.map((name) => `x-ratelimit-${name}-${measure}`))
  letGo()
  expect((await running).status).toBe(200)
  expect((await world.books()).logs).toHaveLength(1)
})

/** A quarter of the bytes, rounded up. */
const ESTIMATE = Math.ceil(JSON.stringify(ASKED).length / 4)
const USED = 15
const ANTHROPIC = 14

describe('tokens per minute', () => {
  const setUpTokens = (script: Behaviour[], most: number, others: Provider[] = []) =>
    setUp([{ script, priority: 1 }, ...others], {
      options: [
        ['UserTokensPerMinute', String(most)],
        ['RetryTimes', '0'],
      ],
    })
  const left = async (world: World) => {
    const answer = await world.ask()
    await answer.arrayBuffer()
    return Number(answer.headers.get('x-ratelimit-remaining-tokens'))
  }

  test('count as estimated on arrival, and as reported at the end', async () => {
    const most = 2 * USED + ESTIMATE
    const world = await setUpTokens([answerChat()], most)
    expect(await left(world)).toBe(most - ESTIMATE)
    expect(await left(world)).toBe(most - USED - ESTIMATE)
    expect(await left(world)).toBe(0)
    const refused = await world.ask()
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(30)
    expect(await readError(refused)).toMatchObject({
      type: 'tokens',
      code: 'rate_limit_exceeded',
      message: expect.stringContaining(
        `for this account on tokens per min (TPM): Limit ${most}, Used ${3 * USED}, Requested ${ESTIMATE}.`,
      ),
    })
  })

  test.each([
    ['beyond the estimate', answerStream(WHOLE_STREAM), '0'],
    ['with failover', answerStream(partialStream, 'cut'), '3'],
  ])('count all usage of a stream %s', async (_what, first, retries) => {
    const world = await setUpTokens([first, answerChat()], 1000, [{ script: [otherStream] }])
    await world.setOption('RetryTimes', retries)
    const { isWhole } = readStream(await (await world.ask(STREAMED)).text())
    expect(isWhole).toBe(true)
    const { log } = await world.books()
    const had = (log?.prompt_tokens ?? 0) + (log?.completion_tokens ?? 0)
    expect(had).toBeGreaterThan(0)
    expect(await left(world)).toBe(1000 - had - ESTIMATE)
  })

  test('count nothing for a request that no provider answered', async () => {
    const world = await setUpTokens([answerError(500, {}), answerChat()], 1000)
    expect((await world.ask()).status).toBe(502)
    expect(await left(world)).toBe(1000 - ESTIMATE)
  })

  const PNG = `data:image/png;base64,${'A'.repeat(9000)}`
  test.each<[string, object]>([
    ['a file that is named', { type: 'file', file: { file_id: 'f' } }],
    ['a file in it', { type: 'file', file: { file_data: 'A'.repeat(9000) } }],
    ['sound', { type: 'input_audio', input_audio: { format: 'wav', data: 'A'.repeat(9000) } }],
    ['a picture', { type: 'image_url', image_url: { url: PNG } }],
  ])('count the texts of a prompt with %s', async (_what, part) => {
    const world = await setUpTokens([answerChat()], 500)
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'hi' }, part] }]
    const answer = await world.ask({ ...ASKED, messages })
    expect(answer.status).toBe(200)
    const used = 500 - Number(answer.headers.get('x-ratelimit-remaining-tokens'))
    expect(used).toBeGreaterThan(ESTIMATE)
    expect(used).toBeLessThan(3 * ESTIMATE)
  })

  test('count the texts of a prompt whose tools the provider runs', async () => {
    const world = await setUp([{ script: [answerError(400, {})], type: ANTHROPIC }], {
      // The hold covers searches.
      quota: 1_000_000,
      options: [
        ['UserTokensPerMinute', '500'],
        ['UnpricedFeaturesEnabled', 'true'],
      ],
    })
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
    await world.ask({ ...ASKED, max_tokens: 9, tools }, { path: '/v1/messages' })
    expect(world.calls()).toEqual([1])
  })

  test('a prompt larger than the limit is refused for good, without a Retry-After', async () => {
    const world = await setUpTokens([answerChat()], ESTIMATE - 1)
    const refused = await world.ask()
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, null])
    expect((await readError(refused)).message).toMatch(/^Request too large for this account/)
  })
})

describe('concurrent requests', () => {
  const options: [['TokenConcurrentRequests', string], ['RetryTimes', string]] = [
    ['TokenConcurrentRequests', '1'],
    ['RetryTimes', '0'],
  ]
  const isFree = (world: World) => waitUntil(async () => (await world.ask()).status === 200)

  test.each<[string, Behaviour]>([
    ['an upstream that fails', answerError(500, {})],
    ['an upstream that is silent', neverAnswer],
    ['a stream that breaks', answerStream([chunk({ content: 'Hel' })], 'cut')],
    ['a stream that stalls', answerStream([chunk({ content: 'Hel' })], 'hang')],
    ['a stream that ends well', answerStream(WHOLE_STREAM)],
  ])('a place is released after %s', async (_, behaviour) => {
    const world = await setUp([behaviour, answerChat()], { options })
    await (await world.ask(STREAMED)).text()
    await isFree(world)
    await world.books()
  })

  test('a place is released when the client disconnects', async () => {
    const stalls = answerStream([chunk({ content: 'Hel' })], 'hang')
    const world = await setUp([stalls, answerChat()], { options })
    const client = world.askAndLeave(STREAMED)
    await client.firstByte()
    expect((await world.ask()).status).toBe(429)
    await client.leave()
    await isFree(world)
  })

  test('a place is released by a request that is refused for another reason', async () => {
    const world = await setUp(answerChat(), { options, quota: 0 })
    expect(await statusesOf(3, () => world.ask())).toEqual([403, 403, 403])
  })
})

describe('over Redis', () => {
  const redis = openOnce(() => startRedis())
  test('nodes count together, and each for itself while Redis is away', async () => {
    const options: [['GroupRequestsPerMinute', string]] = [
      ['GroupRequestsPerMinute', '{"default": 4}'],
    ]
    const open = () => setUp(answerChat(), { options, redisUrl: redis.url })
    const [one, other] = [await open(), await open()]
    expect(await statusesOf(3, () => one.ask())).toEqual([200, 200, 200])
    expect(await statusesOf(2, () => other.ask())).toEqual([200, 429])
    expect((await one.ask()).status).toBe(429)
    await redis.kill()
    expect(await statusesOf(2, () => one.ask())).toEqual([200, 429])
    expect(await statusesOf(4, () => other.ask())).toEqual([200, 200, 200, 429])
  })
})
