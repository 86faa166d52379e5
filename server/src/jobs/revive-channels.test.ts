import { beforeEach, describe, expect, test } from 'vitest'
import { CHANNEL_STATUS } from '@tollgate/contract'
import {
  answerChat,
  answerError,
  answerJson,
  type Behaviour,
  neverAnswer,
  type ScriptedUpstream,
} from '../../testing/fakes/scripted-upstream.ts'
import { DATABASES } from '../../testing/harness/databases.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { waitUntil } from '../../testing/harness/wait-until.ts'
import { openChannelWorld } from '../../testing/worlds/channel-world.ts'
import type { ControlPlane } from '../../testing/worlds/control-plane.ts'
import { outboxOf } from '../../testing/worlds/outbox.ts'
import { readChannel, setRow } from '../../testing/worlds/rows.ts'
import { createLog } from '../process/log.ts'
import { createUpstream } from '../upstream/send.ts'
import { reviveDue, startReviving } from './revive-channels.ts'

const { enabled, disabled, autoDisabled } = CHANNEL_STATUS
const MINUTE_MS = 60_000
const DAY_MS = 86_400_000

describe.each(DATABASES)('channels that the gateway disabled, on %s', (kind) => {
  let plane: ControlPlane
  let provider: ScriptedUpstream

  const upstream = openPerTest(() => createUpstream())
  const world = openPerTest(() => openChannelWorld(kind))
  beforeEach(async () => {
    ;({ plane, provider } = world)
  })
  const deps = () => ({ ...plane, upstream, log: createLog('silent'), now: () => plane.clock.now })

  const add = async (
    name: string,
    script: Behaviour,
    status: number = autoDisabled,
    form: object = {},
  ) => {
    const id = await world.addChannel(name, form, script)
    const status_time = Math.floor(plane.clock.now / 1000)
    await setRow(plane, 'channels', id, { status, status_reason: 'was refused', status_time })
    return id
  }

  const round = () => reviveDue(deps(), new AbortController().signal)
  const nextRound = async () => {
    plane.clock.now += MINUTE_MS
    await round()
  }

  const statusOf = async (id: number) => {
    const { status, status_reason } = await readChannel(plane, id)
    return { status, status_reason }
  }

  test('are tested after a minute, and one that passes is enabled, with one alert', async () => {
    const [back, lost, byHand] = [
      await add('back', answerChat()),
      await add('lost', answerError(401, { code: 'invalid_api_key' })),
      await add('by-hand', answerChat(), disabled),
    ]
    await round()
    expect(provider.requestsOf('back')).toEqual([])
    plane.clock.now += MINUTE_MS
    // Two nodes find them at once.
    await Promise.all([round(), round()])
    expect(await statusOf(back)).toEqual({ status: enabled, status_reason: '' })
    expect((await statusOf(lost)).status).toBe(autoDisabled)
    expect((await statusOf(byHand)).status).toBe(disabled)
    expect(provider.requestsOf('by-hand')).toEqual([])
    expect(provider.requestsOf('lost')).toHaveLength(1)
    expect(await outboxOf(plane)).toMatchObject([
      { type: 'channel-alert', channel_id: back, event: 'enabled' },
    ])
  })

  test('are tested less often the longer they are disabled, and at least every half hour', async () => {
    await add('lost', answerError(500, {}))
    const tests = async (minutes: number) => {
      const before = provider.requestsOf('lost').length
      for (let minute = 0; minute < minutes; minute += 1) {
        await nextRound()
      }
      return provider.requestsOf('lost').length - before
    }
    expect(await tests(8)).toBeGreaterThanOrEqual(5)
    expect(await tests(192)).toBeLessThan(20)
    expect(await tests(120)).toBeGreaterThanOrEqual(3)
  })

  test('are tested also if a clock was ahead when they were disabled or tested', async () => {
    const tomorrow = Math.floor((plane.clock.now + DAY_MS) / 1000)
    const ids = [await add('off', answerChat()), await add('tested', answerChat())]
    for (const [index, ahead] of [{ status_time: tomorrow }, { test_time: tomorrow }].entries()) {
      await setRow(plane, 'channels', ids[index] ?? 0, ahead)
    }
    await nextRound()
    for (const id of ids) expect((await statusOf(id)).status).toBe(enabled)
  })

  // PostgreSQL runs the statements of the rest in other tests.
  if (kind !== 'sqlite') return

  test.each([
    ['BAAI/bge-m3', '/v1/embeddings', { data: [{ embedding: [1] }], usage: { prompt_tokens: 1 } }],
    ['bge-reranker-v2-m3', '/v1/rerank', { results: [{ index: 0, relevance_score: 1 }] }],
    ['dall-e-3', '/v1/images/generations', { data: [{ url: 'https://a.example/1.png' }] }],
    ['whisper-1', '/v1/audio/transcriptions', { text: '' }],
  ])('come back when their only model, %s, is served again', async (models, path, answer) => {
    const serve: Behaviour = (response, request) => {
      const isRight = request.path === path
      const wrong = answerError(400, { message: 'not supported in the endpoint' })
      return (isRight ? answerJson(answer) : wrong)(response, request)
    }
    const back = await add('back', serve, autoDisabled, { models })
    await nextRound()
    expect((await statusOf(back)).status).toBe(enabled)
  })

  test('stay disabled if they cannot be tested, which is no failure', async () => {
    const id = await add('video', answerChat(), autoDisabled, { models: 'sora-2' })
    await nextRound()
    const row = await world.rowOf(id)
    expect([row.status, row.test_outcome]).toEqual([autoDisabled, 'untestable'])
  })

  test('that cannot be tested do not block the others', async () => {
    const broken = await Promise.all(['a', 'b', 'c', 'd'].map((name) => add(name, answerChat())))
    await plane.database.kysely
      .updateTable('channels')
      .set({ key_sealed: 'broken' })
      .where('id', 'in', broken)
      .execute()
    const back = await add('back', answerChat())
    await nextRound()
    expect((await statusOf(back)).status).toBe(enabled)
  })

  test('stay disabled if the option is off', async () => {
    const id = await add('back', answerChat())
    await plane.setOption('AutomaticEnableChannelEnabled', 'false')
    await nextRound()
    expect((await statusOf(id)).status).toBe(autoDisabled)
    expect(provider.requestsOf('back')).toEqual([])
  })

  test('are tested by a job that stops at once, also during a test', async () => {
    const back = await add('back', answerChat())
    plane.clock.now += MINUTE_MS
    const job = startReviving(deps(), { lookMs: 10 })
    await waitUntil(async () => (await statusOf(back)).status === enabled)
    const silent = await add('silent', neverAnswer)
    plane.clock.now += MINUTE_MS
    await waitUntil(async () => provider.requestsOf('silent').length === 1)
    await job.stop()
    expect((await statusOf(silent)).status).toBe(autoDisabled)
  })
})
