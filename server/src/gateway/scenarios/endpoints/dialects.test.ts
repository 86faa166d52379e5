import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import {
  answerChat,
  answerJson,
  answerStream,
  chunk,
  DONE,
  USAGE,
  WHOLE_STREAM,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { COST, MODEL, setUp, type World } from '../../../../testing/worlds/relay-scenario.ts'

/* Official clients of three dialects at a channel of OpenAI. The matrix of clients has the rest. */

type Caller = Pick<World, 'url' | 'key'>
type ApiVersion = 'v1' | 'v1beta'

const claude = ({ url, key }: Caller) => new Anthropic({ baseURL: url, apiKey: key, maxRetries: 0 })
const google = ({ url, key }: Caller, apiVersion: ApiVersion = 'v1beta') =>
  new GoogleGenAI({ apiKey: key, apiVersion, httpOptions: { baseUrl: url } })
const openai = ({ url, key }: Caller) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })

const MESSAGE = {
  model: MODEL,
  max_tokens: 50,
  messages: [{ role: 'user' as const, content: 'hi' }],
}
const CONTENTS = { model: MODEL, contents: 'hi', config: { maxOutputTokens: 50 } }
const RESPONSE = { model: MODEL, input: 'hi' }
const GENERATE = `/v1beta/models/${MODEL}:generateContent`
const WIRE = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }

async function allOf<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of stream) items.push(item)
  return items
}

/** The tokens of prompt and output that each client reads from a stream. */
const STREAMS = [
  {
    api: 'Messages',
    tokens: async (world: World) => {
      const { usage } = await claude(world).messages.stream(MESSAGE).finalMessage()
      return [usage.input_tokens, usage.output_tokens]
    },
  },
  {
    api: 'Gemini',
    tokens: async (world: World) => {
      const pieces = await allOf(await google(world).models.generateContentStream(CONTENTS))
      const usage = pieces.at(-1)?.usageMetadata
      return [usage?.promptTokenCount, usage?.candidatesTokenCount]
    },
  },
  {
    api: 'Responses',
    tokens: async (world: World) => {
      const { usage } = await openai(world).responses.stream(RESPONSE).finalResponse()
      return [usage?.input_tokens, usage?.output_tokens]
    },
  },
]

describe.each(STREAMS)('a stream for a client of $api', ({ tokens }) => {
  test('without a usage report reports the counted usage', async () => {
    const events = [chunk({ content: 'Hello' }), chunk({ finish: 'stop' }), DONE]
    const world = await setUp(answerStream(events))
    const [prompt_tokens, completion_tokens] = await tokens(world)
    expect(completion_tokens).toBeGreaterThan(0)
    expect((await world.books()).logs).toMatchObject([{ prompt_tokens, completion_tokens }])
  })

  test('that breaks off ends with an error, and the delivered part is charged', async () => {
    const script = [answerStream([chunk({ content: 'Hello' })])]
    const world = await setUp(script, { options: [['RetryTimes', '0']] })
    await expect(tokens(world)).rejects.toThrow(/upstream/i)
    const charged = { completion_tokens: 1, outcome: 'settled' }
    expect((await world.books()).logs).toMatchObject([charged])
  })
})

test('a model of Responses is refused by a channel without them, free of charge', async () => {
  const config = JSON.stringify({ apis: ['chat'] })
  const channel = { type: 1, script: [answerChat()], mapping: 'gpt-5.3-codex', config }
  const world = await setUp([channel])
  await expect(claude(world).messages.create(MESSAGE)).rejects.toMatchObject({
    status: 400,
    error: { error: { message: expect.stringContaining('gpt-5.3-codex') } },
  })
  expect(world.calls()).toEqual([0])
  expect(await world.charges()).toEqual([0])
})

describe('models are listed', () => {
  test("in Anthropic's format", async () => {
    const { models } = claude(await setUp(answerChat()))
    const model = {
      type: 'model',
      id: MODEL,
      display_name: MODEL,
      created_at: '1970-01-01T00:00:00Z',
      max_input_tokens: 128_000,
      max_tokens: 16_384,
      retires_at: '2027-01-14T00:00:00Z',
    }
    const { data, has_more, first_id, last_id } = await models.list()
    expect([data, has_more, first_id, last_id]).toEqual([[model], false, MODEL, MODEL])
    expect(await models.retrieve(MODEL)).toEqual(model)
    await expect(models.retrieve('nobody-serves-it')).rejects.toMatchObject({
      status: 404,
      error: { type: 'error', error: { type: 'not_found_error' } },
    })
  })

  test.each(['v1', 'v1beta'] as const)("in Google's format at %s", async (version) => {
    const world = await setUp(answerChat())
    const { models } = google(world, version)
    expect((await models.generateContent(CONTENTS)).text).toBe('Hello there')
    const listed = await allOf(await models.list())
    expect(listed.map(({ name }) => name)).toContain(`models/${MODEL}`)
    expect((await models.get({ model: MODEL })).name).toBe(`models/${MODEL}`)
    await expect(models.get({ model: 'nobody-serves-it' })).rejects.toMatchObject({ status: 404 })
    const inGoogles = { models: [{ name: `models/${MODEL}` }] }
    const headers = { authorization: `Bearer ${world.key}` }
    for (const [path, init, expected] of [
      ['/v1beta/models', { headers }, inGoogles],
      [`/v1/models?key=${world.key}`, {}, inGoogles],
      ['/v1/models', { headers }, { object: 'list', data: [{ id: MODEL }] }],
    ] as const) {
      expect(await (await fetch(world.url + path, init)).json()).toMatchObject(expected)
    }
  })
})

test('a key is accepted wherever clients put it', async () => {
  const world = await setUp(answerChat())
  const { url, key } = world
  const send = async (path: string, body: object, headers: Record<string, string>) => {
    const type = { 'content-type': 'application/json' }
    const init = { method: 'POST', body: JSON.stringify(body), headers: { ...type, ...headers } }
    return (await fetch(url + path, init)).status
  }
  const bearer = { authorization: `Bearer ${key}` }
  for (const headers of [{ 'x-api-key': key }, { 'api-key': key }, bearer]) {
    expect(await send('/v1/messages', MESSAGE, headers)).toBe(200)
  }
  for (const [search, headers] of [
    ['', { 'x-goog-api-key': key }],
    ['', bearer],
    [`?key=${key}`, {}],
    [`?x=1&key=${key.replace('sk-', '')}`, {}],
  ] as const) {
    expect(await send(GENERATE + search, WIRE, headers), search).toBe(200)
  }
  expect(await send(GENERATE, WIRE, {})).toBe(401)
  for (const { path } of world.upstream.requestsOf('p0')) expect(path).not.toContain('key=')
})

test("texts of Google's client are embedded and charged", async () => {
  const data = [0, 1].map((index) => ({ object: 'embedding', index, embedding: [index, 0.5] }))
  const usage = { prompt_tokens: 10, total_tokens: 10 }
  const script = [answerJson({ object: 'list', data, model: MODEL, usage })]
  const world = await setUp(script)
  const { embeddings } = await google(world).models.embedContent({
    model: MODEL,
    contents: ['a', 'b'],
    config: { taskType: 'RETRIEVAL_QUERY', outputDimensionality: 2 },
  })
  expect(embeddings).toEqual([{ values: [0, 0.5] }, { values: [1, 0.5] }])
  expect(world.sent()).toEqual({ model: MODEL, input: ['a', 'b'], dimensions: 2 })
  const path = `/v1beta/models/${MODEL}:embedContent`
  const one = await world.ask({ content: { parts: [{ text: 'a' }] } }, { path })
  expect(await one.json()).toEqual({ embedding: { values: [0, 0.5] } })
  expect((await world.books()).logs).toMatchObject([{ prompt_tokens: 10 }, { prompt_tokens: 10 }])
})

test('without server-sent events a stream of Gemini is a JSON array', async () => {
  const world = await setUp(answerStream(WHOLE_STREAM))
  const ask = (key: string) => {
    const path = `/v1/models/${MODEL}:streamGenerateContent?key=${key}`
    const headers = { 'content-type': 'application/json' }
    return fetch(world.url + path, { method: 'POST', body: JSON.stringify(WIRE), headers })
  }
  const answer = await ask(world.key)
  expect(answer.headers.get('content-type')).toBe('application/json')
  const usageMetadata = { promptTokenCount: 10, candidatesTokenCount: 5, totalTokenCount: 15 }
  expect(await answer.json()).toMatchObject([
    { candidates: [{ content: { parts: [{ text: 'Hello' }] } }] },
    { candidates: [{ content: { parts: [{ text: ' there' }] } }] },
    { candidates: [{ finishReason: 'STOP' }], usageMetadata },
  ])
  const refused = await ask('sk-nobody')
  const text = await refused.text()
  expect([refused.status, JSON.parse(text)]).toMatchObject([401, [{ error: { code: 401 } }]])
  expect(text).not.toContain('nobody')
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
  const usage = { input_tokens: USAGE.prompt_tokens, output_tokens: USAGE.completion_tokens }
  const response = { id: 'r', object: 'response', status: 'completed', output, usage }
  const answer = type === 1 ? answerChat() : answerJson(response)
  const world = await setUp([{ type, script: [answer] }])
  const answered = await world.ask(OF_CHAT, { path: '/v1/responses' })
  expect(await answered.json()).toMatchObject({ object: 'response', status: 'completed' })
  expect(world.sent()).toMatchObject(sent)
  expect(await world.charges()).toEqual([COST])
})

describe('a conversation that a client compacts', () => {
  const input: OpenAI.Responses.ResponseInput = [
    { role: 'user', content: 'Rename the file.' },
    { type: 'function_call', call_id: 'c1', name: 'move', arguments: '{}' },
    { type: 'function_call_output', call_id: 'c1', output: 'done' },
    { role: 'user', content: [{ type: 'input_text', text: 'Thanks.' }] },
  ]

  test('is what the user said and a summary of the rest, at the usual price', async () => {
    const world = await setUp(answerChat('The file is renamed.'))
    const { output } = await openai(world).responses.compact({ model: MODEL, input })
    const said = ['Rename the file.', 'Thanks.'].map((text) => ({
      type: 'message',
      role: 'user',
      content: [{ type: 'input_text', text }],
    }))
    expect(output).toMatchObject([...said, { type: 'compaction' }])
    expect(await world.charges()).toEqual([COST])
  })

  test('stays as it is if the model writes no summary', async () => {
    const world = await setUp(answerChat(''))
    const compacted = await openai(world).responses.compact({ model: MODEL, input })
    expect(compacted.output).toEqual(input)
  })
})

test('a request to compact without a conversation is refused', async () => {
  const world = await setUp(answerChat())
  const bodies = [{ model: MODEL }, { model: MODEL, input: 5 }, { input: 'hi' }, '{"model":']
  for (const body of bodies) {
    expect((await world.ask(body, { path: '/v1/responses/compact' })).status).toBe(400)
  }
  expect(world.upstream.requestsOf('p0')).toEqual([])
})
