import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import type { RelayRequest, TransportFailure } from '@tollgate/relay'
import {
  answerChat,
  answerError,
  answerStream,
  type Behaviour,
  chunk,
  DONE,
  gated,
  neverAnswer,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { attemptDeps } from '../../../testing/worlds/attempt-deps.ts'
import { drainsOf } from '../../../testing/worlds/drains.ts'
import {
  ASKED,
  inOrder,
  MODEL,
  setUp,
  type Setup,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'
import type { AnswerSink, UpstreamCall } from '../../upstream/exchange.ts'
import type { Upstream } from '../../upstream/send.ts'
import type { AttemptOutcome } from '../attempts/attempt-outcome.ts'
import { beginAttempt } from '../attempts/begin-attempt.ts'
import { Client } from '../intake/client.ts'

/*
 * Answers whose clients have disconnected are billed, so they are drained or estimated.
 */

const QUOTA = 50_000_000
/** Deadlines that no test reaches unless it sets them. */
const PATIENT = { firstByteMs: 60_000, idleMs: 60_000, totalMs: 60_000 }
const TOKENS_MAX = 8000
const LONG = { ...ASKED, max_tokens: TOKENS_MAX }
/** The estimate without measurements: 20 s at 100 tokens per second. */
const UNKNOWN = 2000

const open = (script: Behaviour[], setup: Setup = {}) =>
  setUp(script, { quota: QUOTA, ...setup, upstreamLimits: { ...PATIENT, ...setup.upstreamLimits } })

const sourceOf = (log: { basis: string } | undefined) => JSON.parse(log?.basis || '{}').usage_source

/** Sends a request, and disconnects once the provider has it. */
async function leave(world: World, body: object = ASKED, path?: string) {
  const before = world.calls()[0] ?? 0
  const client = world.askAndLeave(body, path)
  await waitUntil(async () => (world.calls()[0] ?? 0) > before)
  await client.leave()
}

/** A provider that answers on `letGo`, with this usage. */
const billing = (tokens: number) =>
  gated(
    answerChat('word '.repeat(10), {
      prompt_tokens: 10,
      completion_tokens: tokens,
      total_tokens: tokens + 10,
    }),
  )

describe('a non-streamed answer whose client has disconnected', () => {
  test('is read to its end and charged as billed, in twenty concurrent requests', async () => {
    const { script, letGo } = billing(2400)
    const world = await open([script], { limits: { drainMs: 1 } })
    const clients = Array.from({ length: 20 }, () => world.askAndLeave(LONG))
    await waitUntil(async () => world.calls()[0] === 20)
    await Promise.all(clients.map((client) => client.leave()))
    expect(world.ledger.running()).toBe(20)
    letGo()
    const { logs } = await world.books()
    expect(logs.map((log) => log.completion_tokens)).toEqual(Array(20).fill(2400))
    expect(logs.map(sourceOf)).toEqual(Array(20).fill('reported'))
  })

  test('that does not end is estimated by the usual time of such answers', async () => {
    const world = await open([neverAnswer], { limits: { fullDrainMs: 50 } })
    await leave(world, LONG)
    const { log } = await world.books()
    expect(log).toMatchObject({
      end_reason: 'client_left',
      outcome: 'settled',
      completion_tokens: UNKNOWN,
      disconnect_policy: 'drain',
    })
    expect(sourceOf(log)).toBe('estimated')
  })

  test.each([
    ['the limit on the output', {}, { ...ASKED, max_tokens: 7 }, 7],
    ['that limit for each of its choices', {}, { ...ASKED, max_tokens: 7, n: 3 }, 21],
    // 100 units hold the prompt, at a token per byte. The rest limits the output.
    ['the hold', { quota: 100 }, { ...ASKED, max_tokens: 1000 }, null],
  ])('the estimate is limited by %s', async (_what, setup, body, tokens) => {
    const limits = { fullDrainMs: 50 }
    const world = await open([neverAnswer], { limits, ...setup })
    await leave(world, body)
    const { log, account } = await world.books()
    if (tokens !== null) expect(log?.completion_tokens).toBe(tokens)
    expect(log?.completion_tokens).toBeGreaterThan(0)
    expect(log?.quota).toBeLessThanOrEqual(log?.held ?? 0)
    expect(log).toMatchObject({ outcome: 'settled', uncollected: 0 })
    expect(account.quota).toBeGreaterThanOrEqual(0)
  })

  test('with a broken connection is estimated by the elapsed time', async () => {
    const { promise: hasLeft, resolve } = Promise.withResolvers<void>()
    const breaks: Behaviour = async (response) => {
      await hasLeft
      response.socket?.destroy()
    }
    const world = await open([breaks])
    await leave(world, LONG)
    resolve()
    const { log } = await world.books()
    expect(log).toMatchObject({ end_reason: 'client_left', outcome: 'settled' })
    expect(sourceOf(log)).toBe('estimated')
    expect(log?.completion_tokens).toBeGreaterThan(0)
    expect(log?.completion_tokens).toBeLessThan(UNKNOWN)
  })

  test('costs nothing if its provider refuses it', async () => {
    const { script: refuses, letGo: resolve } = gated(answerError(500, {}))
    const world = await open([refuses])
    await leave(world, LONG)
    resolve()
    await world.expectLog({ outcome: 'void', quota: 0 })
    expect(world.calls()).toEqual([1])
  })

  test('is aborted and estimated if its user has too many of them', async () => {
    const { script, letGo } = billing(50)
    const world = await open([script], { limits: { userDrainsMax: 2 } })
    for (let times = 0; times < 2; times++) await leave(world, LONG)
    await leave(world, LONG)
    await waitUntil(async () => world.upstream.brokenOffCount() === 1)
    await waitUntil(async () => world.ledger.running() === 2)
    letGo()
    const { logs } = await world.books()
    expect(logs.map((log) => `${log.disconnect_policy} ${sourceOf(log)}`)).toEqual([
      'abort estimated',
      'drain reported',
      'drain reported',
    ])
    expect(logs[0]).toMatchObject({ completion_tokens: UNKNOWN })
  })

  test('is aborted and estimated when the server stops', async () => {
    const world = await open([neverAnswer], { limits: { drainMs: 50 } })
    await leave(world, LONG)
    expect(world.ledger.running()).toBe(1)
    await world.gateway().shutDown()
    expect(world.ledger.running()).toBe(0)
    const { log } = await world.books()
    expect(sourceOf(log)).toBe('estimated')
  })

  test('costs its whole prompt for embeddings', async () => {
    const world = await open([neverAnswer], { limits: { fullDrainMs: 50 } })
    await leave(world, { model: MODEL, input: 'one two three' }, '/v1/embeddings')
    const { log } = await world.books()
    expect(log).toMatchObject({ prompt_tokens: 3, completion_tokens: 0, outcome: 'settled' })
    expect(sourceOf(log)).toBe('counted')
  })

  test('is read to its end through a codec', async () => {
    const { promise: letGo, resolve } = Promise.withResolvers<void>()
    const content = [{ type: 'text', text: 'Hello' }]
    const usage = { input_tokens: 12, output_tokens: 345 }
    const message = { type: 'message', role: 'assistant', content, stop_reason: 'end_turn', usage }
    const claude: Behaviour = async (response) => {
      await letGo
      response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(message))
    }
    const world = await setUp([{ script: [claude], type: 14 }], {
      quota: QUOTA,
      upstreamLimits: PATIENT,
    })
    await leave(world, LONG)
    resolve()
    await world.expectLog({ prompt_tokens: 12, completion_tokens: 345 })
  })

  test('is charged once if a hedge was running', async () => {
    const { promise: letGo, resolve } = Promise.withResolvers<void>()
    const usage = { prompt_tokens: 10, completion_tokens: 77, total_tokens: 87 }
    const second: Behaviour = async (response, request) => {
      await letGo
      await answerChat('Hello', usage)(response, request)
    }
    const world = await setUp(inOrder(neverAnswer, second), {
      quota: QUOTA,
      options: [['HedgeAfterSeconds', '1']],
      limits: { typicalAnswerMs: 10 },
      upstreamLimits: PATIENT,
    })
    const client = world.askAndLeave(LONG)
    await waitUntil(async () => world.calls()[1] === 1)
    await client.leave()
    resolve()
    const { logs, log } = await world.books()
    expect(logs.length).toBe(1)
    expect(log).toMatchObject({ completion_tokens: 77, channel: world.channels[1] })
  })
})

describe('a stream whose client has disconnected', () => {
  const usage = { prompt_tokens: 10, completion_tokens: 4321, total_tokens: 4331 }
  const END = [chunk({ content: 'Hi' }), chunk({ finish: 'stop' }), chunk({ usage }), DONE]

  test('is read to its end if nothing of it had arrived', async () => {
    const { script, letGo } = gated(answerStream(END))
    const world = await open([script], { limits: { drainMs: 1 } })
    await leave(world, { ...STREAMED, max_tokens: TOKENS_MAX })
    expect(world.ledger.running()).toBe(1)
    letGo()
    await world.expectLog({ completion_tokens: 4321, end_reason: 'client_left' })
  })

  test.each<[string, Setup]>([
    ['the option is off', { options: [['DrainEnabled', 'false']] }],
    ['its time is over', { limits: { fullDrainMs: 300 } }],
  ])('before its first event is estimated by its time if %s', async (_when, setup) => {
    const world = await open([neverAnswer], { ...setup })
    await leave(world, { ...STREAMED, max_tokens: TOKENS_MAX })
    const { log } = await world.books()
    expect(sourceOf(log)).toBe('estimated')
    expect(log?.completion_tokens).toBeGreaterThan(0)
    expect(log?.completion_tokens).toBeLessThan(UNKNOWN)
    expect(log?.quota).toBeLessThanOrEqual(log?.held ?? 0)
  })

  test.each([
    ['gpt-4o-mini', 'counted'],
    ['o3', 'estimated'],
  ])('is counted, or estimated if it may hide output: %s', async (...row) => {
    const [model, source] = row
    const { promise: hasLeft, resolve } = Promise.withResolvers<void>()
    const says: Behaviour = async (response) => {
      // Time in which a model may reason.
      await pause(100)
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk({ content: 'Hello' }))
      response.once('close', resolve)
    }
    const world = await setUp([{ script: [says], models: model }], {
      quota: QUOTA,
      options: [['DrainEnabled', 'false']],
      upstreamLimits: PATIENT,
    })
    const asked = { ...STREAMED, model, max_completion_tokens: TOKENS_MAX }
    const client = world.askAndLeave(asked)
    await client.firstByte()
    await client.leave()
    await hasLeft
    const { log } = await world.books()
    expect(sourceOf(log)).toBe(source)
    if (source === 'counted') expect(log?.completion_tokens).toBe(1)
    else expect(log?.completion_tokens).toBeGreaterThanOrEqual(10)
  })

  test.each([
    ['is cut off', null, 'settled'],
    ['ends in an error', `data: ${JSON.stringify({ error: { message: 'no' } })}\n\n`, 'void'],
  ])('without any output, that %s afterwards', async (_how, event, outcome) => {
    const { promise: hasLeft, resolve } = Promise.withResolvers<void>()
    const breaks: Behaviour = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(chunk({ content: '' }))
      await hasLeft
      if (event === null) response.socket?.destroy()
      else response.end(event)
    }
    const world = await open([breaks])
    await leave(world, { ...STREAMED, max_tokens: TOKENS_MAX })
    resolve()
    const { log } = await world.books()
    expect(log).toMatchObject({ outcome, end_reason: 'client_left' })
    if (outcome === 'settled') expect(sourceOf(log)).toBe('estimated')
  })
})

/** An attempt whose provider fails after this status, without any part of an answer. */
function lose(failure: TransportFailure, status: number): Promise<AttemptOutcome> {
  const response = Object.assign(new EventEmitter(), { destroyed: false, writableEnded: false })
  // Safe because nothing is written.
  const client = new Client(response as unknown as ServerResponse, drainsOf())
  const lost = Promise.withResolvers<AnswerSink>()
  const send: Upstream['send'] = (_call, sink) => {
    lost.resolve(sink)
    return { abort: () => {}, release: () => {}, pause: () => {}, resume: () => {} }
  }
  // Safe because an attempt uses nothing else before an answer has arrived.
  const upstream = { send } as unknown as Upstream
  const request = { stream: false } as RelayRequest
  const { outcome } = beginAttempt(attemptDeps(client, upstream), request, () => ({
    url: '',
    headers: {},
    body: null,
  }))
  void lost.promise.then((sink) => {
    if (status !== 0) sink.head(status, {})
    sink.fail(failure)
  })
  return outcome
}

test.each<[TransportFailure, number, boolean]>([
  ['connect', 0, false],
  ['connect_timeout', 0, false],
  ['address_guarded', 0, false],
  ['address_private', 0, false],
  ['reset', 0, true],
  ['first_byte_timeout', 0, true],
  ['closed_early', 200, true],
  ['malformed', 200, true],
  ['idle_timeout', 503, false],
])('whether a failure by %s after status %s may be billed', async (...row) => {
  const [failure, status, mayBill] = row
  const outcome = await lose(failure, status)
  expect('workedMs' in outcome).toBe(mayBill)
})

test('after a disconnect no call is prepared or sent, though other answers are drained', async () => {
  const response = Object.assign(new EventEmitter(), { destroyed: false, writableEnded: false })
  // Safe because nothing is written.
  const client = new Client(response as unknown as ServerResponse, drainsOf())
  client.setDrainTerms({ user: 1, isCostUnknown: () => true })
  const call = Promise.withResolvers<UpstreamCall>()
  const send = vi.fn<Upstream['send']>()
  const upstream = { send } as unknown as Upstream // Safe because nothing else of it is used.
  const request = { stream: false } as RelayRequest
  const { outcome } = beginAttempt(attemptDeps(client, upstream), request, () => call.promise)
  response.emit('close')
  expect(client.drains).toBe(true)
  call.resolve({ url: '', headers: {}, body: null })
  expect(await outcome).toEqual({ type: 'unsent' })
  expect(send).not.toHaveBeenCalled()
  client.dispose()
})
