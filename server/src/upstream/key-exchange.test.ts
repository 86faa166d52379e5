import { beforeEach, describe, expect, test } from 'vitest'
import {
  classifyUpstreamError,
  codecOf,
  descriptorOf,
  type KeyExchange,
  MalformedKey,
} from '@tollgate/relay'
import {
  answerJson,
  answerStream,
  neverAnswer,
  resetConnection,
  startScriptedUpstream,
} from '../../testing/fakes/scripted-upstream.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { CallProblem } from './call-problem.ts'
import { createKeyExchange, type ExchangeKey, withTokenRefused } from './key-exchange.ts'
import { UPSTREAM_LIMITS } from './limits.ts'
import { createUpstream } from './send.ts'

const BAIDU = 15
const KEY = 'api-key-0123456789|secret-key-0123456789'
const MONTH_SECONDS = 2_592_000
/** The codec avoids the last hour of a token, and the exchange five minutes more. */
const SPARE_SECONDS = 3600 + 300

let now: number
let exchangeKey: ExchangeKey

const provider = openPerTest(() => startScriptedUpstream())
const upstream = openPerTest(() => createUpstream({ ...UPSTREAM_LIMITS, firstByteMs: 200 }))
beforeEach(async () => {
  now = 1_760_000_000_000
  exchangeKey = createKeyExchange(upstream, () => now)
})

const exchangeOfBaidu = (): KeyExchange => {
  const descriptor = descriptorOf(BAIDU)
  const exchange = descriptor && codecOf(descriptor)?.tokenExchange
  if (exchange === undefined) throw new Error('Baidu changes no keys')
  return exchange
}

const tokenAnswer = (token: string, expires_in = MONTH_SECONDS) =>
  answerJson({ access_token: token, expires_in })

const hold = (key = KEY, name = 'a') =>
  exchangeKey(exchangeOfBaidu(), { baseUrl: provider.baseUrl(name), key, proxy: null })

const ask = async (key = KEY, name = 'a') => (await hold(key, name)).token

const askedCount = (name = 'a') => provider.requestsOf(name).length

async function problemOf(asking: () => unknown): Promise<CallProblem> {
  const failure: unknown = await Promise.resolve()
    .then(asking)
    .catch((error: unknown) => error)
  if (failure instanceof CallProblem) return failure
  throw new Error('the key was changed')
}

describe('a key', () => {
  test('is sent to its provider only, and exchanged for the returned token', async () => {
    provider.script('a', tokenAnswer('24.a'))
    expect(await ask()).toBe('access_token=24.a')
    const [sent] = provider.requestsOf('a')
    expect(sent?.path).toBe(
      '/oauth/2.0/token?grant_type=client_credentials&client_id=api-key-0123456789&client_secret=secret-key-0123456789',
    )
    expect(sent?.body).toHaveLength(0)
  })

  test('is exchanged once for concurrent requests', async () => {
    provider.script('a', tokenAnswer('24.a'))
    const asking = Array.from({ length: 100 }, () => ask())
    expect(new Set(await Promise.all(asking))).toEqual(new Set(['access_token=24.a']))
    expect(askedCount()).toBe(1)
  })

  test('is not exchanged again while its token is valid, which is returned synchronously', async () => {
    provider.script('a', tokenAnswer('24.a'), tokenAnswer('24.b'))
    await ask()
    now += (MONTH_SECONDS - SPARE_SECONDS) * 1000 - 1
    expect(hold()).toMatchObject({ token: 'access_token=24.a' })
    expect(askedCount()).toBe(1)
  })

  test('is exchanged again before its token expires, once for all requests', async () => {
    provider.script('a', tokenAnswer('24.a'), tokenAnswer('24.b'))
    await ask()
    now += (MONTH_SECONDS - SPARE_SECONDS) * 1000
    expect(await Promise.all([ask(), ask(), ask()])).toEqual(Array(3).fill('access_token=24.b'))
    expect(askedCount()).toBe(2)
    expect(hold()).toMatchObject({ token: 'access_token=24.b' })
  })

  test('has a token of its own, one for each address', async () => {
    provider.script('a', tokenAnswer('24.a'), tokenAnswer('24.b'))
    provider.script('b', tokenAnswer('24.c'))
    expect(await ask()).toBe('access_token=24.a')
    expect(await ask('another-key|another-secret')).toBe('access_token=24.b')
    expect(await ask(KEY, 'b')).toBe('access_token=24.c')
    expect(hold()).toMatchObject({ token: 'access_token=24.a' })
  })

  test('in an invalid form is not sent', () => {
    expect(() => hold('a|b|c')).toThrow(MalformedKey)
    expect(askedCount()).toBe(0)
  })
})

const channelSecrets = { key: '', baseUrl: '', proxy: null }

describe('a refused token', () => {
  const refusal = classifyUpstreamError({
    channelSecrets,
    status: 200,
    headers: {},
    body: { error_code: 110 },
  })

  test('is replaced by another, without blame for the key if it is an old one', async () => {
    provider.script('a', tokenAnswer('24.a'), tokenAnswer('24.b'))
    await hold()
    const [first, second] = [await hold(), await hold()]
    const passing = { kind: 'upstream_fault', isTransient: true, namesKey: false }
    expect(withTokenRefused(refusal, first.onTokenRefused)).toMatchObject(passing)
    expect(await ask()).toBe('access_token=24.b')
    expect(withTokenRefused(refusal, second.onTokenRefused)).toMatchObject(passing)
    expect(hold()).toMatchObject({ token: 'access_token=24.b' })
  })

  test('that is new means that the key is refused', async () => {
    provider.script('a', tokenAnswer('24.a'), tokenAnswer('24.b'))
    const { onTokenRefused: refused } = await hold()
    expect(withTokenRefused(refusal, refused)).toMatchObject({ kind: 'auth', namesKey: true })
    expect(await ask()).toBe('access_token=24.b')
  })

  test('is distinguished from other failures, which keep it', async () => {
    provider.script('a', tokenAnswer('24.a'))
    await hold()
    const { onTokenRefused: refused } = await hold()
    const busy = classifyUpstreamError({
      channelSecrets,
      status: 200,
      headers: {},
      body: { error_code: 336100 },
    })
    expect(withTokenRefused(busy, refused)).toBe(busy)
    expect(withTokenRefused(refusal, undefined)).toBe(refusal)
    expect(hold()).toMatchObject({ token: 'access_token=24.a' })
  })
})

describe('a failed exchange', () => {
  test('that refuses the key reports it, without the key, and is not cached', async () => {
    const error_description = `unknown client id ${KEY}`
    provider.script(
      'a',
      answerJson({ error: 'invalid_client', error_description }, { status: 401 }),
      tokenAnswer('24.a'),
    )
    const { problem, status } = await problemOf(() => ask())
    expect(status).toBe(401)
    expect(problem).toMatchObject({ kind: 'auth', namesKey: true, status: 502 })
    expect(JSON.stringify(problem)).not.toContain('secret-key')
    expect(await ask()).toBe('access_token=24.a')
  })

  test('is the result of all concurrent requests', async () => {
    provider.script('a', answerJson({ error: 'invalid_client' }, { status: 401 }))
    const problems = await Promise.all([problemOf(() => ask()), problemOf(() => ask())])
    expect(problems.map(({ problem }) => problem.kind)).toEqual(['auth', 'auth'])
    expect(askedCount()).toBe(1)
  })

  test.each([
    ['a connection that is reset', resetConnection, 'upstream_fault', 0],
    ['a provider that says nothing', neverAnswer, 'timeout', 0],
    ['an overloaded provider', answerJson('', { status: 503 }), 'overloaded', 503],
    ['an answer without a token', answerJson({ scope: 'public' }), 'upstream_fault', 200],
    ['the page of a proxy', answerJson('<html></html>'), 'upstream_fault', 200],
    ['an answer without end', answerStream(['x'.repeat(100_000)]), 'upstream_fault', 0],
  ])('with %s costs the channel one attempt only', async (_name, behaviour, kind, status) => {
    provider.script('a', behaviour, tokenAnswer('24.a'))
    const failed = await problemOf(() => ask())
    expect(failed.problem).toMatchObject({ kind, namesKey: false, isTransient: true })
    expect(failed.status).toBe(status)
    expect(await ask()).toBe('access_token=24.a')
  })
})
