import { afterEach, expect, test } from 'vitest'
import {
  ask,
  askAndLeave,
  ASKED,
  books,
  callsOf,
  COST,
  QUOTA,
  setUp,
  type Setup,
  STREAMED,
  tearDown,
} from '../../testing/relay-scenario.ts'
import { attemptsOf } from '../../testing/rescue-scenario.ts'
import {
  answerChat,
  answerError,
  answerStream,
  type Behaviour,
  chunk,
  DONE,
  neverAnswer,
  WHOLE_STREAM,
} from '../../testing/scripted-upstream.ts'
import { waitUntil } from '../../testing/wait-until.ts'

afterEach(tearDown)

/** A channel is late after 0.2 s. */
const hasty: Setup = { options: [['HedgeAfterSeconds', '0.2']] }
const patient = { upstreamLimits: { firstByteMs: 20_000, idleMs: 20_000 } }

const headersThenNothing: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  response.write(chunk({ content: '' }))
}

test.each([
  ['says nothing', neverAnswer],
  ['sends headers and no token', headersThenNothing],
])('beside a channel that %s the next is asked, and the silent one is closed', async (_, late) => {
  const world = await setUp(
    [{ script: [late], priority: 1 }, { script: [answerStream(WHOLE_STREAM)] }],
    { ...hasty, ...patient },
  )
  const text = await (await ask(world, STREAMED)).text()
  expect(text.endsWith(DONE)).toBe(true)
  expect(text.match(/Hello/g)).toHaveLength(1)
  expect(callsOf(world)).toEqual([1, 1])
  await waitUntil(async () => world.upstream.brokenOffCount() === 1)
  const { log, account } = await books(world)
  expect(log).toMatchObject({ channel: world.channels[1], quota: COST, end_reason: 'finished' })
  expect(account.quota).toBe(QUOTA - COST)
  const [first, second] = await attemptsOf(world)
  expect(first).toMatchObject({ channel: world.channels[0], status: 0 })
  expect(first?.reason).toBe('overtaken')
  expect(second).toMatchObject({ channel: world.channels[1], hedged: true, reason: '' })
})

test('a late channel that speaks first after all is the one that answers', async () => {
  const { promise: asked, resolve } = Promise.withResolvers<void>()
  const slow: Behaviour = async (response, request) => {
    await asked
    await answerStream(WHOLE_STREAM)(response, request)
  }
  const silent: Behaviour = () => resolve()
  const world = await setUp([{ script: [slow], priority: 1 }, { script: [silent] }], {
    ...hasty,
    ...patient,
  })
  const text = await (await ask(world, STREAMED)).text()
  expect(text.endsWith(DONE)).toBe(true)
  await waitUntil(async () => world.upstream.brokenOffCount() === 1)
  const { log } = await books(world)
  expect(log).toMatchObject({ channel: world.channels[0], quota: COST })
  const attempts = await attemptsOf(world)
  expect(attempts).toMatchObject([{ reason: '' }, { hedged: true }])
  expect(attempts[1]?.reason).toBe('late_one_spoke')
})

test('when the second fails a third is asked, and the late one may still answer', async () => {
  const world = await setUp(
    [
      { script: [neverAnswer], priority: 2 },
      { script: [answerError(500, {})], priority: 1 },
      { script: [answerStream(WHOLE_STREAM)] },
    ],
    { ...hasty, ...patient },
  )
  expect((await (await ask(world, STREAMED)).text()).endsWith(DONE)).toBe(true)
  expect(callsOf(world)).toEqual([1, 1, 1])
  await books(world)
})

test('two channels that are both silent fail in time, and nothing is charged', async () => {
  const world = await setUp([{ script: [neverAnswer], priority: 1 }, { script: [neverAnswer] }], {
    options: [
      ['HedgeAfterSeconds', '0.2'],
      ['RetryTimes', '1'],
    ],
  })
  expect((await ask(world, STREAMED)).status).toBe(504)
  expect(callsOf(world)).toEqual([1, 1])
  const { log, account } = await books(world)
  expect(log).toMatchObject({ outcome: 'void' })
  expect(account.quota).toBe(QUOTA)
})

test.each([
  ['the option is 0', [['HedgeAfterSeconds', '0']]],
  [
    'there are no retries',
    [
      ['HedgeAfterSeconds', '0.1'],
      ['RetryTimes', '0'],
    ],
  ],
] as const)('nobody is asked beside a late channel when %s', async (_, options) => {
  const slow: Behaviour = async (response, request) => {
    await new Promise((resolve) => setTimeout(resolve, 500))
    await answerStream(WHOLE_STREAM)(response, request)
  }
  const world = await setUp([{ script: [slow], priority: 1 }, { script: [answerChat()] }], {
    ...patient,
    options: options.map(([name, value]) => [name, value]),
  })
  expect((await (await ask(world, STREAMED)).text()).endsWith(DONE)).toBe(true)
  expect(callsOf(world)).toEqual([1, 0])
  await books(world)
})

test('an answer in one piece has three times as long as such answers usually take', async () => {
  const world = await setUp([{ script: [neverAnswer], priority: 1 }, { script: [answerChat()] }], {
    ...hasty,
    ...patient,
    limits: { usualWholeMs: 200 },
  })
  const startedAt = Date.now()
  expect((await ask(world, ASKED)).status).toBe(200)
  expect(Date.now() - startedAt).toBeGreaterThanOrEqual(600)
  expect(callsOf(world)).toEqual([1, 1])
  await books(world)
})

test('a client that leaves while two are asked pays once, and both are closed', async () => {
  const world = await setUp([{ script: [neverAnswer], priority: 1 }, { script: [neverAnswer] }], {
    ...hasty,
    ...patient,
  })
  const client = askAndLeave(world, STREAMED)
  await waitUntil(async () => callsOf(world)[1] === 1)
  await client.leave()
  const { log } = await books(world)
  expect(log).toMatchObject({ outcome: 'settled', end_reason: 'client_left', completion_tokens: 0 })
  const wasted = (await attemptsOf(world)).map((attempt) => attempt.unbilled_prompt_tokens)
  expect(wasted.toSorted((a, b) => a - b)).toEqual([0, log?.prompt_tokens])
  await waitUntil(async () => world.upstream.brokenOffCount() === 2)
})
