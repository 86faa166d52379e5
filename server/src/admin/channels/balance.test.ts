import { describe, expect, test } from 'vitest'
import { CHANNEL_STATUS } from '@tollgate/contract'
import {
  answerError,
  answerJson,
  type Behaviour,
  neverAnswer,
  resetConnection,
} from '../../../testing/fakes/scripted-upstream.ts'
import { openPerTest } from '../../../testing/harness/open-once.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { openChannelWorld } from '../../../testing/worlds/channel-world.ts'
import { outboxOf } from '../../../testing/worlds/outbox.ts'

const KEY = 'a-key-like-no-other'
const CLOSEAI = 4
const CUSTOM = 8
const OPENAI_SB = 5
const AI_PROXY = 10
const OPENROUTER = 20
const GROQ = 29

describe('balances', () => {
  const world = openPerTest(() => openChannelWorld('sqlite'))

  const add = (name: string, type: number, ...script: Behaviour[]) => {
    const key = name.startsWith('several') ? `${KEY}\nother` : KEY
    return world.addChannel(name, { type, key, multi_key: true }, ...script)
  }

  const ask = (id: number, language = 'en') =>
    world.call('GET', `/api/channel/update_balance/${id}/`, { language })

  const rowOf = (id: number) => world.rowOf(id)

  const askAll = () => world.call('GET', '/api/channel/update_balance')

  /** A second run can start only after the first. */
  const firstRunHasEnded = () => waitUntil(async () => (await askAll()).success === true)

  const left = (total_available: number) => answerJson({ total_available })

  test("the provider's balance is returned twice, and stored with its time", async () => {
    const subscription = answerJson({ hard_limit_usd: 20, has_payment_method: true })
    const id = await add('billing', CUSTOM, subscription, answerJson({ total_usage: 150 }))
    const answer = await ask(id)
    expect(answer).toMatchObject({ success: true, message: '', data: 18.5, balance: 18.5 })
    const balance_updated_time = Math.floor(world.plane.clock.now / 1000)
    expect(await rowOf(id)).toMatchObject({ balance: 18.5, balance_updated_time })
    const [first, second] = world.provider.requestsOf('billing')
    expect(first?.path).toBe('/v1/dashboard/billing/subscription')
    expect(second?.path).toMatch(/^\/v1\/dashboard\/billing\/usage\?start_date=.*&end_date=/)
    expect(first?.headers).toMatchObject({ authorization: `Bearer ${KEY}` })
    expect(first?.body.length).toBe(0)
    expect(first?.headers['content-length']).toBeUndefined()
  })

  test('other headers that carry a key', async () => {
    const inAddress = await add('sb', OPENAI_SB, answerJson({ data: { credit: '5000' } }))
    const inHeader = await add('points', AI_PROXY, answerJson({ data: { totalPoints: 9 } }))
    expect([(await ask(inAddress)).data, (await ask(inHeader)).data]).toEqual([5000, 9])
    expect(world.provider.requestsOf('sb')[0]?.path).toBe(`/sb-api/user/status?api_key=${KEY}`)
    expect(world.provider.requestsOf('points')[0]?.headers['api-key']).toBe(KEY)
  })

  const failures: [string, Behaviour, RegExp][] = [
    [
      'a refusal that repeats the key',
      answerError(401, { message: `No ${KEY}.` }),
      /No \[key\]\.$/,
    ],
    ['an error with status 200', answerJson({ error: { message: `No ${KEY}.` } }), /No \[key\]\.$/],
    ['a page', answerJson('<html></html>'), /no balance/],
    ['a sum beyond all sums', left(1e300), /no balance/],
    ['a redirect', answerJson('', { status: 302, headers: { location: '/x' } }), /status 302/],
    ['a reset', resetConnection, /closed the connection/],
    ['too much', answerJson({ total_available: 1, x: 'x'.repeat(300_000) }), /too much data/],
  ]
  test.each(failures)(
    '%s changes nothing and is reported without secrets',
    async (_, script, reason) => {
      const id = await add('closeai', CLOSEAI, script)
      const before = await rowOf(id)
      const answer = await ask(id)
      expect([answer.status, answer.success]).toEqual([200, false])
      expect(answer.message).toMatch(/^The balance could not be read: ./)
      expect(answer.message).toMatch(reason)
      expect(answer.text).not.toContain(KEY)
      expect((await ask(id, 'zh')).message).toMatch(/^余额查询失败：./)
      expect(await rowOf(id)).toEqual(before)
    },
  )

  test('a provider without balances is reported', async () => {
    const id = await add('groq', GROQ, left(1))
    expect((await ask(id)).message).toMatch(/does not report a balance/)
    expect((await ask(id, 'zh')).message).toMatch(/不支持查询余额/)
    expect(world.provider.requestsOf('groq')).toEqual([])
  })

  test('a negative balance is valid, and one query disables nothing', async () => {
    const id = await add('closeai', CLOSEAI, left(-3))
    expect((await ask(id)).data).toBe(-3)
    expect(await rowOf(id)).toMatchObject({ status: CHANNEL_STATUS.enabled, balance: -3 })
  })

  test('all enabled channels are queried in the background; an empty account is disabled', async () => {
    const rich = await add('rich', CLOSEAI, left(5))
    const poor = await add('poor', CLOSEAI, left(0))
    const credits = answerJson({ data: { total_credits: 5, total_usage: 5 } })
    const spent = await add('spent', OPENROUTER, credits)
    const points = await add('points', AI_PROXY, answerJson({ data: { totalPoints: 0 } }))
    const several = await add('several', CLOSEAI, left(0))
    const broken = await add('broken', CLOSEAI, answerError(500, {}))
    const off = await add('off', CLOSEAI, left(7))
    await add('groq', GROQ, left(1))
    await world.call('PUT', '/api/channel/', { body: { id: off, status: CHANNEL_STATUS.disabled } })

    expect(await askAll()).toMatchObject({ success: true, message: '' })
    await firstRunHasEnded()
    const isAsked = async (id: number) => (await rowOf(id)).balance_updated_time > 0
    for (const id of [rich, points, several]) expect(await isAsked(id)).toBe(true)
    const { enabled, autoDisabled } = CHANNEL_STATUS
    const reasonIn = (currency: string) => `The provider reports a balance of 0.00 ${currency}.`
    expect(await rowOf(rich)).toMatchObject({ status: enabled, balance: 5 })
    for (const [id, currency] of [
      [poor, 'CNY'],
      [spent, 'USD'],
    ] as const) {
      const status_reason = reasonIn(currency)
      expect(await rowOf(id)).toMatchObject({ status: autoDisabled, status_reason })
    }
    for (const id of [points, several, broken]) expect((await rowOf(id)).status).toBe(enabled)
    expect(await isAsked(off)).toBe(false)
    expect(world.provider.requestsOf('groq')).toEqual([])
    const alert = { type: 'channel-alert', event: 'disabled' }
    const alerts = await outboxOf(world.plane)
    expect(alerts.toSorted((a, b) => JSON.stringify(a).localeCompare(JSON.stringify(b)))).toEqual([
      { ...alert, channel_id: poor, name: 'poor', reason: reasonIn('CNY') },
      { ...alert, channel_id: spent, name: 'spent', reason: reasonIn('USD') },
    ])
  })

  test('with the option off, an empty account stays enabled', async () => {
    await world.plane.setOption('AutomaticDisableChannelEnabled', 'false')
    const poor = await add('poor', CLOSEAI, left(-1))
    await askAll()
    await firstRunHasEnded()
    expect((await rowOf(poor)).balance).toBe(-1)
    expect(await rowOf(poor)).toMatchObject({ status: CHANNEL_STATUS.enabled })
    expect(await outboxOf(world.plane)).toEqual([])
  })

  test('one run at a time', async () => {
    await add('silent', CLOSEAI, neverAnswer)
    expect((await askAll()).success).toBe(true)
    expect((await askAll()).message).toMatch(/0 of 1 channels are done/)
  })
})
