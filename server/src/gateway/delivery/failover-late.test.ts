import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  answerError,
  answerStream,
  type Behaviour,
  chunk,
  neverAnswer,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  inOrder,
  type Setup,
  setUp,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'
import {
  attemptsOf,
  clock,
  expectWhole,
  expectWholeAfter,
  hasty,
  HEDGE_MS,
  otherStream,
  partialStream,
  pausePasses,
  pausingUntil,
  silentFor,
  textEvents,
  two,
} from '../../../testing/worlds/stream-failover-scenario.ts'
import { systemClock } from '../../clock.ts'

const withRetries = (count: number): Setup => ({
  ...hasty,
  options: [...(hasty.options ?? []), ['RetryTimes', String(count)]],
})

const three = (...scripts: [Behaviour, Behaviour, Behaviour]) =>
  scripts.map((behaviour, index) => ({ script: [behaviour], priority: -index }))

/** Sends the beginning and nothing more, and breaks off on `death`. */
const dyingAt =
  (death: Promise<void>): Behaviour =>
  async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(partialStream.join(''))
    await death
    response.destroy()
  }

const hedgeTimePasses = () => clock.advance(HEDGE_MS)

/** Time in which the gateway notices that a connection has broken. */
const NOTICED_MS = 100

describe('a channel that should continue a stream and sends nothing', () => {
  test('is hedged by the next one once it is late, and is overtaken', async () => {
    const world = await setUp(
      three(answerStream(partialStream, 'cut'), silentFor(HEDGE_MS), otherStream),
      hasty,
    )
    await expectWhole(world)
    expect(world.calls()).toEqual([1, 1, 1])
    await waitUntil(async () => world.upstream.brokenOffCount() === 2)
    const [, second, third] = await attemptsOf(world)
    expect(second).toMatchObject({
      reason: 'overtaken',
      rescued: true,
      milliseconds: HEDGE_MS,
      unbilled_prompt_tokens: 8,
      unbilled_completion_tokens: 0,
    })
    expect(second?.hedged).toBe(false)
    expect(third).toMatchObject({ reason: '', rescued: true, hedged: true, milliseconds: 0 })
    await world.expectLog({ prompt_tokens: 8, completion_tokens: 7, end_reason: 'finished' })
  })

  test('wins if it answers first after all', async () => {
    const asked = Promise.withResolvers<void>()
    const slow: Behaviour = async (response, request) => {
      await clock.advance(HEDGE_MS)
      await asked.promise
      await otherStream(response, request)
    }
    const silent: Behaviour = () => asked.resolve()
    const world = await setUp(three(answerStream(partialStream, 'cut'), slow, silent), hasty)
    await expectWhole(world)
    const attempts = await attemptsOf(world)
    expect(attempts.map(({ reason }) => reason).slice(1)).toEqual(['', 'late_one_spoke'])
    await world.expectLog({ channel: world.channels[1] })
  })

  test('is not hedged without attempts left', async () => {
    const slow: Behaviour = async (response, request) => {
      await clock.advance(2 * HEDGE_MS)
      await otherStream(response, request)
    }
    const world = await setUp(
      three(answerStream(partialStream, 'cut'), slow, otherStream),
      withRetries(1),
    )
    await expectWhole(world)
    expect(world.calls()).toEqual([1, 1, 0])
    expect(await attemptsOf(world)).toHaveLength(2)
  })

  test('is closed together with its hedge when the client disconnects', async () => {
    const world = await setUp(
      three(answerStream(partialStream, 'cut'), silentFor(HEDGE_MS), neverAnswer),
      hasty,
    )
    const client = world.askAndLeave(STREAMED)
    await waitUntil(async () => world.calls()[2] === 1)
    await client.leave()
    await waitUntil(async () => world.upstream.brokenOffCount() === 3)
    const attempts = await attemptsOf(world)
    expect(attempts.map(({ reason }) => reason).slice(1)).toEqual(['client_left', 'client_left'])
    await world.expectLog({ completion_tokens: 2 })
  })
})

describe('a stalled stream that ends during its hedge', () => {
  test('makes room for a third attempt during the late one', async () => {
    const death = Promise.withResolvers<void>()
    const late: Behaviour = async () => {
      await clock.advance(2 * HEDGE_MS)
      death.resolve()
    }
    const world = await setUp(three(dyingAt(death.promise), late, otherStream), hasty)
    await expectWholeAfter(world, hedgeTimePasses)
    expect(world.calls()).toEqual([1, 1, 1])
    const [first, ...others] = await attemptsOf(world)
    expect(first).toMatchObject({ status: 200 })
    expect(first?.reason).toContain('upstream_fault')
    expect(others).toMatchObject([
      { reason: 'overtaken', rescued: true },
      { reason: '', rescued: true, hedged: true },
    ])
    await world.books()
  })

  test('does not cause another attempt of that channel, and counts once', async () => {
    const death = Promise.withResolvers<void>()
    const slow: Behaviour = async (response, request) => {
      death.resolve()
      await sleep(NOTICED_MS)
      await otherStream(response, request)
    }
    const world = await setUp(two(dyingAt(death.promise), slow), withRetries(1))
    await expectWholeAfter(world, hedgeTimePasses)
    expect(world.calls()).toEqual([1, 1])
    await world.books()
  })

  test('when the hedge fails as well, both channels are tried again, as after a break', async () => {
    const death = Promise.withResolvers<void>()
    const failing: Behaviour = async (response, request) => {
      death.resolve()
      await sleep(NOTICED_MS)
      await answerError(500, {})(response, request)
    }
    const world = await setUp(inOrder(dyingAt(death.promise), [failing, otherStream]), hasty)
    const whole = expectWholeAfter(world, hedgeTimePasses)
    await pausePasses()
    await whole
    expect(world.calls()).toEqual([1, 2])
    expect(await attemptsOf(world)).toHaveLength(3)
    await world.books()
  })
})

test('a stalled stream with one running hedge gets no second hedge', async () => {
  const late: Behaviour = async (response, request) => {
    await clock.advance(3 * HEDGE_MS)
    await otherStream(response, request)
  }
  const world = await setUp(three(answerStream(partialStream, 'hang'), late, otherStream), hasty)
  await expectWholeAfter(world, hedgeTimePasses)
  expect(world.calls()).toEqual([1, 1, 0])
  expect(await attemptsOf(world)).toHaveLength(2)
})

test('a stream with all its output is not continued for its end', async () => {
  const endless = answerStream(
    [...textEvents('Hello', ' there'), chunk({ finish: 'stop' })],
    'hang',
  )
  const limits = { tailMs: 2 * HEDGE_MS }
  const world = await setUp(two(endless, otherStream), { ...hasty, clock: systemClock, limits })
  const text = await (await world.ask(STREAMED)).text()
  expect(text.endsWith('[DONE]\n\n')).toBe(true)
  expect(world.calls()).toEqual([1, 0])
  expect(await attemptsOf(world)).toHaveLength(1)
})

const COOLING_MS = 2000
const failing = answerError(500, {})

/** The first channel is cooling, and is ready again after a while. */
async function whileFirstCools(last: Behaviour, back: Behaviour): Promise<World> {
  const served = answerStream(WHOLE_STREAM)
  const world = await setUp(
    inOrder([failing, failing, failing, failing, back], [served, served, last]),
    { ...hasty, limits: { cooldown: { firstMs: COOLING_MS, maxMs: COOLING_MS } } },
  )
  for (let count = 0; count < 2; count += 1) {
    const answer = world.ask(STREAMED)
    await pausePasses()
    await (await answer).text()
  }
  return world
}

test('a channel in cooldown becomes the hedge of a late channel as soon as it is ready', async () => {
  const world = await whileFirstCools(silentFor(COOLING_MS), answerStream(WHOLE_STREAM))
  const text = await (await world.ask(STREAMED)).text()
  expect(text.endsWith('[DONE]\n\n')).toBe(true)
  expect(world.calls()).toEqual([5, 3])
  const attempts = await attemptsOf(world)
  expect(attempts).toMatchObject([{ reason: 'overtaken' }, { hedged: true, reason: '' }])
  await world.books()
})

test('a channel in cooldown continues a stalled stream as soon as it is ready', async () => {
  const world = await whileFirstCools(answerStream(partialStream, 'hang'), otherStream)
  await expectWholeAfter(world, () => clock.advance(COOLING_MS))
  expect(world.calls()).toEqual([5, 3])
  await world.books()
})

test('a stalled stream that resumes before another channel is ready keeps its place', async () => {
  const isOver = Promise.withResolvers<void>()
  const world = await whileFirstCools(pausingUntil(isOver.promise), otherStream)
  await expectWholeAfter(world, async () => {
    await clock.advance(2 * HEDGE_MS)
    isOver.resolve()
  })
  expect(world.calls()).toEqual([4, 3])
  await world.books()
})
