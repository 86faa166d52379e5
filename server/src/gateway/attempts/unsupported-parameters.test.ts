import { describe, expect, test, vi } from 'vitest'
import {
  problemFromEncoding,
  problemFromTransport,
  UnsupportedParameterError,
  type UpstreamProblem,
} from '@tollgate/relay'
import { answerChat, answerError } from '../../../testing/fakes/scripted-upstream.ts'
import { ASKED, readError, setUp } from '../../../testing/worlds/relay-scenario.ts'
import { systemClock } from '../../clock.ts'
import type { LiveChannel } from '../routing/channel-registry.ts'
import { KeyRing } from '../routing/key-ring.ts'
import { classOf, recordFailure } from './record-failure.ts'

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
    const refused = await world.ask(SEVERAL)
    expect(refused.status).toBe(400)
    expect(await readError(refused)).toMatchObject({ code: 'unsupported_by_provider', param: 'n' })
    expect(world.calls()).toEqual([0])
    expect((await world.books()).log).toMatchObject({ quota: 0, end_reason: 'request_refused' })
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
