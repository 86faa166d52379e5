import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import {
  answerError,
  answerStream,
  type Behaviour,
  chunk,
  DONE,
  neverAnswer,
  USAGE,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { MODEL, setUp, STREAMED, type World } from '../../../testing/worlds/relay-scenario.ts'
import {
  asOther,
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
  readStream,
  textEvents,
  two,
} from '../../../testing/worlds/stream-failover-scenario.ts'

/** A provider's comments come at this interval. */
const COMMENT_MS = 20
/** Time in which the gateway reads an answer. */
const NOTICED_MS = 100
const hedgeTimePasses = () => clock.advance(HEDGE_MS)

describe('a stream that stalls', () => {
  test('is hedged by another channel, which takes its place', async () => {
    const world = await setUp(two(answerStream(partialStream, 'hang'), otherStream), hasty)
    await expectWholeAfter(world, hedgeTimePasses)
    await waitUntil(async () => world.upstream.brokenOffCount() === 1)
    expect(await attemptsOf(world)).toMatchObject([{ status: 200 }, { rescued: true, reason: '' }])
    expect((await attemptsOf(world))[0]?.reason).toContain('timeout')
  })

  test('counts as stalled also while it sends keep-alive comments', async () => {
    const comments: Behaviour = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(partialStream.join(''))
      const timer = setInterval(() => response.write(': wait\n\n'), COMMENT_MS)
      response.on('close', () => clearInterval(timer))
    }
    const world = await setUp(two(comments, otherStream), hasty)
    await expectWholeAfter(world, async () => {
      await sleep(2 * COMMENT_MS)
      await clock.advance(HEDGE_MS)
    })
    await world.books()
  })
})

describe('a stream that stalls for a while', () => {
  test('keeps its place if it resumes before another channel has caught up', async () => {
    const isOver = Promise.withResolvers<void>()
    const world = await setUp(two(pausingUntil(isOver.promise), neverAnswer), hasty)
    await expectWholeAfter(world, async () => {
      await clock.advance(HEDGE_MS)
      await waitUntil(async () => world.calls()[1] === 1)
      isOver.resolve()
    })
    expect(world.calls()).toEqual([1, 1])
    await waitUntil(async () => world.upstream.brokenOffCount() === 1)
    await world.expectLog({ channel: world.channels[0], completion_tokens: 7, prompt_tokens: 10 })
    const attempts = await attemptsOf(world)
    expect(attempts).toMatchObject([{ reason: '' }, { rescued: true, unbilled_prompt_tokens: 10 }])
  })

  test('keeps its place if no other channel can continue it', async () => {
    const isOver = Promise.withResolvers<void>()
    const diverging = answerStream(textEvents('Goodbye'))
    const world = await setUp(two(pausingUntil(isOver.promise), diverging), hasty)
    await expectWholeAfter(world, async () => {
      await clock.advance(HEDGE_MS)
      await waitUntil(async () => world.calls()[1] === 1)
      await sleep(NOTICED_MS)
      isOver.resolve()
    })
    expect((await attemptsOf(world))[1]).toMatchObject({ reason: 'departed' })
    await world.expectLog({ channel: world.channels[0] })
  })

  test('and breaks off later, after failed continuations, is continued all the same', async () => {
    const isOver = Promise.withResolvers<void>()
    const breaks: Behaviour = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(partialStream.join(''))
      await isOver.promise
      response.destroy()
    }
    const world = await setUp([breaks, otherStream], hasty)
    const whole = expectWholeAfter(world, async () => {
      await clock.advance(HEDGE_MS)
      isOver.resolve()
    })
    await pausePasses()
    await whole
    await world.books()
  })

  test('is not affected by a late channel', async () => {
    const isOver = Promise.withResolvers<void>()
    const world = await setUp(two(pausingUntil(isOver.promise), otherStream), {
      ...hasty,
      options: [['HedgeAfterSeconds', '0']],
    })
    await expectWholeAfter(world, async () => {
      await clock.advance(2 * HEDGE_MS)
      isOver.resolve()
    })
    expect(world.calls()).toEqual([1, 0])
    expect(await attemptsOf(world)).toHaveLength(1)
  })

  test('is drained if its client disconnects during the hedge', async () => {
    const isOver = Promise.withResolvers<void>()
    const world = await setUp(two(pausingUntil(isOver.promise), neverAnswer), {
      ...hasty,
      limits: { drainMs: 5000 },
    })
    const client = world.askAndLeave(STREAMED)
    await client.firstByte()
    await clock.advance(HEDGE_MS)
    await waitUntil(async () => world.calls()[1] === 1)
    await client.leave()
    await waitUntil(async () => world.upstream.brokenOffCount() === 1)
    isOver.resolve()
    await world.expectLog({ end_reason: 'client_left', completion_tokens: 7 })
  })
})

test('a repetition that ends with [DONE] alone is complete, for providers without finish reasons', async () => {
  const noReason = partialStream.map((event) => event.replace(',"finish_reason":null', ''))
  const world = await setUp(
    two(answerStream(partialStream, 'cut'), answerStream([...asOther(noReason), DONE])),
  )
  const stream = readStream(await (await world.ask(STREAMED)).text())
  expect(stream).toMatchObject({ text: 'Hello there', isWhole: true })
  await world.expectLog({ end_reason: 'finished' })
})

describe('a provider that supports assistant prefill', () => {
  const MISTRAL = 28
  const MOONSHOT = 25
  const rest = answerStream([
    ...asOther([
      ...textEvents(', how', ' are you?'),
      chunk({ finish: 'stop' }),
      chunk({ usage: USAGE }),
    ]),
    DONE,
  ])
  const lastMessage = (world: World) => {
    const [sent] = world.upstream.requestsOf('p1')
    const { messages, max_tokens } = JSON.parse(sent?.body.toString() ?? '')
    return { message: messages.at(-1), max_tokens }
  }

  test('receives the prefill, and need not repeat it', async () => {
    const world = await setUp(two(answerStream(partialStream, 'cut'), rest, { type: MOONSHOT }))
    await expectWhole(world, { ...STREAMED, max_tokens: 100 })
    expect(lastMessage(world)).toEqual({
      message: { role: 'assistant', content: 'Hello there', partial: true },
      max_tokens: 98,
    })
    await world.expectLog({ prompt_tokens: 8, completion_tokens: 7 })
  })

  test('may repeat it, if its type does', async () => {
    const world = await setUp(
      two(answerStream(partialStream, 'cut'), otherStream, { type: MISTRAL }),
    )
    await expectWhole(world)
    expect(lastMessage(world).message).toMatchObject({ prefix: true, content: 'Hello there' })
    await world.books()
  })

  test('is asked for the complete answer if it refuses the prefill', async () => {
    const refusal = answerError(400, { type: 'invalid_request_error', message: 'no prefill' })
    const world = await setUp([
      { script: [answerStream(partialStream, 'cut')], priority: 1 },
      { script: [refusal, otherStream], type: MOONSHOT },
    ])
    await expectWhole(world)
    expect(world.calls()).toEqual([1, 2])
    await world.books()
  })

  test('receives no second prefill if its caller sent one', async () => {
    const world = await setUp(
      two(answerStream(partialStream, 'cut'), otherStream, { type: MOONSHOT }),
    )
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'Well: ' },
    ]
    await expectWhole(world, { model: MODEL, stream: true, messages })
    expect(lastMessage(world).message).toEqual({ ...messages[1], partial: true })
    await world.books()
  })
})
