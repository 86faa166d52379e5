import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { attemptRecordSchema } from '@tollgate/contract'
import {
  answerError,
  answerJson,
  answerRaw,
  type Behaviour,
  gated,
  neverAnswer,
  resetConnection,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../../../testing/harness/databases.ts'
import { waitUntil } from '../../../../testing/harness/wait-until.ts'
import {
  expectJson,
  setUp,
  type Setup,
  type World,
} from '../../../../testing/worlds/relay-scenario.ts'

/*
 * Alibaba's images: a request is queued, and polled until its result is ready.
 */

const path = '/v1/images/generations'
const ASKED = { model: 'wanx-v1', prompt: 'a cat', n: 2 }
/** 1000 tokens per image, at a ratio of 10. */
const COST = 10_000

const state = (task_status: string, more: object = {}) =>
  answerJson({ request_id: 'r', output: { task_id: 't-1', task_status, ...more } })
const DONE = state('SUCCEEDED', { results: [{ url: 'https://oss.example/a.png' }] })

const POLL_MS = 20
const FILTERED = state('FAILED', { code: 'DataInspectionFailed', message: 'no' })
const BRIEF: Setup = { upstreamLimits: { firstByteMs: 300 } }
const PATIENT: Setup = { upstreamLimits: { firstByteMs: 9000 } }

const OPTIONS: NonNullable<Setup['options']> = [
  ['ModelRatio', JSON.stringify({ 'wanx-v1': 10 })],
  ['PreConsumedQuota', '0'],
]
const ONCE: typeof OPTIONS = [...OPTIONS, ['RetryTimes', '0']]

const open = (script: Behaviour[], setup: Setup = {}) =>
  setUp([{ script, models: 'wanx-v1', type: 17, key: 'sk-ali-secret' }], {
    options: OPTIONS,
    ...setup,
    upstreamLimits: { pollMs: POLL_MS, ...setup.upstreamLimits },
  })

describe.each(DATABASES)('queued images on %s', (kind) => {
  test('are polled until done, and charged by what was delivered', async () => {
    const faults = [resetConnection, answerError(503, {}), answerError(408, {})]
    const script = [state('PENDING'), state('PENDING'), ...faults, state('RUNNING'), DONE]
    const world = await open(script, { kind })
    await expectJson(world.ask(ASKED, { path }), 200, {
      data: [{ url: 'https://oss.example/a.png' }],
    })
    const [submitted, ...questions] = world.upstream.requestsOf('p0')
    expect(submitted?.path).toBe('/api/v1/services/aigc/text2image/image-synthesis')
    expect(submitted?.headers).toMatchObject({ 'x-dashscope-async': 'enable' })
    expect(new Set(questions.map((question) => question.path))).toEqual(
      new Set(['/api/v1/tasks/t-1']),
    )
    await world.expectLog({
      quota: COST,
      prompt_tokens: 1000,
      held: 2 * COST,
      measured: { unit: 'image', count: 1 },
    })
  })

  /** Sends a request, and disconnects once the provider has received `count` requests. */
  async function leaveAfter(world: World, count: number) {
    const client = world.askAndLeave(ASKED, path)
    await waitUntil(async () => world.upstream.requestsOf('p0').length >= count)
    await client.leave()
  }

  test('a task id that cannot be polled fails its request only', async () => {
    const broken = answerJson({ request_id: 'r', output: { task_id: '\ud800' } })
    const world = await open([broken], { kind })
    expect((await world.ask(ASKED, { path })).status).toBe(502)
    await world.expectLog({ outcome: 'void', quota: 0 })
  })

  test('a client that disconnected pays for what is made', async () => {
    let isDone = false
    const running: Behaviour = (response, request) =>
      (isDone ? DONE : state('RUNNING'))(response, request)
    const world = await open([running], { kind, ...PATIENT })
    await leaveAfter(world, 3)
    isDone = true
    const { log } = await world.books()
    expect(log).toMatchObject({ end_reason: 'client_left', outcome: 'settled' })
    expect(log?.quota).toBeGreaterThanOrEqual(COST)
  })

  test('a client that disconnects before the provider returns a task id pays too', async () => {
    const { script: slow, letGo: resolve } = gated(state('PENDING'))
    const world = await open([slow], { kind, limits: { fullDrainMs: 100 }, ...PATIENT })
    await leaveAfter(world, 1)
    await world.expectLog({ end_reason: 'client_left', outcome: 'settled', quota: 2 * COST })
    resolve()
  })

  test('a client that disconnected long before the end pays for everything, and polling stops', async () => {
    const limits = { fullDrainMs: 300 }
    const world = await open([state('RUNNING')], { kind, limits, ...PATIENT })
    await leaveAfter(world, 3)
    await world.expectLog({ end_reason: 'client_left', outcome: 'settled', quota: 2 * COST })
    const questions = world.upstream.requestsOf('p0').length
    await pause(5 * POLL_MS)
    expect(world.upstream.requestsOf('p0').length).toBe(questions)
  })

  const attemptsOf = ({ log }: Awaited<ReturnType<World['books']>>) =>
    z.array(attemptRecordSchema).parse(JSON.parse(log?.attempts ?? ''))

  /** The unbilled amount of each channel that has any. */
  const unbilledOf = (world: World) =>
    world.database.kysely
      .selectFrom('channel_hours')
      .select(['channel_id', 'unbilled_quota'])
      .where('unbilled_quota', '>', 0)
      .execute()

  test('the upstream cost of a failed attempt is recorded if another channel answers', async () => {
    const models = 'wanx-v1'
    const world = await setUp(
      [
        { script: [state('RUNNING')], models, type: 17, priority: 1 },
        { script: [state('PENDING'), DONE], models, type: 17 },
      ],
      { kind, options: OPTIONS, upstreamLimits: { pollMs: POLL_MS, firstByteMs: 300 } },
    )
    expect((await world.ask(ASKED, { path })).status).toBe(200)
    const entry = await world.books()
    expect(entry.log).toMatchObject({ quota: COST })
    // The first channel was asked twice.
    expect(attemptsOf(entry).map((attempt) => attempt.unbilled_quota)).toEqual([COST, COST, 0])
    expect(await unbilledOf(world)).toEqual([
      { channel_id: world.channels[0], unbilled_quota: 2 * COST },
    ])
  })

  // How a task fails is decided before the ledger is called, which has tests on both databases.
  if (kind !== 'sqlite') return

  test.each<[string, Behaviour, object]>([
    ['never ends', state('RUNNING'), { outcome: 'settled', quota: 2 * COST }],
    ['can no longer be polled', answerError(401, {}), { outcome: 'settled', quota: 2 * COST }],
    ['fails', state('FAILED', { code: 'InternalError' }), { outcome: 'void', quota: 0 }],
  ])('after a disconnect, a task that %s is charged accordingly', async (what, then, charged) => {
    let hasLeft = false
    const asked: Behaviour = (response, request) =>
      (hasLeft ? then : state('RUNNING'))(response, request)
    const firstByteMs = what === 'never ends' ? 1000 : 30_000
    const world = await open([asked], { kind, options: ONCE, upstreamLimits: { firstByteMs } })
    await leaveAfter(world, 2)
    hasLeft = true
    await world.expectLog({ end_reason: 'client_left', ...charged })
  })

  test.each<[string, Behaviour[], number, Setup?]>([
    ['one that is refused', [answerError(401, { code: 'InvalidApiKey' })], 502],
    ['one without a ticket', [answerJson({ output: {} })], 502],
    ['no HTTP', [answerRaw('nonsense')], 502],
    ['one that fails', [state('PENDING'), state('FAILED', { code: 'InternalError' })], 502],
    ['one that the filter stops', [state('PENDING'), FILTERED], 400],
    ['one with a forgotten task id', [state('PENDING'), answerError(404, {})], 404],
    ['one that never ends', [state('RUNNING')], 504, BRIEF],
  ])('%s costs nothing', async (_what, script, status, setup) => {
    const world = await open(script, { kind, ...setup })
    const answer = await world.ask(ASKED, { path })
    expect(answer.status).toBe(status)
    expect(await answer.text()).not.toContain('sk-ali-secret')
    await world.expectLog({ quota: 0, outcome: 'void' })
  })

  /** The connection breaks when the result is fetched after it was reported as ready. */
  function lost(): Behaviour {
    let questions = 0
    return (response, request) => {
      if (request.path.includes('image-synthesis')) return state('PENDING')(response, request)
      return (++questions === 1 ? DONE : resetConnection)(response, request)
    }
  }

  test.each<[string, Behaviour[], number, Setup]>([
    ['one that never ends', [state('RUNNING')], 504, BRIEF],
    ['one without time for more', [state('RUNNING')], 504, { limits: { attemptsMs: 300 } }],
    ['one that is made and cannot be had', [lost()], 502, {}],
    ['one whose key is refused meanwhile', [state('PENDING'), answerError(401, {})], 502, {}],
  ])('the upstream cost of %s is recorded', async (_what, script, status, setup) => {
    const world = await open(script, { kind, options: ONCE, ...setup })
    const answer = await world.ask(ASKED, { path })
    expect(answer.status).toBe(status)
    const entry = await world.books()
    expect(entry.log).toMatchObject({ quota: 0, outcome: 'void' })
    expect(attemptsOf(entry)).toMatchObject([
      { unbilled_prompt_tokens: 2000, unbilled_completion_tokens: 0, unbilled_quota: 2 * COST },
    ])
    expect(await unbilledOf(world)).toEqual([
      { channel_id: world.channels[0], unbilled_quota: 2 * COST },
    ])
  })

  test.each<[string, Behaviour[], Setup]>([
    ['is refused', [answerError(429, {})], {}],
    ['gets no ticket', [neverAnswer], { limits: { attemptsMs: 300 } }],
    ['fails', [state('PENDING'), state('FAILED', { code: 'InternalError' })], {}],
  ])('a task that %s has no upstream cost', async (_what, script, setup) => {
    const world = await open(script, { kind, options: ONCE, ...setup })
    expect((await world.ask(ASKED, { path })).status).toBeGreaterThanOrEqual(400)
    expect(attemptsOf(await world.books())).toMatchObject([{ unbilled_quota: 0 }])
    expect(await unbilledOf(world)).toEqual([])
  })
})
