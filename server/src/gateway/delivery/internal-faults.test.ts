import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  descriptorOf,
  problemFromTransport,
  type RelayRequest,
  type StreamContinuation,
} from '@tollgate/relay'
import { attemptDeps } from '../../../testing/worlds/attempt-deps.ts'
import { drainsOf } from '../../../testing/worlds/drains.ts'
import { systemClock } from '../../clock.ts'
import { Deadlines } from '../../deadlines.ts'
import { CallProblem } from '../../upstream/call-problem.ts'
import { NO_OVERRIDES } from '../../upstream/channel-overrides.ts'
import type { UpstreamCall } from '../../upstream/exchange.ts'
import type { Upstream } from '../../upstream/send.ts'
import type { AttemptExchange } from '../attempts/attempt-outcome.ts'
import { Attempts } from '../attempts/attempts.ts'
import { beginAttempt } from '../attempts/begin-attempt.ts'
import type { OpenStream, StreamConsumer } from '../attempts/open-stream.ts'
import type { RunningAttempt } from '../attempts/running-attempt.ts'
import type { PricedTarget } from '../billing/terms.ts'
import type { RelayContext, RelayDeps } from '../context.ts'
import { Client } from '../intake/client.ts'
import { GATEWAY_LIMITS } from '../limits.ts'
import { type StreamPart, StreamParts } from './stream-parts.ts'
import { pumpStream } from './stream-relay.ts'

const BAIDU = 15
const NOTHING = Buffer.from('data: x\n\n')

function newClient() {
  const events = new EventEmitter()
  const response = Object.assign(events, { destroyed: false, writableEnded: false })
  // Safe because nothing else is used before something is written.
  const client = new Client(response as unknown as ServerResponse, drainsOf())
  return { client, response, leave: () => response.emit('close') }
}

type Waiting = { running: AttemptExchange; leave: () => void; fail: (error: Error) => void }

test.each([
  ['is cancelled', 'cancelled', ({ running }: Waiting) => running.cancel()],
  ['expires', 'expired', () => {}],
  ['is left by its client', 'unsent', ({ leave }: Waiting) => leave()],
  [
    'cannot be encoded',
    'failed',
    ({ fail }: Waiting) => fail(new CallProblem(problemFromTransport('connect'), 0)),
  ],
])('a call that %s before it is ready no longer listens to its client', async (_, type, end) => {
  const { client, leave } = newClient()
  const listening = new Set<() => void>()
  const { onDrainTimeout: onTimeUp, offDrainTimeout: stopListening } = client
  client.onDrainTimeout = (listener) => {
    listening.add(listener)
    onTimeUp.call(client, listener)
  }
  client.offDrainTimeout = (listener) => {
    listening.delete(listener)
    stopListening.call(client, listener)
  }
  const call = Promise.withResolvers<UpstreamCall>()
  const deadline = type === 'expired' ? client.clock.monotonic() : Infinity
  // Safe because nothing is sent, and nothing of the request is read.
  const deps = attemptDeps(client, {} as Upstream, deadline)
  const running = beginAttempt(deps, {} as RelayRequest, () => call.promise)
  expect(listening.size).toBe(1)
  end({ running, leave, fail: call.reject })
  expect(await running.outcome).toMatchObject({ type })
  expect(listening.size).toBe(0)
})

const FAULT = new Error('it cannot be asked for')

test('an attempt with an internal error fails for its own request only', async () => {
  const { client } = newClient()
  const upstream = { exchangeKey: () => Promise.reject(FAULT) }
  const health = { begin: () => ({}) }
  const channel = {
    descriptor: descriptorOf(BAIDU),
    keys: { next: () => 'id|secret', idOf: () => '' },
    baseUrl: '',
    other: '',
    proxy: null,
    overrides: NO_OVERRIDES,
    apiMemory: { lacksResponses: false },
    addressFault: null,
  }
  const parsedRequest = {
    endpoint: 'chat',
    stream: false,
    outline: {},
    members: { list: [] },
    json: () => ({}),
    body: Buffer.from('{}'),
  }
  const limits = { attemptsMs: 1000 }
  const authorization = { outputLimit: () => null }
  const deadlines = new Deadlines(systemClock)
  // Safe because nothing else of them is read before there is a token.
  const deps = { clock: systemClock, deadlines, upstream, health, limits } as unknown as RelayDeps
  const target = { id: 1, channel, upstreamModel: 'ERNIE-4.0-8K' } as unknown as PricedTarget
  const context = {
    parsedRequest,
    terms: { options: {} },
    authorization,
    attempts: [],
    client,
  } as unknown as RelayContext
  await expect(new Attempts(deps, context).start(target).outcome).rejects.toBe(FAULT)
})

test('an attempt that the overall deadline ends is the last, also if its timer fired early', () => {
  // Safe because nothing else of them is read.
  const deps = { clock: systemClock, limits: { attemptsMs: 1000 } } as unknown as RelayDeps
  const context = { client: {}, parsedRequest: { task: {} }, replaced: [] }
  const tries = new Attempts(deps, context as unknown as RelayContext)
  const one = { target: {}, record: {}, probe: { dropped: () => {} }, exchange: {} }
  expect(tries.isPastDeadline).toBe(false)
  // Safe because nothing else of an expired attempt is read.
  tries.expired(one as unknown as RunningAttempt, { workedMs: 0 })
  expect(tries.isPastDeadline).toBe(true)
})

test('an error while a stream is paid for ends that stream only', async () => {
  const { client } = newClient()
  let aborted = 0
  // Safe because a pump uses nothing else of a stream that it gives up.
  const stream = {
    observer: { outputBytes: 1, eventCount: 1 },
    exchange: { abort: () => (aborted += 1) },
    pause: () => {},
    read: (reader: StreamConsumer) => reader.onOutput({ blocks: [NOTHING], events: [] }),
  } as unknown as OpenStream
  const budget = {
    covers: () => Promise.reject(new Error('it cannot be counted')),
    remainingBytes: () => 1,
    growsInMs: () => Infinity,
  }
  const patience = {
    clientStallMs: 10_000,
    clientStallTotalMs: 10_000,
    tailMs: 1000,
    stallMs: Infinity,
    budget,
  }
  const { ending } = pumpStream({ stream, continuation: null }, client, patience)
  await expect(ending).rejects.toThrow('it cannot be counted')
  expect(aborted).toBe(1)
})

test('usage and the end are not awaited while the client accepts nothing', async () => {
  const { client, response } = newClient()
  Object.assign(response, { headersSent: true, write: () => false, destroy: () => {} })
  const observer = { outputBytes: 1, eventCount: 1, finished: true, error: null }
  let isResumed = false
  // Safe because a pump uses nothing else of a stream that has finished.
  const stream = {
    observer,
    native: null,
    exchange: { abort: () => {}, release: () => {} },
    pause: () => {},
    resume: () => (isResumed = true),
    read: (reader: StreamConsumer) => reader.onOutput({ blocks: [NOTHING], events: [] }),
  } as unknown as OpenStream
  const patience = {
    clientStallMs: 10_000,
    clientStallTotalMs: 10_000,
    tailMs: 50,
    stallMs: Infinity,
  }
  const { ending } = pumpStream({ stream, continuation: null }, client, patience)
  expect(await Promise.race([ending, sleep(200, 'waits')])).toBe('waits')
  response.emit('drain')
  expect(isResumed).toBe(true)
  expect(await ending).toEqual({ type: 'finished' })
})

/** What the hold pays for, at a quota unit per token. */
const HELD = 10_000

function newContext(): RelayContext {
  const response = new EventEmitter()
  // Safe because nothing is written, and the budget reads nothing else.
  return {
    client: new Client(response as unknown as ServerResponse, drainsOf()),
    terms: { options: {}, groupRatio: 1 },
    parsedRequest: {},
    authorization: {
      targets: [],
      hold: { amount: HELD },
      headroomTokens: 1000,
      promptTokens: 0,
    },
    user: 1,
  } as unknown as RelayContext
}

/** A stream with this much output, and the readers it was given. */
function newPart(outputBytes: number, continuation: StreamContinuation | null = null) {
  const readers: StreamConsumer[] = []
  const ratios = { cache_ratio: 1, cache_write_ratio: 1 }
  const price = { model_ratio: 1, completion_ratio: 1, ...ratios }
  // Safe because nothing else of a stream without events is used.
  const stream = {
    observer: { outputBytes },
    read: (reader: StreamConsumer) => readers.push(reader),
  } as unknown as OpenStream
  // Safe because a budget reads only the price.
  const attempt = { target: { price } } as unknown as RunningAttempt
  const part: StreamPart = { attempt, stream, continuation }
  return { part, readers }
}

// Safe because nothing else of a continuation is read.
const tookOver = { tookOver: true } as unknown as StreamContinuation

// Safe because no model here hides its reasoning.
const deps = { limits: GATEWAY_LIMITS, clock: systemClock } as unknown as ConstructorParameters<
  typeof StreamParts
>[1]

test('all streams of an answer share a budget, and a resumed stream counts once', () => {
  const [first, second] = [newPart(100), newPart(50, tookOver)]
  const parts = new StreamParts(newContext(), deps, first.part)
  parts.pump(first.part, Infinity)
  parts.pump(second.part, Infinity)
  // A stream that stalled and resumed is pumped again as another part.
  parts.pump({ ...second.part }, Infinity)
  const left = HELD - 100 - 50
  for (const reader of second.readers) {
    expect(reader.bytesAccepted(left)).toBe(left)
    expect(reader.bytesAccepted(left + 1)).toBeLessThan(left)
  }
  expect(second.readers).toHaveLength(2)
  expect(parts.continuations).toHaveLength(1)
})
