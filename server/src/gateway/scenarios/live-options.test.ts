import { describe, expect, test } from 'vitest'
import { chargeBasisSchema, OPTIONS } from '@tollgate/contract'
import {
  answerChat,
  answerError,
  answerStream,
  type Behaviour,
  chunk,
  DONE,
  gated,
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
import { worstCase } from '../../domain/price.ts'

const PRICE = { model_ratio: 0.075, completion_ratio: 4, cache_ratio: 0.5, cache_write_ratio: 1 }
/** The charge for ten prompt and five completion tokens at another ratio. */
const costAt = (ratio: number) => Math.ceil((10 + 4 * 5) * 0.075 * ratio)

const LIMITED = { ...ASKED, max_tokens: 100 }
const worst = (extra: number) =>
  worstCase({
    promptTokens: JSON.stringify(LIMITED).length + extra,
    outputTokens: 100,
    choices: 1,
    price: PRICE,
    groupRatio: 1,
  })

const chargeOf = async (world: World) => {
  const before = (await world.books()).account.quota
  expect((await world.ask()).status).toBe(200)
  return before - (await world.books()).account.quota
}

describe.each(DATABASES)('a running gateway on %s applies at once', (kind) => {
  test('the ratios of models and groups', async () => {
    const world = await setUp(answerChat(), { kind })
    expect(await chargeOf(world)).toBe(COST)
    await world.setOption('ModelRatio', `{"${MODEL}": 0.75}`)
    expect(await chargeOf(world)).toBe(costAt(10))
    await world.setOption('GroupRatio', '{"default": 3}')
    expect(await chargeOf(world)).toBe(costAt(30))
    await world.setOption('CompletionRatio', `{"${MODEL}": 0}`)
    expect(await chargeOf(world)).toBe(Math.ceil(10 * 0.75 * 3))
    await world.setOption('ModelRatio', '{}')
    await world.setOption('CompletionRatio', '{}')
    await world.setOption('GroupRatio', JSON.stringify(OPTIONS.GroupRatio.default))
    expect(await chargeOf(world)).toBe(COST)
  })

  // guards: C10.4
  test('prices, while running requests end at the prices they began with', async () => {
    const { script: slow, letGo: resolve } = gated(answerChat())
    const world = await setUp(slow, { kind })
    const running = world.ask()
    await waitUntil(async () => world.calls()[0] === 1)
    await world.setOption('ModelRatio', `{"${MODEL}": 0.75}`)
    resolve()
    expect((await running).status).toBe(200)
    expect((await world.books()).account.quota).toBe(QUOTA - COST)
    expect(await chargeOf(world)).toBe(costAt(10))
  })

  test('the number of retries', async () => {
    const broken = { script: [answerError(500, {})] }
    const world = await setUp([broken, broken, broken], { kind })
    const calls = () => world.calls().reduce((sum, count) => sum + count, 0)
    await world.setOption('RetryTimes', '0')
    expect((await world.ask()).status).toBe(502)
    expect(calls()).toBe(1)
    await world.setOption('RetryTimes', '2')
    expect((await world.ask()).status).toBe(502)
    expect(calls()).toBe(4)
  })

  test.each([ASKED, STREAMED])('how much text is counted, not estimated: %j', async (asked) => {
    const long = 'word '.repeat(400)
    const script = (async (response, request) =>
      asked === STREAMED
        ? answerStream([chunk({ content: long }), chunk({ finish: 'stop' }), DONE])(
            response,
            request,
          )
        : answerChat(long, null)(response, request)) satisfies Behaviour
    const world = await setUp(script, { kind })
    const measured = async () => {
      const answer = await world.ask(asked)
      expect(await answer.text()).toContain('word')
      const { log } = await world.books()
      const { usage_source: source } = chargeBasisSchema.parse(JSON.parse(log?.basis ?? ''))
      return { source, tokens: log?.completion_tokens }
    }
    const counted = { source: 'counted', tokens: 401 }
    expect(await measured()).toEqual(counted)
    const estimated = { source: 'approximate', tokens: Math.floor(2000 * 0.38) }
    await world.setOption('ExactTokenBytes', '1999')
    expect(await measured()).toEqual(estimated)
    await world.setOption('ExactTokenBytes', '2000')
    expect(await measured()).toEqual(counted)
    await world.setOption('ApproximateTokenEnabled', 'true')
    expect(await measured()).toEqual(estimated)
  })

  test.each([
    [QUOTA, worst(2000)],
    [100 * (worst(2000) - worst(0)), worst(2000)],
    [100 * (worst(2000) - worst(0)) - 1, worst(0)],
    [worst(0), worst(0)],
  ])('the extra tokens to hold: of %i it holds %i and refuses no request', async (quota, held) => {
    const { script: slow, letGo: resolve } = gated(answerChat())
    const world = await setUp(slow, { kind, quota })
    await world.setOption('PreConsumedQuota', '2000')
    const answer = world.ask(LIMITED)
    await waitUntil(async () => world.calls()[0] === 1)
    resolve()
    expect((await answer).status).toBe(200)
    // A hold that covers the client's own limit leaves the limit unchanged.
    expect(world.upstream.requestsOf('p0')[0]?.body.toString()).toContain('"max_tokens":100')
    const { account, log } = await world.books()
    expect(log?.held).toBe(held)
    expect(account.quota).toBe(quota - COST)
  })
})
