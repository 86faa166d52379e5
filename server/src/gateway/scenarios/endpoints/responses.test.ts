import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import {
  answerAsAsked,
  answerChat,
  answerError,
  answerJson,
  answerStream,
  chunk,
  DONE,
  USAGE,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { COST, MODEL, setUp, type World } from '../../../../testing/worlds/relay-scenario.ts'

const sdk = ({ url, key }: Pick<World, 'url' | 'key'>) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })

const QUESTION = { model: MODEL, input: 'hi' }
const USED = {
  input_tokens: USAGE.prompt_tokens,
  output_tokens: USAGE.completion_tokens,
  total_tokens: USAGE.total_tokens,
}

const receivedBy = ({ upstream }: World): unknown =>
  JSON.parse(upstream.requestsOf('p0')[0]?.body.toString() ?? '')

describe("OpenAI's official client with the Responses API", () => {
  test('receives answers and streams of any channel, charged by usage', async () => {
    const world = await setUp([{ script: [answerAsAsked] }])
    const client = sdk(world)
    const whole = await client.responses.create({ ...QUESTION, max_output_tokens: 50 })
    expect(whole).toMatchObject({
      object: 'response',
      status: 'completed',
      output_text: 'Hello there',
      output: [{ type: 'message', role: 'assistant', status: 'completed' }],
      usage: USED,
      store: true,
      max_output_tokens: 50,
      error: null,
    })
    const pieces: string[] = []
    const stream = client.responses.stream(QUESTION)
    stream.on('response.output_text.delta', ({ delta }) => void pieces.push(delta))
    const streamed = await stream.finalResponse()
    expect(pieces).toEqual(['Hello', ' there'])
    expect(streamed).toMatchObject({
      status: 'completed',
      output_text: 'Hello there',
      usage: USED,
    })
    const { logs } = await world.books()
    expect(logs.map(({ quota }) => quota)).toEqual([COST, COST])
    expect(receivedBy(world)).toEqual({
      model: MODEL,
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 50,
    })
  })
})

const CALL = { id: 'call_1', type: 'function', function: { name: 'read', arguments: '{}' } }
const OF_CHAT = {
  model: MODEL,
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'Read it.' }] },
    { role: 'assistant', content: null, tool_calls: [CALL] },
    { role: 'tool', tool_call_id: 'call_1', content: 'empty' },
  ],
  tools: [{ type: 'function', function: { name: 'read', parameters: { type: 'object' } } }],
  max_tokens: 50,
}
const ITEMS = [
  { role: 'user', content: [{ type: 'input_text', text: 'Read it.' }] },
  { type: 'function_call', call_id: 'call_1', name: 'read', arguments: '{}' },
  { type: 'function_call_output', call_id: 'call_1', output: 'empty' },
]
const TOOL = { type: 'function', name: 'read' }

test.each([
  { type: 1, sent: { messages: [{}, { tool_calls: [CALL] }, {}], tools: [{}], max_tokens: 50 } },
  { type: 1002, sent: { input: ITEMS, tools: [TOOL], max_output_tokens: 50, store: false } },
])('a body of chat completions works, at a channel of type $type too', async ({ type, sent }) => {
  const output = [{ type: 'message', role: 'assistant', content: [] }]
  const usage = { input_tokens: USED.input_tokens, output_tokens: USED.output_tokens }
  const response = { id: 'r', object: 'response', status: 'completed', output, usage }
  const answer = type === 1 ? answerChat() : answerJson(response)
  const world = await setUp([{ type, script: [answer] }])
  const answered = await world.ask(OF_CHAT, { path: '/v1/responses' })
  expect(await answered.json()).toMatchObject({ object: 'response', status: 'completed' })
  expect(receivedBy(world)).toMatchObject(sent)
  expect((await world.books()).logs.map(({ quota }) => quota)).toEqual([COST])
})

test('a stream without a usage report reports the counted usage', async () => {
  const events = [chunk({ content: 'Hello' }), chunk({ finish: 'stop' }), DONE]
  const world = await setUp([{ script: [answerStream(events)] }])
  const { usage } = await sdk(world).responses.stream(QUESTION).finalResponse()
  const { logs } = await world.books()
  expect(logs).toMatchObject([
    { prompt_tokens: usage?.input_tokens, completion_tokens: usage?.output_tokens },
  ])
  expect(usage?.output_tokens).toBeGreaterThan(0)
})

test('the client recognizes the errors', async () => {
  const world = await setUp([{ script: [answerError(429, {}, { 'retry-after': '20' })] }])
  const client = sdk(world)
  await expect(client.responses.create(QUESTION)).rejects.toThrow(OpenAI.RateLimitError)
  await expect(sdk({ ...world, key: 'sk-nobody' }).responses.create(QUESTION)).rejects.toThrow(
    OpenAI.AuthenticationError,
  )
  const further = client.responses.create({ ...QUESTION, previous_response_id: 'resp_1' })
  await expect(further).rejects.toMatchObject({ status: 400, param: 'previous_response_id' })
  await expect(further).rejects.toThrow(/Send the earlier items again/)
})

test('a stream that breaks off ends with an error, and the delivered part is charged', async () => {
  const world = await setUp([{ script: [answerStream([chunk({ content: 'Hello' })])] }], {
    options: [['RetryTimes', '0']],
  })
  await expect(sdk(world).responses.stream(QUESTION).finalResponse()).rejects.toThrow(/upstream/i)
  const { logs } = await world.books()
  expect(logs).toMatchObject([{ completion_tokens: 1, outcome: 'settled' }])
})

test('tokens are counted free of charge', async () => {
  const world = await setUp([{ script: [answerChat()] }])
  const counted = await sdk(world).responses.inputTokens.count(QUESTION)
  expect(counted.object).toBe('response.input_tokens')
  const more = await sdk(world).responses.inputTokens.count({
    ...QUESTION,
    input: 'hi '.repeat(100),
  })
  expect(more.input_tokens).toBeGreaterThan(counted.input_tokens + 90)
  const { logs } = await world.books()
  expect(logs).toEqual([])
})

describe('a conversation that a client compacts', () => {
  const input: OpenAI.Responses.ResponseInput = [
    { role: 'user', content: 'Rename the file.' },
    { type: 'function_call', call_id: 'c1', name: 'move', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'done' },
    { role: 'user', content: [{ type: 'input_text', text: 'Thanks.' }] },
  ]
  const userMessages = ['Rename the file.', 'Thanks.'].map((text) => ({
    type: 'message',
    role: 'user',
    content: [{ type: 'input_text', text }],
  }))

  test('goes on from what the user said and a summary of the rest, at the usual price', async () => {
    const script = [answerChat('The file is renamed.'), answerChat('Yes.')]
    const world = await setUp([{ script }])
    const client = sdk(world)
    const compacted = await client.responses.compact({ model: MODEL, input })
    expect(compacted).toMatchObject({
      object: 'response.compaction',
      output: [...userMessages, { type: 'compaction' }],
      usage: USED,
    })
    expect(receivedBy(world)).toMatchObject({
      messages: [
        { content: 'Rename the file.' },
        { tool_calls: [{ id: 'c1' }] },
        { tool_call_id: 'c1' },
        { content: 'Thanks.' },
        { content: expect.stringContaining('Summarize the conversation') },
      ],
    })
    const question = { role: 'user' as const, content: 'Is it done?' }
    // Safe because the output consists of items that requests may have.
    const output = compacted.output as OpenAI.Responses.ResponseInput
    await client.responses.create({ model: MODEL, input: [...output, question] })
    const [, next] = world.upstream.requestsOf('p0').map(({ body }) => body.toString())
    expect(next).toContain('The file is renamed.')
    expect(next).not.toContain('"c1"')
    const { logs } = await world.books()
    expect(logs.map(({ quota }) => quota)).toEqual([COST, COST])
  })

  test('stays as it is if the model writes no summary', async () => {
    const world = await setUp([{ script: [answerChat('')] }])
    const compacted = await sdk(world).responses.compact({ model: MODEL, input })
    expect(compacted.output).toEqual(input)
  })
})

test('a request to compact without a conversation is refused', async () => {
  const world = await setUp([{ script: [answerChat()] }])
  for (const body of [{ model: MODEL }, { model: MODEL, input: 5 }, { input: 'hi' }]) {
    const refused = await world.ask(body, { path: '/v1/responses/compact' })
    expect(refused.status).toBe(400)
  }
  const cut = await world.ask('{"model":', { path: '/v1/responses/compact' })
  expect(cut.status).toBe(400)
  expect(world.upstream.requestsOf('p0')).toEqual([])
})

test('a response cannot be retrieved, deleted or cancelled', async () => {
  const world = await setUp([{ script: [answerChat()] }])
  const client = sdk(world)
  for (const looking of [
    client.responses.retrieve('resp_1'),
    client.responses.delete('resp_1'),
    client.responses.cancel('resp_1'),
  ]) {
    await expect(looking).rejects.toThrow(OpenAI.NotFoundError)
  }
})
