import { setTimeout as pause } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  answerChat,
  answerError,
  answerStream,
  type Behaviour,
  chunk,
  DONE,
  neverAnswer,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ASKED,
  COST,
  inOrder,
  setUp,
  type Setup,
  STREAMED,
} from '../../../testing/worlds/relay-scenario.ts'
import {
  attemptsOf,
  clock,
  otherStream,
  partialStream,
  pausePasses,
  readStream,
  silentFor,
} from '../../../testing/worlds/stream-failover-scenario.ts'

/** After this time a channel is late. */
const LATE_MS = 700
const hasty: Setup = { clock, options: [['HedgeAfterSeconds', String(LATE_MS / 1000)]] }
/** Time in which the gateway reads an answer. */
const NOTICED_MS = 100
const patient = { upstreamLimits: { firstByteMs: 20_000, idleMs: 20_000 } }
const open = (...scripts: Behaviour[]) => setUp(inOrder(...scripts), { ...hasty, ...patient })

const headersThenNothing: Behaviour = async (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(chunk({ content: '' }))
  await clock.advance(LATE_MS)
}

test.each([
  ['says nothing', silentFor(LATE_MS)],
  ['sends headers and no token', headersThenNothing],
])('during an attempt that %s, a hedge starts, and the silent one is closed', async (_, late) => {
  const world = await open(late, answerStream(WHOLE_STREAM))
  const text = await (await world.ask(STREAMED)).text()
  expect(text.endsWith(DONE)).toBe(true)
  expect(text.match(/Hello/g)).toHaveLength(1)
  expect(world.calls()).toEqual([1, 1])
  await waitUntil(async () => world.upstream.brokenOffCount() === 1)
  await world.expectLog({ channel: world.channels[1], quota: COST, end_reason: 'finished' })
  const [first, second] = await attemptsOf(world)
  expect(first).toMatchObject({ channel: world.channels[0], status: 0 })
  expect(first?.reason).toBe('overtaken')
  expect(second).toMatchObject({ channel: world.channels[1], hedged: true, reason: '' })
})

test('a late attempt that answers first wins over its hedge', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const slow: Behaviour = async (response, request) => {
    await clock.advance(LATE_MS)
    await asked
    await answerStream(WHOLE_STREAM)(response, request)
  }
  const silent: Behaviour = () => resolve()
  const world = await open(slow, silent)
  const text = await (await world.ask(STREAMED)).text()
  expect(text.endsWith(DONE)).toBe(true)
  await waitUntil(async () => world.upstream.brokenOffCount() === 1)
  await world.expectLog({ channel: world.channels[0], quota: COST })
  const attempts = await attemptsOf(world)
  expect(attempts).toMatchObject([{ reason: '' }, { hedged: true }])
  expect(attempts[1]?.reason).toBe('late_one_spoke')
})

test('when the hedge fails, a third attempt starts, and the late one may still answer', async () => {
  const world = await open(silentFor(LATE_MS), answerError(500, {}), answerStream(WHOLE_STREAM))
  expect((await (await world.ask(STREAMED)).text()).endsWith(DONE)).toBe(true)
  expect(world.calls()).toEqual([1, 1, 1])
  await world.books()
})

/** Fails once another channel is asked, after the first is late. */
const failingLate =
  (asked: Promise<void>): Behaviour =>
  async (response, request) => {
    await clock.advance(LATE_MS)
    await asked
    await answerError(500, {})(response, request)
  }

test('when the late attempt fails, a third starts only once the hedge is late too', async () => {
  const asked = Promise.withResolvers<void>()
  const slow: Behaviour = async (response, request) => {
    asked.resolve()
    await waitUntil(async () => clock.isWaitedFor(LATE_MS))
    await clock.advance(LATE_MS - 1)
    await answerStream(WHOLE_STREAM)(response, request)
  }
  const world = await open(failingLate(asked.promise), slow, answerStream(WHOLE_STREAM))
  expect((await (await world.ask(STREAMED)).text()).endsWith(DONE)).toBe(true)
  expect(world.calls()).toEqual([1, 1, 0])
  expect(await attemptsOf(world)).toHaveLength(2)
})

test('a hedge that is late too is overtaken by the third attempt', async () => {
  const asked = Promise.withResolvers<void>()
  const silent: Behaviour = async () => {
    asked.resolve()
    await clock.passOnceWaited(LATE_MS)
  }
  const world = await open(failingLate(asked.promise), silent, answerStream(WHOLE_STREAM))
  expect((await (await world.ask(STREAMED)).text()).endsWith(DONE)).toBe(true)
  expect(world.calls()).toEqual([1, 1, 1])
  await world.books()
  const attempts = await attemptsOf(world)
  expect(attempts.slice(1)).toMatchObject([
    { reason: 'overtaken', milliseconds: LATE_MS },
    { reason: '', milliseconds: 0 },
  ])
})

test('a content refusal by one attempt stops all others, whatever its hedge returns', async () => {
  const refused = Promise.withResolvers<void>()
  const late: Behaviour = async (response, request) => {
    await clock.advance(LATE_MS)
    await asked.promise
    await answerError(400, { code: 'content_policy_violation', message: 'no' })(response, request)
    refused.resolve()
  }
  const asked = Promise.withResolvers<void>()
  const hedge: Behaviour = async (response, request) => {
    asked.resolve()
    await refused.promise
    await pause(NOTICED_MS)
    await answerError(500, {})(response, request)
  }
  const world = await open(late, hedge, answerStream(WHOLE_STREAM))
  const answer = await world.ask(STREAMED)
  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('content')])
  expect(world.calls()).toEqual([1, 1, 0])
  await world.books()
})

/** Starts an answer and breaks off, once another channel has answered. */
const breakingAfter =
  (asked: Promise<void>): Behaviour =>
  async (response, request) => {
    await clock.advance(LATE_MS)
    await asked
    await pause(NOTICED_MS)
    await answerStream(partialStream, 'cut')(response, request)
  }

test.each([
  ['does not take', { type: 'invalid_request_error' }, [1, 1, 1]],
  ['finds too long', { code: 'context_length_exceeded' }, [1, 1, 1]],
  // A request refused by content policy is not sent to another channel.
  ['refuses for its content', { code: 'content_policy_violation' }, [1, 1, 0]],
] as const)('a broken stream is continued even if its hedge %s it', async (_, error, calls) => {
  const asked = Promise.withResolvers<void>()
  const refusing: Behaviour = async (response, request) => {
    await answerError(400, error)(response, request)
    asked.resolve()
  }
  const world = await open(breakingAfter(asked.promise), refusing, otherStream)
  const stream = readStream(await (await world.ask(STREAMED)).text())
  expect(world.calls()).toEqual(calls)
  expect(stream.isWhole).toBe(calls[2] === 1)
  await world.books()
})

const GEMINI = 24

const sayingHi: Behaviour = (response) => {
  const said = { candidates: [{ content: { parts: [{ text: 'Hi' }] }, finishReason: 'STOP' }] }
  const head = { 'content-type': 'text/event-stream' }
  response.writeHead(200, head).end(`data: ${JSON.stringify(said)}\n\n`)
}

/** Takes longer than a channel may be silent. */
const slowPicture: Behaviour = async (response) => {
  await clock.advance(2 * LATE_MS)
  response.writeHead(200, { 'content-type': 'image/png' }).end('png')
}

const seeing = (url: string) => ({
  ...STREAMED,
  messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }],
})

const withPictures = { ...hasty, ...patient, random: () => 0, privateNetworks: ['127.0.0.0/8'] }

test("the time for fetching images does not count as the channel's silence", async () => {
  const world = await setUp(
    [{ script: [sayingHi], type: GEMINI, priority: 1 }, { script: [answerStream(WHOLE_STREAM)] }],
    withPictures,
  )
  world.upstream.script('pictures', slowPicture)
  const text = await (await world.ask(seeing(world.upstream.baseUrl('pictures')))).text()
  expect(text).toContain('Hi')
  expect(world.calls()).toEqual([1, 0])
  await world.books()
})

test('images are fetched once per request, whichever channels are tried', async () => {
  const world = await setUp(
    [
      { script: [answerError(500, {}), answerError(500, {})], type: GEMINI, priority: 1 },
      { script: [sayingHi], type: GEMINI },
    ],
    withPictures,
  )
  world.upstream.script('pictures', slowPicture)
  const answer = world.ask(seeing(world.upstream.baseUrl('pictures')))
  await pausePasses()
  expect(await (await answer).text()).toContain('Hi')
  expect(world.calls()).toEqual([2, 1])
  expect(world.upstream.requestsOf('pictures')).toHaveLength(1)
  await world.books()
})

test.each([
  ['the option is 0', [['HedgeAfterSeconds', '0']]],
  [
    'there are no retries',
    [
      ['HedgeAfterSeconds', String(LATE_MS / 1000)],
      ['RetryTimes', '0'],
    ],
  ],
] as const)('no hedge is started when %s', async (_, options) => {
  const slow: Behaviour = async (response, request) => {
    await clock.advance(5 * LATE_MS)
    await answerStream(WHOLE_STREAM)(response, request)
  }
  const world = await setUp(inOrder(slow, answerChat()), {
    ...patient,
    clock,
    options: options.map(([name, value]) => [name, value]),
  })
  expect((await (await world.ask(STREAMED)).text()).endsWith(DONE)).toBe(true)
  expect(world.calls()).toEqual([1, 0])
  expect(await attemptsOf(world)).toHaveLength(1)
})

test('a non-streamed answer may take three times its usual time', async () => {
  const providers = inOrder(silentFor(3 * LATE_MS), answerChat())
  const world = await setUp(providers, {
    ...hasty,
    ...patient,
    limits: { typicalAnswerMs: LATE_MS },
  })
  expect((await world.ask(ASKED)).status).toBe(200)
  expect(world.calls()).toEqual([1, 1])
  await world.books()
  // The overtaken channel worked longer than the winner, so its unbilled cost equals the charge.
  expect(await attemptsOf(world)).toMatchObject([
    {
      reason: 'overtaken',
      milliseconds: 3 * LATE_MS,
      unbilled_prompt_tokens: 10,
      unbilled_completion_tokens: 5,
      unbilled_quota: COST,
    },
    { hedged: true, milliseconds: 0, unbilled_quota: 0 },
  ])
})

test('a client that disconnects during two attempts pays once, and both are closed', async () => {
  const providers = inOrder(silentFor(LATE_MS), neverAnswer)
  const world = await setUp(providers, { ...hasty, ...patient, limits: { fullDrainMs: 300 } })
  const client = world.askAndLeave(STREAMED)
  await waitUntil(async () => world.calls()[1] === 1)
  await client.leave()
  await clock.passOnceWaited(300)
  const { log } = await world.books()
  expect(log).toMatchObject({ outcome: 'settled', end_reason: 'client_left' })
  expect(log?.completion_tokens).toBeGreaterThan(0)
  const unbilled = (await attemptsOf(world)).map((attempt) => attempt.unbilled_prompt_tokens)
  expect(unbilled.toSorted((a, b) => a - b)).toEqual([0, log?.prompt_tokens])
  await waitUntil(async () => world.upstream.brokenOffCount() === 2)
})
