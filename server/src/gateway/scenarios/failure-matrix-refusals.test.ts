import { describe, expect, test } from 'vitest'
import { TOKEN_STATUS, USER_STATUS } from '@tollgate/contract'
import {
  answerChat,
  answerStream,
  neverAnswer,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ASKED,
  COST,
  MODEL,
  QUOTA,
  readError,
  setUp,
  STREAMED,
  type Setup,
} from '../../../testing/worlds/relay-scenario.ts'

describe('refused before a hold', () => {
  const good = { script: [answerChat()] }
  const past = Math.floor(Date.now() / 1000) - 10
  const rows: [string, Setup, { status: number; code: string }][] = [
    [
      'a disabled token',
      { token: { status: TOKEN_STATUS.disabled } },
      { status: 401, code: 'invalid_api_key' },
    ],
    [
      'an expired token',
      { token: { expired_time: past } },
      { status: 401, code: 'invalid_api_key' },
    ],
    [
      'an exhausted token',
      { token: { status: TOKEN_STATUS.exhausted }, tokenQuota: 0 },
      { status: 401, code: 'invalid_api_key' },
    ],
    [
      'a limited token with nothing left',
      { tokenQuota: 0 },
      { status: 401, code: 'invalid_api_key' },
    ],
    [
      'another subnet',
      { token: { subnet: '10.0.0.0/8, ::1/128' } },
      { status: 403, code: 'address_not_allowed' },
    ],
    [
      'a banned owner',
      { user: { status: USER_STATUS.disabled } },
      { status: 403, code: 'account_banned' },
    ],
    [
      'a model that is not in the list',
      { token: { models: 'gpt-4o, o3' } },
      { status: 403, code: 'model_not_allowed' },
    ],
    ['a balance that is too small', { quota: 1 }, { status: 403, code: 'insufficient_user_quota' }],
    [
      'a token balance that is too small',
      { tokenQuota: 1 },
      { status: 403, code: 'insufficient_user_quota' },
    ],
    [
      'no price and none by default',
      { options: [['DefaultModelRatio', 'null']] },
      { status: 400, code: 'model_price_unset' },
    ],
  ]
  test.each(rows)('%s', async (name, setup, { status, code }) => {
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
    const unknown = await { ...world, key: 'sk-0123456789012345678901234567890123456789' }.ask()
    expect([unknown.status, (await readError(unknown)).code]).toEqual([401, 'invalid_api_key'])
    const none = await fetch(`${world.url}/v1/chat/completions`, { method: 'POST' })
    expect([none.status, (await readError(none)).code]).toEqual([401, 'invalid_api_key'])
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
    const world = await setUp([{ script: [neverAnswer, answerChat()] }], {
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
    const { account, log } = await world.books()
    expect(account.quota).toBe(400 - COST)
    expect(log).toMatchObject({ quota: COST, outcome: 'settled' })
  })

  test('is charged once for JSON and once for a stream', async () => {
    const world = await setUp([{ script: [answerChat(), answerStream(WHOLE_STREAM)] }], {
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
    const world = await setUp([{ script: [answerChat('much', usage)] }], { kind, tokenQuota: 1000 })
    expect((await world.ask()).status).toBe(200)
    const next = await world.ask()
    expect([next.status, (await readError(next)).code]).toEqual([401, 'invalid_api_key'])
    const { account, key, logs } = await world.books()
    expect(key).toMatchObject({ status: TOKEN_STATUS.exhausted, remain_quota: 0 })
    expect(account.quota).toBe(QUOTA - Math.ceil(0.075 * (10 + 4 * 3400)))
    expect(logs).toHaveLength(1)
  })
})
