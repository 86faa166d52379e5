import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { ROLE } from '@tollgate/contract'
import { answerChat } from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { openRawClient } from '../../../testing/harness/raw-client.ts'
import { startRedis, type TestRedis } from '../../../testing/harness/redis.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ask as askPlainly,
  ASKED,
  expectRefusal,
  QUOTA,
  readError,
  type Setup,
  setUp,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'

/** Longer than any test, so that waiting for a body would never end. */
const PATIENT = { bodyMs: 600_000, arrivalCheckMs: 600_000 }

const ONE_REQUEST: Setup['options'] = [['TokenRequestsPerMinute', '1']]
const USAGE = { prompt_tokens: 80, completion_tokens: 20, total_tokens: 100 }

const open = (setup: Setup = {}) =>
  setUp(answerChat('Hello there', USAGE), { ...setup, limits: { ...PATIENT, ...setup.limits } })

const TYPE = { 'content-type': 'application/json' }

const ask = (
  world: Pick<World, 'url' | 'key'>,
  body: object | string = ASKED,
  init: { path?: string; headers?: Record<string, string> } = {},
) => askPlainly(world, body, { ...init, headers: { ...TYPE, ...init.headers } })

const CHAT = '/v1/chat/completions'
const COUNT = '/v1/messages/count_tokens'

const head = (key: string, framing: string, path = CHAT) =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${key}\r\n` +
  `Content-Type: application/json\r\n${framing}\r\n\r\n`

/** Sends a head without any of its body and returns the answer. */
async function sendHead(world: Pick<World, 'url' | 'key'>, framing: string, path?: string) {
  const client = openRawClient(world)
  client.socket.write(head(world.key, framing, path))
  await client.closed
  return client.received()
}

/** Which parser reads the request; chunks are read by Node.js. */
const FRAMINGS = [
  ['our reader', 'Content-Length: 1000'],
  ['that of Node.js', 'Transfer-Encoding: chunked'],
] as const

const keyOf = async (world: World, group: string) => {
  const user = await world.addUser({ quota: QUOTA, group })
  return { ...world, key: (await world.addToken({ user })).key }
}

describe.each(FRAMINGS)('%s does not wait for a body that never arrives', (_reader, framing) => {
  test.each([
    ['requests of the key', 'TokenRequestsPerMinute', '1'],
    ['requests of the user', 'UserRequestsPerMinute', '1'],
    ['requests of the only group', 'GroupRequestsPerMinute', '{"default":1}'],
    ['tokens of the key', 'TokenTokensPerMinute', '90'],
    ['tokens of the only group', 'GroupTokensPerMinute', '{"default":90}'],
  ] as const)('when its %s are used up', async (_limit, option, value) => {
    const world = await open({ options: [[option, value]] })
    expect((await ask(world)).status).toBe(200)
    await world.books()
    const answer = await sendHead(world, framing)
    expect(answer).toMatch(/^HTTP\/1\.1 429 /)
    expect(answer).toMatch(/\r\nconnection: close\r\n/i)
    expect(answer).toMatch(/\r\nretry-after: \d+\r\n/i)
    expect(answer).toContain('"code":"rate_limit_exceeded"')
    expect(world.calls()).toEqual([1])
  })

  test('when the balance is empty and no model is free', async () => {
    const world = await open({ quota: 0 })
    const answer = await sendHead(world, framing)
    expect(answer).toMatch(/^HTTP\/1\.1 403 /)
    expect(answer).toMatch(/\r\nconnection: close\r\n/i)
    expect(answer).toContain('"code":"insufficient_user_quota"')
    expect(answer).toContain('Insufficient balance: $0.00 left')
    expect((await world.books()).logs).toEqual([])
  })

  test('when its key is unknown', async () => {
    const world = await open()
    const answer = await sendHead({ ...world, key: 'sk-nobody' }, framing)
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
    expect(answer).toMatch(/\r\nconnection: close\r\n/i)
  })

  test('and counts the request while its body is awaited', async () => {
    const world = await open({ options: [['UserConcurrentRequests', '1']] })
    const first = openRawClient(world)
    first.socket.write(head(world.key, framing))
    await waitUntil(async () => (await ask(world)).status === 429)
    expect(await sendHead(world, framing)).toMatch(/^HTTP\/1\.1 429 /)
    expect(await sendHead(world, framing, COUNT)).toMatch(/^HTTP\/1\.1 429 /)
    first.socket.destroy()
    await waitUntil(async () => (await ask(world)).status === 200)
  })

  test('keeps its connection after a refused body has arrived', async () => {
    const world = await open({ options: ONE_REQUEST })
    await ask(world)
    const { socket, waitFor: hears } = openRawClient(world)
    const isChunked = framing === 'Transfer-Encoding: chunked'
    const [body, packed] = isChunked ? ['0\r\n\r\n', framing] : ['{}', 'Content-Length: 2']
    for (const count of [1, 2, 3]) {
      socket.write(head(world.key, `${packed}\r\nX-Count: ${count}`) + body)
      await hears('"code":"rate_limit_exceeded"')
    }
    const asked = 'GET /v1/dashboard/billing/subscription HTTP/1.1\r\nHost: x'
    socket.write(`${asked}\r\nAuthorization: ${world.key}\r\n\r\n`)
    await hears('HTTP/1.1 200 OK', '"object":"billing_subscription"')
  })
})

describe('a client that expects 100-continue', () => {
  const expecting = (key: string, length: number) =>
    head(key, `Content-Length: ${length}\r\nExpect: 100-continue`)

  test('is not asked for a body that is refused', async () => {
    const world = await open({ options: ONE_REQUEST, limits: { lingerMs: 60_000 } })
    await ask(world)
    const { socket, received: said, closed } = openRawClient(world)
    socket.write(expecting(world.key, 1000))
    await closed
    expect(said()).toMatch(/^HTTP\/1\.1 429 /)
  })

  test('is not asked for one that is larger than allowed', async () => {
    const world = await open({ limits: { bodyBytesMax: 100, lingerMs: 60_000 } })
    const { socket, received: said, closed } = openRawClient(world)
    socket.write(expecting(world.key, 1000))
    await closed
    expect(said()).toMatch(/^HTTP\/1\.1 413 /)
  })

  test('is asked for any other body', async () => {
    const world = await open()
    const { socket, received: said, waitFor: hears } = openRawClient(world)
    const body = JSON.stringify(ASKED)
    socket.write(expecting(world.key, body.length))
    await hears('HTTP/1.1 100 Continue\r\n\r\n')
    socket.write(body)
    await hears('HTTP/1.1 200 OK', 'Hello there')
    expect(said()).toMatch(/^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 200 OK/)
  })
})

describe('what counts as a request', () => {
  const remaining = ({ headers }: Response) => headers.get('x-ratelimit-remaining-requests')

  test('a request whose body is refused counts', async () => {
    // Once a body has been read, the answer does not linger.
    const options: Setup['options'] = [['TokenRequestsPerMinute', '3']]
    const world = await open({ options, limits: { lingerMs: 600_000 } })
    expect((await ask(world, '{')).status).toBe(400)
    expect((await ask(world, { ...ASKED, model: 7 })).status).toBe(400)
    expect((await ask(world)).status).toBe(200)
    expect((await ask(world)).status).toBe(429)
  })

  test('a request that an empty balance refuses does not count', async () => {
    const world = await open({ quota: 0, options: ONE_REQUEST })
    for (let time = 0; time < 3; time += 1) expect((await ask(world)).status).toBe(403)
  })

  describe.each(['memory', 'Redis'] as const)('in %s', (kind) => {
    let redis: TestRedis
    // The tokens of all tests have the same ids.
    beforeEach(async () => {
      if (kind === 'Redis') redis = await startRedis()
    })
    afterEach(async () => {
      if (kind === 'Redis') await redis.close()
    })
    const openHere = (setup: Setup) =>
      open(kind === 'Redis' ? { ...setup, redisUrl: redis.url } : setup)

    test('a request that the token limit refuses once its prompt is known counts', async () => {
      const world = await openHere({
        options: [
          ['TokenRequestsPerMinute', '4'],
          ['TokenConcurrentRequests', '1'],
          ['UserTokensPerMinute', '250'],
        ],
      })
      const long = { ...ASKED, messages: [{ role: 'user', content: 'word '.repeat(1000) }] }
      for (const left of ['3', '2']) {
        const refused = await ask(world, long)
        expect(refused.status).toBe(429)
        expect(remaining(refused)).toBe(left)
        expect(refused.headers.get('x-ratelimit-remaining-tokens')).toBe('250')
        expect((await readError(refused)).message).toMatch(/^Request too large for this account/)
      }
      const answers = [await ask(world), await ask(world)]
      expect(answers.map(({ status }) => status)).toEqual([200, 200])
      expect(answers.map(remaining)).toEqual(['1', '0'])
      // Nor is the body read.
      expect((await readError(await ask(world, long))).message).toContain('on requests per min')
    })

    test('a body that never arrives is not awaited', async () => {
      const world = await openHere({ options: ONE_REQUEST })
      expect((await ask(world)).status).toBe(200)
      expect(await sendHead(world, 'Content-Length: 1000')).toMatch(/^HTTP\/1\.1 429 /)
    })

    test('for a user in several groups the limits of the group that serves count', async () => {
      const world = await openHere({
        options: [
          ['UserRequestsPerMinute', '10'],
          ['GroupRequestsPerMinute', '{"default":2,"vip":1}'],
          ['GroupConcurrentRequests', '{"default":5}'],
        ],
      })
      const both = await keyOf(world, 'vip,default')
      // The first group has no channel for the model.
      expect([(await ask(both)).status, (await ask(both)).status]).toEqual([200, 200])
      const refused = await ask(both)
      expect(refused.status).toBe(429)
      expect((await readError(refused)).message).toContain('for the group default')
      // A model without a channel counts for the first group.
      const unserved = { ...ASKED, model: 'x' }
      expect(remaining(await ask(both, unserved))).toBe('0')
      expect((await readError(await ask(both, unserved))).message).toContain('for the group vip')
    })
  })

  test('a refusal shows the remaining requests and tokens', async () => {
    const world = await open({
      options: [
        ['TokenRequestsPerMinute', '1'],
        ['TokenTokensPerMinute', '1000'],
      ],
    })
    await ask(world)
    await world.books()
    const refused = await ask(world)
    expect([refused.status, remaining(refused)]).toEqual([429, '0'])
    expect(refused.headers.get('x-ratelimit-remaining-tokens')).toBe('900')
  })
})

const FREE: [['ModelRatio', string]] = [['ModelRatio', '{"gpt-4o-mini":0}']]
const FREE_GROUP: [['GroupRatio', string]] = [['GroupRatio', '{"default":0}']]
const UNFUNDED_MAX = 1000

describe('an empty balance', () => {
  const openEmpty = (setup: Setup = {}) =>
    open({ quota: 0, ...setup, limits: { unfundedBodyBytesMax: UNFUNDED_MAX } })
  const padded = (bytes: number) => JSON.stringify(ASKED).padEnd(bytes)

  test.each([
    ['its price is 0', { options: FREE }],
    ['its group is free', { options: FREE_GROUP }],
    ['its price is 0 and the key is for it', { options: FREE, token: { models: 'x,gpt-4o-mini' } }],
  ])('pays for a small request when %s', async (_why, setup) => {
    const world = await openEmpty(setup)
    expect((await ask(world, padded(UNFUNDED_MAX))).status).toBe(200)
    await world.expectLog({ quota: 0, outcome: 'settled' })
    const message = `larger than ${UNFUNDED_MAX} bytes, the limit while the balance is 0.`
    const large = ask(world, padded(UNFUNDED_MAX + 1))
    await expectRefusal(large, 413, { message: expect.stringContaining(message) })
  })

  test('limits compressed bodies and bodies without a length too', async () => {
    const world = await openEmpty({ options: FREE })
    await expectRefusal(
      fetch(world.url + CHAT, {
        method: 'POST',
        headers: { authorization: world.key, 'content-encoding': 'gzip', ...TYPE },
        body: gzipSync(padded(UNFUNDED_MAX + 1)),
      }),
      413,
      'request_too_large',
    )
    const { socket, waitFor: hears } = openRawClient(world)
    const body = padded(UNFUNDED_MAX + 1)
    socket.write(head(world.key, 'Transfer-Encoding: chunked'))
    socket.write(`${body.length.toString(16)}\r\n${body}\r\n`)
    await hears('HTTP/1.1 413 ', '"code":"request_too_large"')
    expect(world.calls()).toEqual([0])
  })

  test.each([
    ['no model is free', {}],
    ['the free model is served with another group', { options: FREE, user: { group: 'vip' } }],
    ['the key is for other models', { options: FREE, token: { models: 'gpt-4o' } }],
    ['a price of 0 is of another group', { options: [['GroupRatio', '{"default":1,"vip":0}']] }],
  ] satisfies [string, Setup][])('is refused when %s', async (_why, setup) => {
    const world = await openEmpty(setup)
    await expectRefusal(ask(world), 403, {
      type: 'one_api_error',
      code: 'insufficient_user_quota',
      message: expect.stringMatching(/^Insufficient balance: \$0\.00 left\. /),
    })
    expect((await world.books()).logs).toEqual([])
  })

  test('follows changes of prices and channels immediately', async () => {
    const world = await openEmpty()
    expect((await ask(world)).status).toBe(403)
    await world.setOption('ModelRatio', '{"gpt-4o-mini":0}')
    expect((await ask(world)).status).toBe(200)
    await world.database.change((tx) => tx.deleteFrom('abilities').execute())
    await waitUntil(async () => (await ask(world)).status === 403)
  })

  test('is refused by the hold if an administrator names a channel', async () => {
    const world = await openEmpty({
      user: { role: ROLE.admin },
      options: [['DisplayInCurrencyEnabled', 'false']],
    })
    const key = `${world.key}-${world.channels[0]}`
    const message = expect.stringMatching(
      /^Insufficient balance: 0 units left, this request needs up to (?!1 )\d+ units\./,
    )
    await expectRefusal(ask({ ...world, key }), 403, { message })
  })

  test('counts the tokens of a small prompt', async () => {
    const world = await openEmpty()
    const asked = { ...ASKED, max_tokens: 1 }
    expect((await ask(world, asked, { path: COUNT })).status).toBe(200)
    const large = JSON.stringify(asked).padEnd(UNFUNDED_MAX + 1)
    expect((await ask(world, large, { path: COUNT })).status).toBe(413)
  })

  describe.each(DATABASES)('on %s', (kind) => {
    /** Like a code redeemed on another node, of which this node is not notified. */
    const TOP_UP = { kind: 'user', amount: QUOTA, reason: 'test', actorId: 0 } as const
    const topUp = ({ database, ledger, user }: World, source: string) =>
      database.transaction((tx) => ledger.credit(tx, { ...TOP_UP, ownerId: user, source }))

    test('that was topped up on another node is read again before it is refused', async () => {
      const world = await openEmpty({ kind })
      expect((await ask(world)).status).toBe(403)
      await topUp(world, 'first')
      const large = padded(UNFUNDED_MAX + 1)
      expect((await ask(world, large)).status).toBe(200)
      expect((await ask(world, large)).status).toBe(200)
      expect((await world.books()).logs).toHaveLength(2)
    })

    test('that was topped up on another node lets large prompts be counted', async () => {
      const world = await openEmpty({ kind })
      const large = JSON.stringify({ ...ASKED, max_tokens: 1 }).padEnd(UNFUNDED_MAX + 1)
      expect((await ask(world, large, { path: COUNT })).status).toBe(413)
      await topUp(world, 'first')
      expect((await ask(world, large, { path: COUNT })).status).toBe(200)
    })
  })
})
