import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test, vi } from 'vitest'
import { problemFromTransport } from '@tollgate/relay'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import { drainsOf } from '../../../testing/worlds/drains.ts'
import { systemClock } from '../../clock.ts'
import type { RelayContext, RelayDeps } from '../context.ts'
import { relayWithFailover } from '../delivery/deliver-stream.ts'
import { Client } from '../intake/client.ts'
import { GATEWAY_LIMITS } from '../limits.ts'
import type { AttemptOutcome } from './attempt-outcome.ts'
import type { Attempts } from './attempts.ts'
import { awaitFirstAnswer } from './hedge.ts'
import type { OpenStream, StreamConsumer } from './open-stream.ts'
import type { RunningAttempt } from './running-attempt.ts'

const FAULT = new Error('a fault of ours')
const TARGET = { channel: { descriptor: {} } }
const never = () => new Promise<never>(() => {})

function newTry(outcome: Promise<AttemptOutcome> = never()) {
  const ended: string[] = []
  // Safe because a hedge uses nothing else of an attempt that it gives up.
  const one = {
    target: TARGET,
    outcome,
    sentAt: Promise.resolve(0),
    exchange: { cancel: () => ended.push('cancelled') },
    probe: { dropped: () => ended.push('dropped') },
  } as unknown as RunningAttempt
  return { attempt: one, ended }
}

/** Starts a second attempt at once. */
const triesWith = (start: () => RunningAttempt) =>
  // Safe because a hedge uses nothing else before an attempt has ended.
  ({
    clock: systemClock,
    hedgeAfterMs: () => 0,
    nextHedge: () => TARGET,
    start,
  }) as unknown as Attempts

test('a late attempt is closed when its hedge cannot start', async () => {
  const late = newTry()
  const attempts = triesWith(() => {
    throw FAULT
  })
  await expect(awaitFirstAnswer(attempts, late.attempt)).rejects.toBe(FAULT)
  expect(late.ended).toEqual(['cancelled', 'dropped'])
})

test('both attempts are closed when an internal error ends one of them', async () => {
  const late = newTry()
  const failing = Promise.withResolvers<never>()
  const hedge = newTry(failing.promise)
  const attempts = triesWith(() => {
    setTimeout(() => failing.reject(FAULT), 10)
    return hedge.attempt
  })
  await expect(awaitFirstAnswer(attempts, late.attempt)).rejects.toBe(FAULT)
  expect(late.ended).toEqual(['cancelled', 'dropped'])
  expect(hedge.ended).toEqual(['cancelled', 'dropped'])
})

function newStreaming() {
  const abort = vi.fn<() => void>()
  // Safe because nothing else of a closed stream is used.
  const outcome = {
    type: 'streaming',
    stream: { exchange: { abort } },
  } as unknown as AttemptOutcome
  return { outcome, abort }
}

test('the second of two attempts that answer at the same moment is closed', async () => {
  const [quicker, slower] = [newStreaming(), newStreaming()]
  const speaks = Promise.withResolvers<AttemptOutcome>()
  const speaksToo = Promise.withResolvers<AttemptOutcome>()
  const [first, hedge] = [newTry(speaks.promise), newTry(speaksToo.promise)]
  const discarded = vi.fn<Attempts['discarded']>()
  const start = () => {
    setTimeout(() => {
      speaks.resolve(quicker.outcome)
      speaksToo.resolve(slower.outcome)
    }, 10)
    return hedge.attempt
  }
  const attempts = Object.assign(triesWith(start), { discarded })
  expect(await awaitFirstAnswer(attempts, first.attempt)).toMatchObject({ attempt: first.attempt })
  expect(discarded).toHaveBeenCalledExactlyOnceWith(hedge.attempt, 'late_one_spoke')
  await vi.waitFor(() => expect(slower.abort).toHaveBeenCalledOnce())
  expect(quicker.abort).not.toHaveBeenCalled()
})

/** A stream in plain text that hands its reader to `read`. */
function newStream(read: (reader: StreamConsumer) => void) {
  const response = new EventEmitter()
  // Safe because nothing is written.
  const client = new Client(response as unknown as ServerResponse, drainsOf())
  const options = { StreamRescueEnabled: true, HedgeAfterSeconds: 0.01 }
  const parsedRequest = { endpoint: 'chat', stream: true, choices: 1, outline: {} }
  // Safe because nothing else is read before another stream takes over.
  const context = {
    parsedRequest,
    client,
    terms: { options },
    authorization: { headroomTokens: null },
  } as unknown as RelayContext
  const abort = vi.fn<() => void>()
  // Safe because nothing else of a silent stream is used.
  const stream = {
    observer: { outputBytes: 5, plainText: () => 'Hello', head: {} },
    exchange: { abort },
    clientStalledMs: GATEWAY_LIMITS.clientStallTotalMs,
    read,
    detach: () => {},
    awaitDelta: never,
  } as unknown as OpenStream
  return { context, abort, first: { attempt: newTry().attempt, stream, continuation: null } }
}

// Safe because streams whose whole output is held need no measured speeds.
const deps = { limits: GATEWAY_LIMITS } as unknown as Pick<RelayDeps, 'limits' | 'health' | 'clock'>

test('a silent stream is closed when its hedge cannot start', async () => {
  const { context, abort, first } = newStream(() => {})
  const attempts = triesWith(() => {
    throw FAULT
  })
  await expect(relayWithFailover({ attempts, context, deps }, first)).rejects.toBe(FAULT)
  expect(abort).toHaveBeenCalledOnce()
})

test('a stream that its client stalled is not continued, whichever attempts failed before', async () => {
  const { context, first } = newStream((reader) => reader.onEnd('closed_early'))
  const [clientStalled, next] = [vi.fn<Attempts['clientStalled']>(), vi.fn<Attempts['next']>()]
  // Safe because no channel is asked.
  const attempts = { clientStalled, next } as unknown as Attempts
  const { ending } = await relayWithFailover({ attempts, context, deps }, first)
  expect(ending).toMatchObject({ type: 'broken', clientStalled: true })
  expect(clientStalled).toHaveBeenCalledOnce()
  expect(next).not.toHaveBeenCalled()
})

test('while no channel is ready for a hedge, readiness is not polled all the time', async () => {
  const failing = Promise.withResolvers<AttemptOutcome>()
  const { attempt: one } = newTry(failing.promise)
  const clock = new FakeClock()
  let looks = 0
  const rules = {
    clock,
    hedgeAfterMs: () => 0,
    nextHedgeInMs: () => 0.001,
    nextHedge: () => {
      looks += 1
      return null
    },
    failed: () => {},
  }
  // Safe because a hedge without a second attempt uses nothing else.
  const racing = awaitFirstAnswer(rules as unknown as Attempts, one)
  await clock.advance(200)
  expect(looks).toBe(21)
  failing.resolve({ type: 'failed', problem: problemFromTransport('connect'), status: 0 })
  expect(await racing).toBeNull()
  const looksBefore = looks
  await clock.advance(50)
  expect(looks).toBe(looksBefore)
})
