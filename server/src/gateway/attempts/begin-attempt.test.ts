import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import {
  finish,
  isRequestProblem,
  openaiDialect,
  problemFromEncoding,
  problemFromTransport,
  UnsupportedParameterError,
  type UpstreamProblem,
} from '@tollgate/relay'
import { answerAsAsked, answerChat, answerError } from '../../../testing/fakes/scripted-upstream.ts'
import { answerNative, channelTo, CLAUDE } from '../../../testing/worlds/native-scenario.ts'
import { ASKED, expectRefusal, MODEL, setUp } from '../../../testing/worlds/relay-scenario.ts'
import { attemptsOf } from '../../../testing/worlds/stream-failover-scenario.ts'
import { systemClock } from '../../clock.ts'
import { Deadlines } from '../../deadlines.ts'
import type { LiveChannel } from '../routing/channel-registry.ts'
import { KeyRing } from '../routing/key-ring.ts'
import type { AttemptDeps } from './attempt.ts'
import { beginAttempt } from './begin-attempt.ts'
import { summarize } from './read-whole.ts'
import { classOf, recordFailure } from './record-failure.ts'

test('an outcome that fails and that nobody awaits ends nothing', async () => {
  const unhandled: unknown[] = []
  const note = (reason: unknown) => unhandled.push(reason)
  process.on('unhandledRejection', note)
  const client = { disconnected: false, onDrainTimeout: () => {}, offDrainTimeout: () => {} }
  const encode = async () => {
    await pause(1)
    throw new TypeError('a bug')
  }
  const deadlines = new Deadlines(systemClock)
  // Safe because encoding fails before anything else is used.
  const deps = { client, clock: systemClock, deadlines } as unknown as AttemptDeps
  const { outcome } = beginAttempt(deps, {} as Parameters<typeof beginAttempt>[1], encode)
  await pause(20)
  process.off('unhandledRejection', note)
  expect(unhandled).toEqual([])
  await expect(outcome).rejects.toThrow('a bug')
})

const ABOUT = { contentType: 'application/json', upstreamModel: 'm', readsChatCompletions: true }

const REQUEST = '{"model":"m","messages":[{"role":"user","content":"Hi"}]}'

test('a long answer that passes is counted as a whole', () => {
  const request = finish(openaiDialect.readRequest('chat', Buffer.from(REQUEST), {}))
  if (isRequestProblem(request)) throw new Error(request.message)
  const content = 'All words of an answer. '.repeat(100)
  const usage = { prompt_tokens: 7, completion_tokens: 600 }
  const json = { model: 'm-1', choices: [{ message: { content } }], usage }
  const { answer, decoded } = summarize(Buffer.from(JSON.stringify(json)), request, ABOUT)
  expect(answer).toMatchObject({ complete: true, model: 'm-1' })
  expect(answer.usage).toMatchObject({ promptTokens: 7, completionTokens: 600 })
  expect(answer.isEmpty?.()).toBe(false)
  expect(answer.outputText()).toBe(content)
  expect(decoded).toBeNull()
})

const HEADER = 'x-tollgate-adapted'
const AT_MESSAGES = { path: '/v1/messages' }
const MESSAGE = {
  model: MODEL,
  max_tokens: 50,
  top_k: 3,
  temperature: 0.5,
  messages: [{ role: 'user', content: 'hi' }],
}

test.each([false, true])('answer and log name what was changed (stream: %s)', async (stream) => {
  const world = await setUp(answerAsAsked)
  const response = await world.ask({ ...MESSAGE, stream, container: 'c' }, AT_MESSAGES)
  await response.text()
  expect(response.headers.get(HEADER)).toBe('top_k, other_members')
  expect(response.headers.get('access-control-expose-headers')).toContain('X-Tollgate-Adapted')
  expect(await attemptsOf(world)).toMatchObject([{ adapted: ['top_k', 'other_members'] }])
})

test('only the attempt that was changed names it, and the answer has that header', async () => {
  const world = await setUp(
    [
      { script: [answerError(500, {})] },
      { ...channelTo(CLAUDE, answerNative(CLAUDE)), priority: -1 },
    ],
    { options: [['RetryTimes', '1']] },
  )
  const response = await world.ask(MESSAGE, AT_MESSAGES)
  await response.text()
  expect(response.headers.has(HEADER)).toBe(false)
  expect(await attemptsOf(world)).toMatchObject([{ adapted: ['top_k'] }, { adapted: [] }])
})

const ANTHROPIC = 14
const broken = answerError(500, { message: 'down' })
/** Anthropic has no parameter for several choices. */
const SEVERAL = { ...ASKED, n: 2 }

describe('a parameter the provider does not support', () => {
  test('is sent to another channel', async () => {
    const world = await setUp([
      { script: [broken], type: ANTHROPIC, priority: 9 },
      { script: [answerChat()] },
    ])
    expect((await world.ask(SEVERAL)).status).toBe(200)
    expect(world.calls()).toEqual([0, 1])
    await world.books()
  })

  test('is refused if there is no other channel', async () => {
    const world = await setUp([{ script: [broken], type: ANTHROPIC }])
    await expectRefusal(world.ask(SEVERAL), 400, { code: 'unsupported_by_provider', param: 'n' })
    expect(world.calls()).toEqual([0])
    await world.expectLog({ quota: 0, end_reason: 'request_refused' })
  })
})

test("a request that was never sent does not affect the channel's health", () => {
  const told = {
    answerStarted: vi.fn(),
    succeeded: vi.fn(),
    failed: vi.fn(),
    dropped: vi.fn(),
  }
  const probe = { ...told, sent: vi.fn(), addOutputTokens: vi.fn() }
  // Safe because nothing else of a channel is used.
  const channel = { keys: new KeyRing(['key'], systemClock) } as LiveChannel
  const autoDisable = { report: () => false, flagSuspectUsage: () => {}, flushed: async () => {} }
  const learn = (problem: UpstreamProblem, status: number) =>
    recordFailure(
      { autoDisable },
      { target: { channel, upstreamModel: 'm' }, key: 'key', probe },
      { problem, status, failureClass: classOf(problem, status) },
    )
  const refusal = problemFromEncoding(new UnsupportedParameterError("'n' must be 1.", 'n'))
  expect(learn(refusal, 0)).toEqual({ class: 'channel_failed', retryAfterMs: null })
  expect(probe.dropped).toHaveBeenCalledTimes(1)
  expect(learn(refusal, 400).class).toBe('non_retryable')
  expect(learn(problemFromTransport('connect'), 0).class).toBe('transient')
  expect(probe.failed).toHaveBeenCalledTimes(2)
  expect(probe.dropped).toHaveBeenCalledTimes(1)
})
