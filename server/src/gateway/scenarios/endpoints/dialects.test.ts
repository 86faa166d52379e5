import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, test } from 'vitest'
import {
  answerAsAsked,
  answerChat,
  answerError,
  answerStream,
  chunk,
  DONE,
  USAGE,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { COST, MODEL, setUp, type World } from '../../../../testing/worlds/relay-scenario.ts'

const sdk = ({ url, key }: Pick<World, 'url' | 'key'>) =>
  new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 })

const QUESTION = {
  model: MODEL,
  max_tokens: 50,
  messages: [{ role: 'user' as const, content: 'hi' }],
}

describe("Anthropic's official client", () => {
  test('receives answers and streams of an OpenAI channel, and is charged their cost', async () => {
    const world = await setUp([{ script: [answerAsAsked] }])
    const client = sdk(world)
    const whole = await client.messages.create(QUESTION)
    expect(whole).toMatchObject({
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'Hello there' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: USAGE.prompt_tokens, output_tokens: USAGE.completion_tokens },
    })
    expect(whole._request_id).toMatch(/^\d+$/)
    const stream = client.messages.stream(QUESTION)
    const pieces: string[] = []
    stream.on('text', (piece) => void pieces.push(piece))
    const streamed = await stream.finalMessage()
    expect(pieces).toEqual(['Hello', ' there'])
    expect(streamed).toMatchObject({
      content: [{ type: 'text', text: 'Hello there' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: USAGE.prompt_tokens, output_tokens: USAGE.completion_tokens },
    })
    const { logs } = await world.books()
    expect(logs.map(({ quota }) => quota)).toEqual([COST, COST])
    expect(JSON.parse(world.upstream.requestsOf('p0')[0]?.body.toString() ?? '')).toEqual({
      model: MODEL,
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 50,
    })
  })

  test('is refused a model of Responses by a channel without them, free of charge', async () => {
    const config = JSON.stringify({ apis: ['chat'] })
    const channel = { type: 1, script: [answerChat()], mapping: 'gpt-5.3-codex', config }
    const world = await setUp([channel])
    await expect(sdk(world).messages.create(QUESTION)).rejects.toMatchObject({
      status: 400,
      error: { error: { message: expect.stringContaining('gpt-5.3-codex') } },
    })
    expect(world.upstream.requestsOf('p0')).toEqual([])
    const { logs } = await world.books()
    expect(logs.map(({ quota }) => quota)).toEqual([0])
  })
})

test('a stream without a usage report reports the counted usage', async () => {
  const events = [
    chunk({ content: 'Hello' }),
    chunk({ content: ' there' }),
    chunk({ finish: 'stop' }),
    DONE,
  ]
  const world = await setUp([{ script: [answerStream(events)] }])
  const { usage } = await sdk(world).messages.stream(QUESTION).finalMessage()
  const { logs } = await world.books()
  expect(logs).toMatchObject([
    { prompt_tokens: usage.input_tokens, completion_tokens: usage.output_tokens },
  ])
  expect(usage.output_tokens).toBeGreaterThan(0)
})

test("errors have Anthropic's format, and the client recognizes them", async () => {
  const world = await setUp([{ script: [answerError(429, {}, { 'retry-after': '20' })] }])
  const client = sdk(world)
  await expect(client.messages.create(QUESTION)).rejects.toThrow(Anthropic.RateLimitError)
  await expect(sdk({ ...world, key: 'sk-nobody' }).messages.create(QUESTION)).rejects.toThrow(
    Anthropic.AuthenticationError,
  )
  await expect(client.messages.create({ ...QUESTION, max_tokens: 0 })).rejects.toMatchObject({
    status: 400,
    error: { type: 'error', error: { type: 'invalid_request_error' } },
  })
  await expect(
    client.messages.create({ ...QUESTION, model: 'nobody-serves-it' }),
  ).rejects.toMatchObject({
    status: 404,
    error: { error: { type: 'not_found_error' } },
  })
})

test('a stream that breaks off ends with an error, and the delivered part is charged', async () => {
  const world = await setUp([{ script: [answerStream([chunk({ content: 'Hello' })])] }], {
    options: [['RetryTimes', '0']],
  })
  await expect(sdk(world).messages.stream(QUESTION).finalMessage()).rejects.toThrow(/upstream/i)
  const { logs } = await world.books()
  expect(logs).toMatchObject([{ completion_tokens: 1, outcome: 'settled' }])
})

test("models are listed in Anthropic's format", async () => {
  const world = await setUp([{ script: [answerChat()] }])
  const { models } = sdk(world)
  const model = {
    type: 'model',
    id: MODEL,
    display_name: MODEL,
    created_at: '1970-01-01T00:00:00Z',
    max_input_tokens: 128_000,
    max_tokens: 16_384,
    retires_at: '2027-01-14T00:00:00Z',
  }
  const page = await models.list()
  expect(page.data).toEqual([model])
  expect([page.has_more, page.first_id, page.last_id]).toEqual([false, MODEL, MODEL])
  expect(await models.retrieve(MODEL)).toEqual(model)
  await expect(models.retrieve('nobody-serves-it')).rejects.toMatchObject({
    status: 404,
    error: { type: 'error', error: { type: 'not_found_error' } },
  })
})

test('a key is accepted wherever clients put it', async () => {
  const world = await setUp([{ script: [answerChat()] }])
  const body = JSON.stringify(QUESTION)
  for (const place of [
    { 'x-api-key': world.key },
    { 'api-key': world.key },
    { authorization: `Bearer ${world.key}` },
  ]) {
    const headers = { ...place, 'content-type': 'application/json' }
    const answer = await fetch(`${world.url}/v1/messages`, { method: 'POST', body, headers })
    expect(answer.status, Object.keys(place)[0]).toBe(200)
  }
})
