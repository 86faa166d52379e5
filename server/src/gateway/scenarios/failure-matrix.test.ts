import { describe, expect, test } from 'vitest'
import { CHANNEL_STATUS } from '@tollgate/contract'
import {
  answerChat,
  answerError,
  answerJson,
  answerRaw,
  answerStream,
  type Behaviour,
  chatAnswer,
  DONE,
  neverAnswer,
  resetConnection,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import {
  ASKED,
  COST,
  expectRefusal,
  inOrder,
  QUOTA,
  readError,
  setUp,
  STREAMED,
} from '../../../testing/worlds/relay-scenario.ts'

const commentForever: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' })
  const timer = setInterval(() => response.write(': wait\n\n'), 50)
  response.on('close', () => clearInterval(timer))
}

/** How OpenRouter reports that it lost its own upstream. */
const brokenOff = {
  ...chatAnswer(),
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Half an ans' },
      finish_reason: 'error',
      error: { code: 502, message: 'lost' },
    },
  ],
}

/** The shortest pauses before a retry. */
const random = () => 0

describe('before the first byte', () => {
  test('no channel for group and model: 503, and a void log row', async () => {
    const world = await setUp([{ script: [answerChat()], group: 'vip' }])
    await expectRefusal(world.ask(), 503, 'no_available_channel')
    await world.expectLog({ outcome: 'void', end_reason: 'no_channel', quota: 0, type: 2 })
  })

  test('the first group with a live channel serves and is billed', async () => {
    const world = await setUp([{ script: [answerChat()], group: 'vip' }], {
      user: { group: 'default,vip' },
      options: [['GroupRatio', '{"default":1,"vip":10}']],
    })
    expect((await world.ask()).status).toBe(200)
    await world.expectLog({ group: 'vip', group_ratio: 10 })
  })

  const passing: [string, Behaviour, number][] = [
    ['429', answerError(429, {}), 429],
    ['408', answerError(408, {}), 504],
    ['500', answerError(500, {}), 502],
    ['502 with a page', answerJson('<html>bad</html>', { status: 502 }), 502],
    ['503', answerError(503, {}), 503],
    ['a redirect', answerJson('', { status: 302, headers: { location: '/x' } }), 502],
    ['a reset', resetConnection, 502],
    ['garbage', answerRaw('no http at all\r\n\r\n'), 502],
    ['a body that breaks off', answerRaw('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\n{"a'), 502],
    ['no answer in time', neverAnswer, 504],
    ['200 with an error', answerJson({ error: { message: 'x', type: 'server_error' } }), 502],
    ['200 with no JSON', answerJson('oh'), 502],
    ['200 with half an answer', answerJson(brokenOff), 502],
    ['200 without choices', answerJson({ object: 'chat.completion', choices: [] }), 502],
  ]
  test.each(passing)('%s: another answers, else the status', async (_name, behaviour, status) => {
    const world = await setUp(inOrder(behaviour, answerChat()), { random })
    const response = await world.ask()
    expect(response.status).toBe(200)
    // Retried once after a pause, as its tier had no other channel; then the next tier.
    expect(world.calls()).toEqual([2, 1])
    const { log } = await world.books()
    expect(log).toMatchObject({ outcome: 'settled', channel: world.channels[1], quota: COST })
    const attempts = JSON.parse(log?.attempts ?? '')
    expect(attempts.map(({ channel }: { channel: number }) => channel)).toEqual([
      world.channels[0],
      world.channels[0],
      world.channels[1],
    ])
    expect((await world.statusOf(world.channels[0])).status).toBe(CHANNEL_STATUS.enabled)

    await world.setOption('RetryTimes', '0')
    const refusal = await world.ask()
    expect(refusal.status).toBe(status)
    await readError(refusal)
    expect(world.calls()).toEqual([3, 1])
    const after = await world.books()
    expect(after.log).toMatchObject({ outcome: 'void', end_reason: 'upstream_error', quota: 0 })
    expect(after.account.quota).toBe(QUOTA - COST)
  })

  const streams: [string, Behaviour][] = [
    ['an error event first', answerStream(['data: {"error":{"message":"x"}}\n\n'])],
    ['a JSON body', answerChat()],
    ['nothing', answerStream([])],
    ['[DONE] alone', answerStream([DONE])],
    ['comments and then nothing', answerStream([': wait\n\n'], 'hang')],
    ['comments for ever', commentForever],
    ['a cut after the head', answerStream([], 'cut')],
  ]
  test.each(streams)('a stream that begins with %s is retried on the next', async (_, first) => {
    const world = await setUp(inOrder(first, answerStream(WHOLE_STREAM)), { random })
    const text = await (await world.ask(STREAMED)).text()
    expect(text).toContain('Hello')
    expect(text.endsWith(DONE)).toBe(true)
    expect(world.calls()).toEqual([2, 1])
    await world.expectLog({ outcome: 'settled', channel: world.channels[1], quota: COST })
  })

  const keyFailures: [string, Behaviour][] = [
    ['401', answerError(401, { code: 'invalid_api_key', message: 'Incorrect API key provided' })],
    ['403', answerError(403, { message: 'Your organization has been disabled' })],
    ['an exhausted account', answerError(429, { code: 'insufficient_quota' })],
  ]
  test.each(keyFailures)('%s: tried never again, disabled with a reason', async (_, behaviour) => {
    const world = await setUp(inOrder(behaviour, answerChat()))
    expect((await world.ask()).status).toBe(200)
    expect(world.calls()).toEqual([1, 1])
    await waitUntil(async () => {
      const { status } = await world.statusOf(world.channels[0])
      return status === CHANNEL_STATUS.autoDisabled
    })
    expect((await world.statusOf(world.channels[0])).status_reason).not.toBe('')
    await waitUntil(async () => {
      const [before] = world.calls()
      await world.ask()
      return world.calls()[0] === before
    })
    await world.books()
  })

  test('with the option off, a refused key does not disable its channel, and the client gets a 502', async () => {
    const world = await setUp(answerError(401, { code: 'invalid_api_key' }), {
      options: [['AutomaticDisableChannelEnabled', 'false']],
    })
    const response = await world.ask()
    expect(response.status).toBe(502)
    const { message } = await readError(response)
    expect(message).not.toContain('127.0.0.1')
    expect(world.calls()).toEqual([1])
    expect((await world.statusOf(world.channels[0])).status).toBe(CHANNEL_STATUS.enabled)
    await world.books()
  })

  test('a long Retry-After causes a cooldown, not a pause, and is passed on', async () => {
    const world = await setUp(answerError(429, {}, { 'retry-after': '30' }))
    const response = await world.ask()
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '30'])
    expect(world.calls()).toEqual([1])
    await world.books()
  })

  test('an invalid request is passed on redacted, and not retried', async () => {
    const refusal = answerError(400, {
      type: 'invalid_request_error',
      code: 'unsupported_value',
      message: 'temperature is wrong, see https://api.example.com/docs with key sk-abc12345678',
    })
    const world = await setUp(inOrder(refusal, answerChat()))
    const response = await world.ask()
    expect(response.status).toBe(400)
    const error = await readError(response)
    expect(error.message).toContain('temperature is wrong')
    expect(error.message).not.toMatch(/example\.com|sk-abc/)
    expect(world.calls()).toEqual([1, 0])
    await world.expectLog({ outcome: 'void', end_reason: 'request_refused' })
  })

  const tooLong = answerError(400, {
    code: 'context_length_exceeded',
    message:
      "This model's maximum context length is 8192 tokens. " +
      'However, your messages resulted in 9000 tokens.',
  })

  test('a context length error without another model is passed on in the dialect of the client', async () => {
    const world = await setUp(inOrder(tooLong, tooLong))
    await expectRefusal(world.ask(), 400, 'context_length_exceeded')
    expect(world.calls()).toEqual([1, 0])
    await world.expectLog({ outcome: 'void', end_reason: 'request_refused' })
    const claude = await world.ask({ ...ASKED, max_tokens: 50 }, { path: '/v1/messages' })
    const message = 'prompt is too long: 9000 tokens > 8192 maximum'
    expect([claude.status, await claude.json()]).toMatchObject([400, { error: { message } }])
  })

  test('no connection at all: 502 after all attempts', async () => {
    const world = await setUp([])
    await world.addChannel({ base_url: 'http://127.0.0.1:1' })
    await waitUntil(async () => (await world.ask()).status === 502)
    await world.expectLog({ outcome: 'void', end_reason: 'upstream_error' })
  })
})
