import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
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
import {
  ask,
  askAndLeave,
  books,
  callsOf,
  MODEL,
  setUp,
  STREAMED,
  tearDown,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'
import {
  asOther,
  attemptsOf,
  partialStream,
  expectWhole,
  hasty,
  otherStream,
  readStream,
  textEvents,
  two,
  fullStream,
} from '../../../testing/worlds/stream-failover-scenario.ts'

afterEach(tearDown)

describe('a stream that goes silent', () => {
  test('has another asked beside it, which takes its place', async () => {
    const world = await setUp(two(answerStream(partialStream, 'hang'), otherStream), hasty)
    await expectWhole(world)
    await waitUntil(async () => world.upstream.brokenOffCount() === 1)
    expect(await attemptsOf(world)).toMatchObject([{ status: 200 }, { rescued: true, reason: '' }])
    expect((await attemptsOf(world))[0]?.reason).toContain('timeout')
  })

  test('is silent also while it sends keep-alive comments', async () => {
    const comments: Behaviour = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(partialStream.join(''))
      const timer = setInterval(() => response.write(': wait\n\n'), 50)
      response.on('close', () => clearInterval(timer))
    }
    const world = await setUp(two(comments, otherStream), hasty)
    await expectWhole(world)
    await books(world)
  })
})

describe('a stream that is silent for a while', () => {
  const pausing: (ms: number) => Behaviour = (ms) => async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.write(partialStream.join(''))
    await new Promise((resolve) => setTimeout(resolve, ms))
    response.end([...textEvents(', how are', ' you?'), ...fullStream.slice(5)].join(''))
  }

  test('keeps its place when it speaks again before another has caught up', async () => {
    const world = await setUp(two(pausing(800), neverAnswer), hasty)
    await expectWhole(world)
    expect(callsOf(world)).toEqual([1, 1])
    await waitUntil(async () => world.upstream.brokenOffCount() === 1)
    const { log } = await books(world)
    expect(log).toMatchObject({
      channel: world.channels[0],
      completion_tokens: 7,
      prompt_tokens: 10,
    })
    const attempts = await attemptsOf(world)
    expect(attempts).toMatchObject([{ reason: '' }, { rescued: true, unbilled_prompt_tokens: 10 }])
  })

  test('keeps its place when nobody else can go on with it', async () => {
    const world = await setUp(two(pausing(900), answerStream(textEvents('Goodbye'))), hasty)
    await expectWhole(world)
    expect((await books(world)).log).toMatchObject({ channel: world.channels[0] })
  })

  test('and breaks off after that, when nobody else could go on with it, is gone on with all the same', async () => {
    const breaks: Behaviour = async (response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.write(partialStream.join(''))
      await sleep(900)
      response.destroy()
    }
    const world = await setUp([{ script: [breaks, otherStream] }], hasty)
    await expectWhole(world)
    await books(world)
  })

  test('is left alone when a late channel is', async () => {
    const world = await setUp(two(pausing(500), otherStream), {
      ...hasty,
      options: [['HedgeAfterSeconds', '0']],
    })
    await expectWhole(world)
    expect(callsOf(world)).toEqual([1, 0])
    await books(world)
  })

  test('is drained when its client leaves while another is asked', async () => {
    const world = await setUp(two(pausing(1200), neverAnswer), {
      ...hasty,
      limits: { drainMs: 5000 },
    })
    const client = askAndLeave(world, STREAMED)
    await client.firstByte()
    await waitUntil(async () => callsOf(world)[1] === 1)
    await client.leave()
    await waitUntil(async () => world.upstream.brokenOffCount() === 1)
    const { log } = await books(world)
    expect(log).toMatchObject({ end_reason: 'client_left', completion_tokens: 7 })
  })
})

test('one that repeats all and ends with [DONE] alone is whole, where it gives no finish reasons', async () => {
  const noReason = partialStream.map((event) => event.replace(',"finish_reason":null', ''))
  const world = await setUp(
    two(answerStream(partialStream, 'cut'), answerStream([...asOther(noReason), DONE])),
  )
  const stream = readStream(await (await ask(world, STREAMED)).text())
  expect(stream).toMatchObject({ text: 'Hello there', isWhole: true })
  expect((await books(world)).log).toMatchObject({ end_reason: 'finished' })
})

describe('a provider that can go on from a beginning', () => {
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

  test('is given it, and need not repeat it', async () => {
    const world = await setUp(two(answerStream(partialStream, 'cut'), rest, { type: MOONSHOT }))
    await expectWhole(world, { ...STREAMED, max_tokens: 100 })
    expect(lastMessage(world)).toEqual({
      message: { role: 'assistant', content: 'Hello there', partial: true },
      max_tokens: 98,
    })
    const { log } = await books(world)
    expect(log).toMatchObject({ prompt_tokens: 8, completion_tokens: 7 })
  })

  test('or repeats it, as its kind does', async () => {
    const world = await setUp(
      two(answerStream(partialStream, 'cut'), otherStream, { type: MISTRAL }),
    )
    await expectWhole(world)
    expect(lastMessage(world).message).toMatchObject({ prefix: true, content: 'Hello there' })
    await books(world)
  })

  test('and is asked for all of the answer when it refuses a last message of the assistant', async () => {
    const refusal = answerError(400, { type: 'invalid_request_error', message: 'no prefill' })
    const world = await setUp([
      { script: [answerStream(partialStream, 'cut')], priority: 1 },
      { script: [refusal, otherStream], type: MOONSHOT },
    ])
    await expectWhole(world)
    expect(callsOf(world)).toEqual([1, 2])
    await books(world)
  })

  test('is not given a second one when its caller has begun the answer', async () => {
    const world = await setUp(
      two(answerStream(partialStream, 'cut'), otherStream, { type: MOONSHOT }),
    )
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'Well: ' },
    ]
    await expectWhole(world, { model: MODEL, stream: true, messages })
    expect(lastMessage(world).message).toEqual({ ...messages[1], partial: true })
    await books(world)
  })
})
