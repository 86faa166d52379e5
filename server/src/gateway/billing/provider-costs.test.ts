import { describe, expect, test } from 'vitest'
import {
  answerChat,
  answerError,
  answerJson,
  answerStream,
  chunk,
  DONE,
  neverAnswer,
} from '../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../testing/harness/databases.ts'
import {
  ASKED,
  inOrder,
  MODEL,
  setUp,
  type Setup,
  STREAMED,
} from '../../../testing/worlds/relay-scenario.ts'
import {
  attemptsOf,
  clock,
  expectWhole,
  otherStream,
  partialStream,
  silentFor,
  two,
} from '../../../testing/worlds/stream-failover-scenario.ts'
import { audit } from '../../ledger/audit/audit.ts'

type World = Awaited<ReturnType<typeof setUp>>

/** The list price of gpt-4o-mini, in nano-dollars a token. */
const [INPUT, CACHED, OUTPUT] = [150, 75, 600]

const costsIn = async (world: World) => (await attemptsOf(world)).map(({ cost }) => cost)

const usage = {
  prompt_tokens: 100,
  completion_tokens: 20,
  total_tokens: 120,
  prompt_tokens_details: { cached_tokens: 40 },
}
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hello' } }]

const streamWith = (report: object) => [
  chunk({ content: 'Hello' }),
  chunk({ finish: 'stop' }),
  chunk({ usage: report }),
  DONE,
]

describe.each(DATABASES)('on %s', (kind) => {
  test('a request costs what its provider bills, whatever the customer pays', async () => {
    const options: Setup['options'] = [
      ['ModelRatio', JSON.stringify({ [MODEL]: 7 })],
      ['GroupRatio', '{"default": 3}'],
    ]
    const script = [answerJson({ choices, usage })]
    const world = await setUp(script, { kind, options })
    expect((await world.ask(ASKED)).status).toBe(200)
    const { log } = await world.books()
    const cost = 60 * INPUT + 40 * CACHED + 20 * OUTPUT
    expect(log).toMatchObject({ provider_cost: cost, outcome: 'settled' })
    expect(await attemptsOf(world)).toMatchObject([
      {
        model: MODEL,
        key: expect.stringMatching(/^[\w-]{8}$/),
        prompt_tokens: 100,
        cached_tokens: 40,
        completion_tokens: 20,
        cost,
        cost_source: 'list',
      },
    ])
    const { kysely } = world.database
    const hours = await kysely
      .selectFrom('group_hours')
      .select(['group_name', 'provider_cost', 'costed_quota'])
      .execute()
    expect(hours).toEqual([
      { group_name: 'default', provider_cost: cost, costed_quota: log?.quota },
    ])
    expect(await audit(world.database)).toEqual([])
  })

  test('tokens written to a cache are recorded for the comparison with bills', async () => {
    const written = { prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 30 } }
    const script = [answerJson({ choices, usage: { ...usage, ...written } })]
    const world = await setUp(script, { kind })
    expect((await world.ask(ASKED)).status).toBe(200)
    await world.books()
    const rows = world.database.kysely.selectFrom('provider_hours').select('written_tokens')
    expect(await rows.execute()).toEqual([{ written_tokens: 30 }])
  })

  test('a failover costs the prompt twice, and what each provider wrote', async () => {
    const world = await setUp(two(answerStream(partialStream, 'cut'), otherStream), { kind })
    await expectWhole(world)
    const { log } = await world.books()
    const attempts = await attemptsOf(world)
    expect(attempts).toMatchObject([
      { prompt_tokens: 8, completion_tokens: 2, cost: 8 * INPUT + 2 * OUTPUT },
      // As its provider reports.
      { prompt_tokens: 10, completion_tokens: 7, cost: 10 * INPUT + 7 * OUTPUT },
    ])
    expect(log?.provider_cost).toBe(18 * INPUT + 9 * OUTPUT)
    const channels = await world.database.kysely
      .selectFrom('channel_hours')
      .select(['channel_id', 'provider_cost'])
      .orderBy('channel_id')
      .execute()
    expect(channels.map((row) => row.provider_cost)).toEqual(attempts.map(({ cost }) => cost))
    expect(await audit(world.database)).toEqual([])
  })
})

test('an attempt that lost to its hedge costs the operator, and nobody else', async () => {
  const lateMs = 700
  const world = await setUp(inOrder(silentFor(3 * lateMs), answerChat()), {
    clock,
    options: [['HedgeAfterSeconds', String(lateMs / 1000)]],
    upstreamLimits: { firstByteMs: 20_000, idleMs: 20_000 },
    limits: { typicalAnswerMs: lateMs },
  })
  expect((await world.ask(ASKED)).status).toBe(200)
  const { log } = await world.books()
  const each = 10 * INPUT + 5 * OUTPUT
  expect(await costsIn(world)).toEqual([each, each])
  expect(log?.provider_cost).toBe(2 * each)
})

test('a refused attempt costs nothing', async () => {
  const world = await setUp(inOrder(answerError(500, {}), answerChat()))
  expect((await world.ask(ASKED)).status).toBe(200)
  await world.expectLog({ provider_cost: 10 * INPUT + 5 * OUTPUT })
  expect((await costsIn(world)).slice(0, -1).every((cost) => cost === 0)).toBe(true)
})

test('a request that no provider answered costs nothing', async () => {
  const world = await setUp(answerError(400, { message: 'no' }))
  expect((await world.ask(ASKED)).status).toBe(400)
  await world.expectLog({ outcome: 'void', provider_cost: 0 })
})

test('an answer that did not arrive costs its prompt, and what may have been written', async () => {
  const world = await setUp(inOrder(neverAnswer, answerChat()))
  expect((await world.ask(ASKED)).status).toBe(200)
  const { log } = await world.books()
  const [lost] = await attemptsOf(world)
  const costs = await costsIn(world)
  expect(lost).toMatchObject({ prompt_tokens: 10, cost_source: 'list', unbilled_quota: 0 })
  expect(lost?.completion_tokens).toBeGreaterThan(0)
  expect(lost?.cost).toBe(10 * INPUT + (lost?.completion_tokens ?? 0) * OUTPUT)
  expect(costs.at(-1)).toBe(10 * INPUT + 5 * OUTPUT)
  expect(log?.provider_cost).toBe(costs.reduce((sum, cost) => sum + cost, 0))
})

test('a request that no provider answered in time is void, and costs the operator', async () => {
  const world = await setUp(neverAnswer, { options: [['RetryTimes', '0']] })
  expect((await world.ask(ASKED)).status).toBe(504)
  const { log } = await world.books()
  expect(log?.outcome).toBe('void')
  expect(log?.provider_cost).toBeGreaterThan(0)
  expect(await costsIn(world)).toEqual([log?.provider_cost])
})

describe('a channel whose provider reports the cost', () => {
  const reported = { ...usage, cost: 0.000_123 }
  const config = JSON.stringify({ cost: { reported: true, factor: 0 } })
  const headers = { 'x-litellm-response-cost': '0.0004' }
  test.each([
    ['in the usage', [answerJson({ choices, usage: reported })], ASKED, 123_000, 'reported'],
    ['in a stream', [answerStream(streamWith(reported))], STREAMED, 123_000, 'reported'],
    ['in a header', [answerJson({ choices, usage }, { headers })], ASKED, 400_000, 'reported'],
    ['nowhere', [answerJson({ choices, usage })], ASKED, 0, 'factor'],
  ] as const)('%s', async (_, script, request, cost, source) => {
    const world = await setUp([{ script: [...script], config }])
    await (await world.ask(request)).text()
    await world.expectLog({ provider_cost: cost })
    expect(await attemptsOf(world)).toMatchObject([{ cost, cost_source: source }])
  })

  test('is not believed unless the channel says so', async () => {
    const world = await setUp(answerJson({ choices, usage: reported }))
    await (await world.ask(ASKED)).text()
    expect((await world.books()).log?.provider_cost).toBe(60 * INPUT + 40 * CACHED + 20 * OUTPUT)
  })
})

test('without a price of the provider, the cost is unknown', async () => {
  const model = 'house-model'
  const world = await setUp([{ script: [answerJson({ choices, usage })], models: model }], {
    options: [['ModelRatio', JSON.stringify({ [model]: 1 })]],
  })
  expect((await world.ask({ ...ASKED, model })).status).toBe(200)
  const { log } = await world.books()
  expect(log).toMatchObject({ outcome: 'settled', provider_cost: null })
  expect(await attemptsOf(world)).toMatchObject([{ prompt_tokens: 100, cost: 0, cost_source: '' }])
  const { kysely } = world.database
  const hours = await kysely.selectFrom('model_hours').selectAll().execute()
  expect(hours).toMatchObject([{ provider_cost: 0, costed_quota: 0, quota: log?.quota }])
})
