import { setTimeout as pause } from 'node:timers/promises'
import { expect } from 'vitest'
import {
  answerError,
  type Behaviour,
  neverAnswer,
  resetConnection,
} from '../fakes/scripted-upstream.ts'
import { ASKED, type Provider, QUOTA, STREAMED, type World } from '../worlds/relay-scenario.ts'
import {
  ANSWER,
  answerAs,
  FIRST,
  finish,
  play,
  remainingEvents,
  role,
  SECOND,
  usage,
  wordEvents,
} from './answers.ts'
import { askAndRead, expectWhole, type Outcome } from './outcome.ts'

/** Scales the benchmark's milliseconds to this run. */
export type Time = (ms: number) => number

/** Allowance for a busy machine that runs all scenarios at once. */
export const SLACK_MS = 6000

export type Scenario = {
  name: string
  first: (time: Time) => Behaviour[]
  second?: (time: Time) => Behaviour[]
  parts?: Partial<Provider>
} & (WholeAnswer | ExtraCheck)

type WholeAnswer = Expected & {
  /** Runs for JSON as well as for streams. */
  both?: true
}

/** Returns the duration of the slowest answer. */
type ExtraCheck = { run: (world: World, time: Time) => Promise<number> }

export type Expected = {
  /** All expected attempts. The duration alone does not show which way the answer took. */
  attempts: readonly string[]
  /** Time limit for the complete answer. */
  withinMs?: number
}

const MOONSHOT = 25
/** Enough for a few failures, their pauses, and an answer. */
export const WITHIN_MS = 5000

/** Looks like the other events, but ends in a brace. */
const cutAtBrace = (event: string) => `${event.slice(0, event.indexOf('}') + 1)}\n\n`

const once = (behaviour: Behaviour) => () => [behaviour, answerAs(FIRST)]
const always = (behaviour: Behaviour) => () => [behaviour]

/**
 * At least SLACK_MS, so that even a busy machine starts another attempt before the silence ends.
 */
const silence = (time: Time, ms: number) => Math.max(time(ms), SLACK_MS)

const limited = (time: Time) =>
  answerError(429, { code: 'rate_limit_exceeded' }, { 'retry-after-ms': String(time(1000)) })

const CONTEXT_LENGTH = answerError(400, {
  code: 'context_length_exceeded',
  message: "This model's maximum context length is 10 tokens.",
})
const CONTENT_FILTER = answerError(400, {
  code: 'content_policy_violation',
  message: 'The prompt was refused by the content policy.',
})
const NO_BEGINNING = answerError(400, {
  type: 'invalid_request_error',
  message: 'This model does not support an assistant message at the end.',
})

/** The scenarios of the public failover benchmark, with its times. */
export const SCENARIOS: Scenario[] = [
  {
    name: '429 once, with a short Retry-After',
    first: (time) => [limited(time), answerAs(FIRST)],
    both: true,
    attempts: ['first: rate_limit', 'first: served'],
  },
  {
    name: '429 again and again',
    first: (time) => [limited(time)],
    both: true,
    attempts: ['first: rate_limit', 'first: rate_limit', 'second: served'],
  },
  {
    name: 'one 500',
    first: once(answerError(500, {})),
    both: true,
    attempts: ['first: upstream_fault', 'first: served'],
  },
  {
    name: '503 again and again',
    first: always(answerError(503, {})),
    both: true,
    attempts: ['first: overloaded', 'first: overloaded', 'second: served'],
  },
  {
    name: 'a reset before the headers',
    first: always(resetConnection),
    both: true,
    attempts: ['first: upstream_fault', 'first: upstream_fault', 'second: served'],
  },
  {
    name: '120 s of silence',
    first: always(neverAnswer),
    withinMs: 15_000,
    attempts: ['first: overtaken', 'second hedged: served'],
  },
  {
    name: 'headers at once, the first token after 20 s',
    first: (time) => [play([role(FIRST), silence(time, 20_000), ...remainingEvents(FIRST, 0)])],
    withinMs: 15_000,
    attempts: ['first: overtaken', 'second hedged: served'],
  },
  {
    name: 'a cut in mid-answer',
    first: always(play([role(FIRST), ...wordEvents(FIRST, 0, 5)], 'cut')),
    attempts: ['first: upstream_fault', 'second rescued: served'],
  },
  {
    name: 'a stall of 30 s in mid-stream',
    first: (time) => [
      play([
        role(FIRST),
        ...wordEvents(FIRST, 0, 5),
        silence(time, 30_000),
        ...remainingEvents(FIRST, 5),
      ]),
    ],
    withinMs: 15_000,
    attempts: ['first: timeout', 'second rescued: served'],
  },
  {
    name: 'a malformed chunk',
    first: always(
      play([
        role(FIRST),
        ...wordEvents(FIRST, 0, 3),
        'data: {"choices":[{"del\n\n',
        ...wordEvents(FIRST, 3, 4).map(cutAtBrace),
        ...remainingEvents(FIRST, 3),
      ]),
    ),
    attempts: ['first: served'],
  },
  {
    name: 'no terminator after the finish reason',
    first: always(play([role(FIRST), ...wordEvents(FIRST), finish(FIRST), usage(FIRST)], 'hang')),
    attempts: ['first: served'],
  },
  {
    name: 'context length',
    first: always(CONTEXT_LENGTH),
    both: true,
    attempts: ['first: context_length', 'second: served'],
  },
  {
    name: 'content filter',
    first: always(CONTENT_FILTER),
    run: async (world) => {
      let slowest = 0
      for (const body of [ASKED, STREAMED]) {
        const refused = await askAndRead(world, body)
        slowest = Math.max(slowest, refused.milliseconds)
        expect(refused).toMatchObject({ status: 400, text: '', ends: 0 })
        expect(refused.error).toContain('content_policy_violation')
        expect(refused.error).toContain('refused by the content policy')
      }
      expect(world.calls()).toEqual([2, 0])
      const { log, account } = await world.books()
      expect(log).toMatchObject({ outcome: 'void', end_reason: 'request_refused' })
      expect(account.quota).toBe(QUOTA)
      return slowest
    },
  },
  {
    name: 'a fallback that refuses a last message of the assistant',
    first: always(play([role(FIRST), ...wordEvents(FIRST, 0, 5)], 'cut')),
    second: () => [NO_BEGINNING, answerAs(SECOND)],
    parts: { type: MOONSHOT },
    attempts: [
      'first: upstream_fault',
      'second rescued: invalid_request',
      'second rescued: served',
    ],
  },
  {
    name: 'a provider that flaps for 60 s',
    first: (time) => [flapping(time)],
    run: async (world, time) => {
      const end = performance.now() + time(60_000)
      const asked: Promise<Outcome>[] = []
      while (performance.now() < end) {
        const body = asked.length % 2 === 0 ? STREAMED : ASKED
        asked.push(askAndRead(world, { ...body, max_tokens: 50 }))
        await pause(time(500))
      }
      const outcomes = await Promise.all(asked)
      for (const outcome of outcomes) {
        expect(outcome).toMatchObject({ status: 200, text: ANSWER, ids: 1, ends: 1, error: '' })
      }
      // Once the outages are over, the first channel must serve again within seconds.
      const deadline = performance.now() + time(20_000) + SLACK_MS
      for (;;) {
        const outcome = await askAndRead(world)
        const { attempts } = await expectWhole(world, outcome, time(WITHIN_MS) + SLACK_MS)
        if (attempts.includes('first: served')) break
        expect(performance.now()).toBeLessThan(deadline)
        await pause(time(500))
      }
      const { logs } = await world.books()
      expect(logs.every(({ outcome }) => outcome === 'settled')).toBe(true)
      const serving = new Set(logs.map(({ channel }) => channel))
      expect([...serving].toSorted((a, b) => a - b)).toEqual(world.channels)
      return Math.max(...outcomes.map(({ milliseconds }) => milliseconds))
    },
  },
  {
    name: 'accounting after failover',
    first: always(answerError(500, {})),
    run: async (world, time) => {
      let slowest = 0
      for (const body of [STREAMED, ASKED]) {
        const outcome = await askAndRead(world, body)
        slowest = Math.max(slowest, outcome.milliseconds)
        const { log, basis, attempts } = await expectWhole(
          world,
          outcome,
          time(WITHIN_MS) + SLACK_MS,
        )
        expect(attempts).toContain('second: served')
        expect(log).toMatchObject({
          channel: world.channels[1],
          model_name: 'gpt-4o-mini',
          upstream_model: 'other-model-second',
          prompt_tokens: 10,
          completion_tokens: 13,
        })
        expect(basis).toMatchObject({ usage_source: 'reported', price_model: 'gpt-4o-mini' })
      }
      const { account, logs } = await world.books()
      const charged = logs.reduce((sum, { quota }) => sum + quota, 0)
      const channels = await world.database.kysely
        .selectFrom('channels')
        .select('used_quota')
        .orderBy('id')
        .execute()
      expect(channels).toEqual([{ used_quota: 0 }, { used_quota: charged }])
      expect(account).toMatchObject({ quota: QUOTA - charged, request_count: 2 })
      return slowest
    },
  },
]

/**
 * Alternates four seconds of failures with four seconds of success, and recovers for good after a
 * minute.
 */
function flapping(time: Time): Behaviour {
  const startedAt = performance.now()
  return (response, request) => {
    const elapsed = performance.now() - startedAt
    const isIll = elapsed < time(60_000) && Math.floor(elapsed / time(4000)) % 2 === 0
    return (isIll ? answerError(503, {}) : answerAs(FIRST))(response, request)
  }
}
