import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { CHANNEL_STATUS } from '@tollgate/contract'
import {
  answerAsAsked,
  answerError,
  answerJson,
  answerStream,
  type Behaviour,
  chatAnswer,
  chunk,
  neverAnswer,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ASKED,
  expectRefusal,
  inOrder,
  MODEL,
  QUOTA,
  setUp,
  type Setup,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'
import { changeRow } from '../../../testing/worlds/rows.ts'
import {
  attemptsOf,
  clock,
  partialStream,
  silentFor,
} from '../../../testing/worlds/stream-failover-scenario.ts'
import { planAttempts } from '../../domain/route-plan.ts'

/** Shorter than two attempts that each take `FIRST_BYTE_MS`. */
const TRIES_MS = 600
const FIRST_BYTE_MS = 400
const CHANNELS = 6

test.each([
  ['JSON', ASKED],
  ['stream', STREAMED],
])('no channel is called for a %s after the deadline of all attempts', async (_what, body) => {
  const silent = Array.from({ length: CHANNELS }, () => ({
    script: [silentFor(FIRST_BYTE_MS)],
  }))
  const world = await setUp(silent, {
    clock,
    limits: { attemptsMs: TRIES_MS },
    upstreamLimits: { firstByteMs: FIRST_BYTE_MS },
    options: [['RetryTimes', '10']],
  })
  await expectRefusal(world.ask(body), 504, 'upstream_timeout')
  const { log, logs, account, key } = await world.books()
  const asked = world.calls().reduce((sum, calls) => sum + calls, 0)
  expect(asked).toBe(2)
  expect(logs).toHaveLength(1)
  expect(log).toMatchObject({ end_reason: 'deadline', outcome: 'void', quota: 0 })
  expect(JSON.parse(log?.attempts ?? '')).toHaveLength(2)
  expect([account.quota, account.used_quota, key.used_quota]).toEqual([QUOTA, 0, 0])
})

const LONG_MS = 20_000

const LATE_MS = 200
const LEFT_MS = TRIES_MS - LATE_MS

const headThenSilentFor =
  (ms: number): Behaviour =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(chunk({ content: '' }))
    await clock.advance(ms)
  }

test.each([
  ['JSON', ASKED, [silentFor(TRIES_MS)]],
  ['stream', STREAMED, [silentFor(LATE_MS), silentFor(LEFT_MS)]],
  ['begun stream', STREAMED, [headThenSilentFor(LATE_MS), headThenSilentFor(LEFT_MS)]],
])('the deadline ends a %s in progress', async (_what, body, [first, second = neverAnswer]) => {
  const providers = inOrder(first ?? neverAnswer, second)
  const world = await setUp(providers, {
    clock,
    limits: { attemptsMs: TRIES_MS },
    upstreamLimits: { firstByteMs: LONG_MS, idleMs: LONG_MS },
    options: [['HedgeAfterSeconds', String(LATE_MS / 1000)]],
  })
  const response = await world.ask(body)
  expect(response.status).toBe(504)
  await world.expectLog({ end_reason: 'deadline', outcome: 'void', quota: 0 })
  const asked = world.calls().reduce((sum, calls) => sum + calls, 0)
  await waitUntil(async () => world.upstream.brokenOffCount() === asked)
})

/** Time in which the gateway reads the head of an answer. */
const NOTICED_MS = 100

test('a failure in place of a stream from a whole answer is retried elsewhere', async () => {
  const PALM = 11
  const broken = answerJson({ error: { code: 503, message: 'Busy.', status: 'UNAVAILABLE' } })
  const world = await setUp([
    { script: [broken], type: PALM, priority: 1 },
    { script: [answerAsAsked] },
  ])
  expect(await (await world.ask(STREAMED)).text()).toContain('Hello')
  expect(world.calls()[1]).toBe(1)
})

test('an answer that has begun to arrive has the time limit of answers', async () => {
  const slow: Behaviour = async (response) => {
    const text = JSON.stringify(chatAnswer())
    response.writeHead(200, { 'content-type': 'application/json' })
    response.write(' ')
    await pause(NOTICED_MS)
    await clock.advance(2 * TRIES_MS)
    response.end(text)
  }
  const world = await setUp(slow, {
    clock,
    limits: { attemptsMs: TRIES_MS },
    upstreamLimits: { firstByteMs: LONG_MS, idleMs: LONG_MS },
  })
  expect((await world.ask(ASKED)).status).toBe(200)
  await world.books()
})

describe('a channel that is switched off while a request runs', () => {
  const ill = answerError(500, {})
  const lacksModel = answerError(404, { code: 'model_not_found' })

  const switchOff = (world: World, index: number) =>
    changeRow(world, 'channels', world.channels[index], {
      status: CHANNEL_STATUS.disabled,
      status_time: 1,
    })

  /** Resolves once the gateway has read the change: it then serves the channel added last. */
  async function seen(world: World) {
    const base_url = world.upstream.baseUrl('p0')
    await world.addChannel({ base_url, models: 'added-last', group: 'default' })
    await waitUntil(async () => {
      const headers = { authorization: `Bearer ${world.key}` }
      const models = await fetch(`${world.url}/v1/models`, { headers })
      return (await models.text()).includes('added-last')
    })
  }

  /** Three channels of falling priority. The hooks run while the first is asked, or just after. */
  async function setUpThree(
    first: Behaviour,
    when: { before?: (world: World) => unknown; after?: (world: World) => unknown },
    setup: Setup = {},
  ): Promise<World> {
    const changing: Behaviour = async (response, request) => {
      if (when.before) {
        await when.before(world)
        await seen(world)
      }
      await first(response, request)
      await when.after?.(world)
    }
    const world = await setUp(inOrder(changing, answerAsAsked, answerAsAsked), setup)
    return world
  }

  const second = { before: (world: World) => switchOff(world, 1) }
  const hedged: Setup = {
    options: [['HedgeAfterSeconds', '0.2']],
    upstreamLimits: { firstByteMs: LONG_MS },
  }
  test.each<[string, Behaviour, object, Setup]>([
    ['is not tried next', lacksModel, ASKED, {}],
    ['is not used as a hedge', neverAnswer, STREAMED, hedged],
    ['does not continue a stream that broke off', answerStream(partialStream, 'cut'), STREAMED, {}],
  ])('%s', async (_what, first, body, setup) => {
    const world = await setUpThree(first, second, setup)
    const answer = await world.ask(body)
    await answer.text()
    expect([answer.status, world.calls()]).toEqual([200, [1, 0, 1]])
    await world.books()
  })

  test.each([
    ['before', {}],
    ['after', { random: () => 0.99 }],
  ] as const)('is not retried, with a pause that begins %s', async (when, setup) => {
    const world = await setUpThree(ill, { [when]: (begun: World) => switchOff(begun, 0) }, setup)
    expect((await world.ask()).status).toBe(200)
    expect(world.calls()).toEqual([1, 1, 0])
    await world.books()
  })

  test('is not tried if nothing else is left, and the client learns what failed', async () => {
    const before = async (world: World) => {
      for (const index of [0, 1, 2]) await switchOff(world, index)
    }
    const world = await setUpThree(ill, { before })
    await expectRefusal(world.ask(), 502, 'upstream_error')
    expect(world.calls()).toEqual([1, 0, 0])
    await world.expectLog({ end_reason: 'upstream_error', outcome: 'void', quota: 0 })
  })
})

describe('channels are tried in the order of the dry run', () => {
  async function planned({ database, gateway }: World) {
    const rows = await database.kysely.selectFrom('channels').selectAll().execute()
    const { view } = gateway().health
    const channels = rows.map((row) => ({ ...row, upstreamModel: MODEL, ...view(row, MODEL) }))
    return [...planAttempts(channels, 3).keys()]
  }

  const asked = async (world: World) => {
    await world.ask()
    return [...new Set((await attemptsOf(world)).map(({ channel }) => channel))]
  }

  test('with more channels than attempts', async () => {
    const script = [answerError(500, {})]
    const world = await setUp([7, 6, 5, 4, 3, 2, 1].map((priority) => ({ script, priority })))
    const plan = await planned(world)
    expect(plan).toEqual(world.channels.slice(0, 3))
    expect(await asked(world)).toEqual(plan)
  })

  test('with a provider that sent a long Retry-After', async () => {
    const limited = answerError(429, {}, { 'retry-after': '60' })
    const world = await setUp(inOrder(limited, [answerAsAsked, answerError(500, {})]))
    expect((await world.ask()).status).toBe(200)
    const plan = await planned(world)
    expect(plan).toEqual(world.channels.slice(1))
    expect(await asked(world)).toEqual(plan)
  })
})
