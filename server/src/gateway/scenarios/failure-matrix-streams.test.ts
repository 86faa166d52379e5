import { describe, expect, test } from 'vitest'
import {
  answerChat,
  answerError,
  answerStream,
  type Behaviour,
  chunk,
  DONE,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ASKED,
  COST,
  QUOTA,
  readError,
  setUp,
  STREAMED,
  type World,
} from '../../../testing/worlds/relay-scenario.ts'

describe('after the first byte', () => {
  const hello = [chunk({ content: 'Hello' }), chunk({ content: ' there' })]
  const breaks: [string, Behaviour, string][] = [
    ['is cut off', answerStream(hello, 'cut'), 'broken_stream'],
    ['ends without its end', answerStream(hello, 'end'), 'broken_stream'],
    ['ends with nothing but [DONE]', answerStream([...hello, DONE]), 'broken_stream'],
    ['stalls', answerStream(hello, 'hang'), 'deadline'],
    [
      'reports an error',
      answerStream([...hello, 'data: {"error":{"message":"lost","code":"server_error"}}\n\n']),
      'broken_stream',
    ],
  ]
  const AS_JSON = {
    messages: [{ role: 'user', content: 'Answer in JSON.' }],
    response_format: { type: 'json_object' },
  }
  const notRescued: [string, Parameters<typeof setUp>[1], object, typeof breaks][] = [
    ['while failover is off', { options: [['StreamRescueEnabled', 'false']] }, {}, breaks],
    ['when a format was asked for', {}, AS_JSON, breaks.slice(0, 1)],
  ]
  const cases = notRescued.flatMap(([when, setup, more, ways]) =>
    ways.map(([what, ...rest]) => ({ name: `${what} ${when}`, setup, more, rest })),
  )
  test.each(cases)(
    'a stream that $name ends in an error event, without [DONE]',
    async ({ setup, more, rest: [behaviour, reason] }) => {
      const providers = [
        { script: [behaviour] },
        { script: [answerStream(WHOLE_STREAM)], priority: -1 },
      ]
      const world = await setUp(providers, setup)
      const response = await world.ask({ ...STREAMED, ...more })
      expect(response.status).toBe(200)
      const text = await response.text()
      expect(text).toContain('"content":"Hello"')
      expect(text).not.toContain('[DONE]')
      const event = text.trim().split('\n\n').at(-1)?.replace('data: ', '') ?? ''
      const { error } = JSON.parse(event)
      expect(error.message).toContain('request id')
      expect(world.calls()).toEqual([1, 0])
      const { log } = await world.books()
      expect(log).toMatchObject({ outcome: 'settled', end_reason: reason, completion_tokens: 2 })
      expect(JSON.parse(log?.basis ?? '').usage_source).toBe('counted')
    },
  )

  const trickle: Behaviour = (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    const timer = setInterval(() => response.write(chunk({ content: ' word' })), 50)
    response.on('close', () => clearInterval(timer))
  }

  test('a stream that exceeds the total deadline ends in an error event', async () => {
    const world = await setUp([{ script: [trickle] }], { upstreamLimits: { totalMs: 500 } })
    const text = await (await world.ask(STREAMED)).text()
    expect(text).toContain('upstream_timeout')
    expect(text).not.toContain('[DONE]')
    const { log } = await world.books()
    expect(log).toMatchObject({ outcome: 'settled', end_reason: 'deadline' })
    expect(log?.completion_tokens).toBeGreaterThan(3)
    await waitUntil(async () => world.upstream.brokenOffCount() === 1)
  })

  test('a stream with [DONE] is complete, from a provider that sends no finish reasons', async () => {
    const events = hello.map((event) => event.replace(',"finish_reason":null', ''))
    const world = await setUp([{ script: [answerStream([...events, DONE])] }])
    const text = await (await world.ask(STREAMED)).text()
    expect(text.endsWith(DONE)).toBe(true)
    expect((await world.books()).log).toMatchObject({
      end_reason: 'finished',
      completion_tokens: 2,
    })
  })

  test('the usage event is sent only to clients that asked for it', async () => {
    const world = await setUp([{ script: [answerStream(WHOLE_STREAM)] }])
    expect(await (await world.ask(STREAMED)).text()).not.toContain('"usage":{')
    const asked = { ...STREAMED, stream_options: { include_usage: true } }
    expect(await (await world.ask(asked)).text()).toContain('"usage":{')
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.body.toString()).toContain('"include_usage":true')
    await world.books()
  })

  test('without usage from the provider, tokens are counted, and the row says so', async () => {
    const silent = WHOLE_STREAM.filter((event) => !event.includes('usage'))
    const world = await setUp([{ script: [answerStream(silent), answerChat('Hello there', null)] }])
    await (await world.ask(STREAMED)).text()
    await (await world.ask()).text()
    const { logs } = await world.books()
    for (const log of logs) {
      expect(log).toMatchObject({ outcome: 'settled', completion_tokens: 2, prompt_tokens: 8 })
      expect(JSON.parse(log.basis).usage_source).toBe('counted')
    }
  })

  test('a client that has the end of an answer has been charged for it', async () => {
    const world = await setUp([{ script: [answerStream(WHOLE_STREAM), answerChat()] }])
    for (const [body, charges] of [
      [STREAMED, 1],
      [ASKED, 2],
    ] as const) {
      await (await world.ask(body)).text()
      await world.ledger.flush()
      const rows = await world.database.kysely.selectFrom('logs').select('quota').execute()
      expect(rows).toEqual(Array.from({ length: charges }, () => ({ quota: COST })))
    }
  })

  test('a stream that breaks before any output is no answer, and costs nothing', async () => {
    const world = await setUp([{ script: [answerStream([chunk({ content: '' })], 'cut')] }])
    const response = await world.ask(STREAMED)
    expect(response.status).toBe(502)
    await readError(response)
    expect(world.calls()).toEqual([2])
    const { log, account } = await world.books()
    expect(log).toMatchObject({ outcome: 'void', end_reason: 'upstream_error' })
    expect(account.quota).toBe(QUOTA)
  })

  async function leaveAfterFirstEvent(world: World) {
    const client = world.askAndLeave(STREAMED)
    await client.firstByte()
    await client.leave()
  }

  test('a drain has a time limit: then counted tokens are charged and the upstream is closed', async () => {
    const world = await setUp([{ script: [trickle] }])
    await leaveAfterFirstEvent(world)
    const { log } = await world.books()
    expect(log).toMatchObject({ outcome: 'settled', end_reason: 'client_left' })
    expect(log?.completion_tokens).toBeGreaterThan(3)
    await waitUntil(async () => world.upstream.brokenOffCount() === 1)
  })

  test('after a disconnect nothing is retried', async () => {
    const { promise: left, resolve } = Promise.withResolvers<void>()
    const world = await setUp([
      {
        script: [
          async (response, request) => {
            await left
            return answerError(500, {})(response, request)
          },
        ],
      },
    ])
    const client = world.askAndLeave(ASKED)
    await waitUntil(async () => world.calls()[0] === 1)
    await client.leave()
    resolve()
    const { log } = await world.books()
    expect(log).toMatchObject({ outcome: 'void', end_reason: 'client_left' })
    expect(world.calls()).toEqual([1])
  })
})
