import { describe, expect, test } from 'vitest'
import { TOKEN_STATUS, USER_STATUS } from '@tollgate/contract'
import {
  answerChat,
  answerStream,
  type Behaviour,
  chunk,
  DONE,
  neverAnswer,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ASKED,
  COST,
  expectRefusal,
  inOrder,
  MODEL,
  QUOTA,
  readError,
  setUp,
  type Setup,
  STREAMED,
} from '../../../testing/worlds/relay-scenario.ts'

describe('refused before a hold', () => {
  const good = { script: [answerChat()] }
  const past = Math.floor(Date.now() / 1000) - 10
  const usedUp = { status: TOKEN_STATUS.exhausted }
  const rows: [string, Setup, number, string][] = [
    ['a disabled token', { token: { status: TOKEN_STATUS.disabled } }, 401, 'invalid_api_key'],
    ['an expired token', { token: { expired_time: past } }, 401, 'invalid_api_key'],
    ['an exhausted token', { token: usedUp, tokenQuota: 0 }, 401, 'invalid_api_key'],
    ['a limited token with nothing left', { tokenQuota: 0 }, 401, 'invalid_api_key'],
    ['another subnet', { token: { subnet: '10.0.0.0/8, ::1/128' } }, 403, 'address_not_allowed'],
    ['a banned owner', { user: { status: USER_STATUS.disabled } }, 403, 'account_banned'],
    ['a model that is not listed', { token: { models: 'gpt-4o, o3' } }, 403, 'model_not_allowed'],
    ['a balance that is too small', { quota: 1 }, 403, 'insufficient_user_quota'],
    ['a token balance that is too small', { tokenQuota: 1 }, 403, 'insufficient_user_quota'],
    ['no price', { options: [['DefaultModelRatio', 'null']] }, 400, 'model_price_unset'],
  ]
  test.each(rows)('%s', async (name, setup, status, code) => {
    const world = await setUp([good], setup)
    const isPriceRow = code === 'model_price_unset'
    if (isPriceRow) {
      const base_url = world.upstream.baseUrl('p0')
      await world.addChannel({ base_url, models: 'nobody-knows-it' })
      await waitUntil(async () => {
        const models = await fetch(`${world.url}/v1/models`, {
          headers: { authorization: world.key },
        })
        return (await models.text()).includes('nobody-knows-it')
      })
    }
    const model = isPriceRow ? 'nobody-knows-it' : MODEL
    const response = await world.ask({ ...ASKED, model })
    expect(response.status).toBe(status)
    const error = await readError(response)
    expect(error.code).toBe(code)
    if (code === 'insufficient_user_quota') {
      expect(error.message).toContain(
        name.includes('token') ? 'the API key' : 'Insufficient balance',
      )
    }
    expect(world.calls()).toEqual([0])
    const { logs, account } = await world.books()
    expect(logs).toEqual([])
    expect(account.used_quota).toBe(0)
  })

  test('an unknown token and none at all', async () => {
    const world = await setUp([good])
    await expectRefusal(
      { ...world, key: 'sk-0123456789012345678901234567890123456789' }.ask(),
      401,
      'invalid_api_key',
    )
    await expectRefusal(
      fetch(`${world.url}/v1/chat/completions`, { method: 'POST' }),
      401,
      'invalid_api_key',
    )
  })

  test("the address is the client's behind a trusted proxy, which the client cannot forge", async () => {
    const world = await setUp([good], { token: { subnet: '203.0.113.0/24' } })
    const from = (header: string) => world.ask(ASKED, { headers: { 'x-forwarded-for': header } })
    expect((await from('203.0.113.7')).status).toBe(200)
    expect((await from('203.0.113.7, 198.51.100.1')).status).toBe(403)
  })
})

describe.each(DATABASES)('quota on %s', (kind) => {
  test('held by running requests causes a 429 with both sums, and is free again afterwards', async () => {
    const world = await setUp([neverAnswer, answerChat()], {
      kind,
      quota: 400,
      options: [['RetryTimes', '0']],
    })
    const limited = { ...ASKED, max_tokens: 1000 }
    const first = world.ask(limited)
    await waitUntil(async () => world.calls()[0] === 1)
    const second = await world.ask(limited)
    expect(second.status).toBe(429)
    expect(second.headers.get('retry-after')).toBe('2')
    const error = await readError(second)
    expect(error.code).toBe('quota_in_use')
    expect(error.message).toMatch(
      /^Insufficient balance for now: \$0\.0008 left, running requests hold \$0\.000[67]\d+ of it, /,
    )
    expect((await first).status).toBe(504)
    expect((await world.ask(limited)).status).toBe(200)
    await world.expectLog({ quota: COST, outcome: 'settled' })
  })

  test('is charged once for JSON and once for a stream', async () => {
    const world = await setUp([answerChat(), answerStream(WHOLE_STREAM)], {
      kind,
      tokenQuota: 5000,
    })
    expect((await world.ask()).status).toBe(200)
    expect(await (await world.ask(STREAMED)).text()).toContain('[DONE]')
    const { account, key, logs } = await world.books()
    expect(account).toMatchObject({
      quota: QUOTA - 2 * COST,
      used_quota: 2 * COST,
      request_count: 2,
    })
    expect(key).toMatchObject({ remain_quota: 5000 - 2 * COST, used_quota: 2 * COST })
    expect(logs.map(({ quota, end_reason }) => [quota, end_reason])).toEqual([
      [COST, 'finished'],
      [COST, 'finished'],
    ])
    expect(world.transactionCount()).toBe(0)
  })

  test('exhausted by a token refuses its next request at once', async () => {
    const usage = { prompt_tokens: 10, completion_tokens: 3400, total_tokens: 3410 }
    const world = await setUp(answerChat('much', usage), { kind, tokenQuota: 1000 })
    expect((await world.ask()).status).toBe(200)
    await expectRefusal(world.ask(), 401, 'invalid_api_key')
    const { account, key, logs } = await world.books()
    expect(key).toMatchObject({ status: TOKEN_STATUS.exhausted, remain_quota: 0 })
    expect(account.quota).toBe(QUOTA - Math.ceil(0.075 * (10 + 4 * 3400)))
    expect(logs).toHaveLength(1)
  })
})

const LOST = 'data: {"error":{"message":"lost","code":"server_error"}}\n\n'

describe('after the first byte', () => {
  const hello = [chunk({ content: 'Hello' }), chunk({ content: ' there' })]
  const breaks: [string, Behaviour, string][] = [
    ['is cut off', answerStream(hello, 'cut'), 'broken_stream'],
    ['ends without its end', answerStream(hello, 'end'), 'broken_stream'],
    ['ends with nothing but [DONE]', answerStream([...hello, DONE]), 'broken_stream'],
    ['stalls', answerStream(hello, 'hang'), 'deadline'],
    ['reports an error', answerStream([...hello, LOST]), 'broken_stream'],
  ]
  const AS_JSON = {
    messages: [{ role: 'user', content: 'Answer in JSON.' }],
    response_format: { type: 'json_object' },
  }
  const notRescued: [string, Parameters<typeof setUp>[1], object, typeof breaks][] = [
    ['while failover is off', { options: [['StreamRescueEnabled', 'false']] }, {}, breaks],
    ['when a format was asked for', {}, AS_JSON, breaks.slice(0, 1)],
  ]
  const cases = notRescued.flatMap(([when, setup, more, ways]) =>
    ways.map(([what, ...rest]) => ({ name: `${what} ${when}`, setup, more, rest })),
  )
  test.each(cases)(
    'a stream that $name ends in an error event, without [DONE]',
    async ({ setup, more, rest: [behaviour, reason] }) => {
      const providers = inOrder(behaviour, answerStream(WHOLE_STREAM))
      const world = await setUp(providers, setup)
      const response = await world.ask({ ...STREAMED, ...more })
      expect(response.status).toBe(200)
      const text = await response.text()
      expect(text).toContain('"content":"Hello"')
      expect(text).not.toContain('[DONE]')
      const event = text.trim().split('\n\n').at(-1)?.replace('data: ', '') ?? ''
      const { error } = JSON.parse(event)
      expect(error.message).toContain('request id')
      expect(world.calls()).toEqual([1, 0])
      await world.expectLog({
        outcome: 'settled',
        end_reason: reason,
        completion_tokens: 2,
        usage_source: 'counted',
      })
    },
  )

  const trickle: Behaviour = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const timer = setInterval(() => response.write(chunk({ content: ' word' })), 50)
    response.on('close', () => clearInterval(timer))
  }

  test('a stream that exceeds the total deadline ends in an error event', async () => {
    const world = await setUp(trickle, { upstreamLimits: { totalMs: 500 } })
    const text = await (await world.ask(STREAMED)).text()
    expect(text).toContain('upstream_timeout')
    expect(text).not.toContain('[DONE]')
    const { log } = await world.books()
    expect(log).toMatchObject({ outcome: 'settled', end_reason: 'deadline' })
    expect(log?.completion_tokens).toBeGreaterThan(3)
    await waitUntil(async () => world.upstream.brokenOffCount() === 1)
  })

  test('a stream with [DONE] is complete, from a provider that sends no finish reasons', async () => {
    const events = hello.map((event) => event.replace(',"finish_reason":null', ''))
    const world = await setUp(answerStream([...events, DONE]))
    const text = await (await world.ask(STREAMED)).text()
    expect(text.endsWith(DONE)).toBe(true)
    await world.expectLog({ end_reason: 'finished', completion_tokens: 2 })
  })

  test('the usage event is sent only to clients that asked for it', async () => {
    const world = await setUp(answerStream(WHOLE_STREAM))
    expect(await (await world.ask(STREAMED)).text()).not.toContain('"usage":{')
    const asked = { ...STREAMED, stream_options: { include_usage: true } }
    expect(await (await world.ask(asked)).text()).toContain('"usage":{')
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.body.toString()).toContain('"include_usage":true')
    await world.books()
  })

  test('a client that has the end of an answer has been charged for it', async () => {
    const world = await setUp([answerStream(WHOLE_STREAM), answerChat()])
    for (const [body, charges] of [
      [STREAMED, 1],
      [ASKED, 2],
    ] as const) {
      await (await world.ask(body)).text()
      await world.ledger.flush()
      const rows = await world.database.kysely.selectFrom('logs').select('quota').execute()
      expect(rows).toEqual(Array.from({ length: charges }, () => ({ quota: COST })))
    }
  })

  test('a stream that breaks before any output is no answer, and costs nothing', async () => {
    const world = await setUp(answerStream([chunk({ content: '' })], 'cut'))
    const response = await world.ask(STREAMED)
    expect(response.status).toBe(502)
    await readError(response)
    expect(world.calls()).toEqual([2])
    await world.expectLog({ outcome: 'void', end_reason: 'upstream_error' })
  })
})
