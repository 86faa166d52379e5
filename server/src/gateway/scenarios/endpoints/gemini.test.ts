import { ApiError, GoogleGenAI } from '@google/genai'
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
  WHOLE_STREAM,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { COST, MODEL, setUp, type World } from '../../../../testing/worlds/relay-scenario.ts'

type ApiVersion = 'v1' | 'v1beta'

const sdk = ({ url, key }: Pick<World, 'url' | 'key'>, apiVersion: ApiVersion = 'v1beta') =>
  new GoogleGenAI({ apiKey: key, apiVersion, httpOptions: { baseUrl: url } })

const QUESTION = { model: MODEL, contents: 'hi', config: { maxOutputTokens: 50 } }
const WIRE = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'hi' }] }] })

const post = (url: string, headers: Record<string, string> = {}) =>
  fetch(url, {
    method: 'POST',
    body: WIRE,
    headers: { ...headers, 'content-type': 'application/json' },
  })
const USAGE_TOLD = {
  promptTokenCount: USAGE.prompt_tokens,
  candidatesTokenCount: USAGE.completion_tokens,
  totalTokenCount: USAGE.total_tokens,
}

async function allOf<Item>(stream: AsyncIterable<Item>): Promise<Item[]> {
  const items: Item[] = []
  for await (const item of stream) items.push(item)
  return items
}

const requestsOf = ({ upstream }: World): unknown[] =>
  upstream.requestsOf('p0').map(({ body }): unknown => JSON.parse(body.toString()))

describe("Google's official client", () => {
  test('receives answers and streams of an OpenAI channel, and is charged their cost', async () => {
    const world = await setUp([{ script: [answerAsAsked] }])
    const { models } = sdk(world)
    const whole = await models.generateContent(QUESTION)
    expect(whole.text).toBe('Hello there')
    expect(whole.candidates?.[0]?.finishReason).toBe('STOP')
    expect(whole.usageMetadata).toEqual(USAGE_TOLD)
    const pieces = await allOf(await models.generateContentStream(QUESTION))
    expect(pieces.map(({ text }) => text)).toEqual(['Hello', ' there', ''])
    expect(pieces.at(-1)?.candidates?.[0]?.finishReason).toBe('STOP')
    expect(pieces.at(-1)?.usageMetadata).toEqual(USAGE_TOLD)
    const { logs } = await world.books()
    expect(logs.map(({ quota }) => quota)).toEqual([COST, COST])
    expect(requestsOf(world)[0]).toEqual({
      model: MODEL,
      messages: [{ role: 'user', content: 'hi' }],
      max_tokens: 50,
    })
  })
})

test('a stream without a usage report reports the counted usage', async () => {
  const events = [chunk({ content: 'Hello' }), chunk({ finish: 'stop' }), DONE]
  const world = await setUp([{ script: [answerStream(events)] }])
  const pieces = await allOf(await sdk(world).models.generateContentStream(QUESTION))
  const usage = pieces.at(-1)?.usageMetadata
  const { logs } = await world.books()
  expect(logs).toMatchObject([
    { prompt_tokens: usage?.promptTokenCount, completion_tokens: usage?.candidatesTokenCount },
  ])
  expect(usage?.candidatesTokenCount).toBeGreaterThan(0)
})

test('texts are embedded and charged', async () => {
  const data = [0, 1].map((index) => ({ object: 'embedding', index, embedding: [index, 0.5] }))
  const usage = { prompt_tokens: 10, total_tokens: 10 }
  const world = await setUp([
    { script: [answerJson({ object: 'list', data, model: MODEL, usage })] },
  ])
  const { embeddings } = await sdk(world).models.embedContent({
    model: MODEL,
    contents: ['a', 'b'],
    config: { taskType: 'RETRIEVAL_QUERY', outputDimensionality: 2 },
  })
  expect(embeddings).toEqual([{ values: [0, 0.5] }, { values: [1, 0.5] }])
  expect(requestsOf(world)).toEqual([{ model: MODEL, input: ['a', 'b'], dimensions: 2 }])
  const one = await fetch(`${world.url}/v1beta/models/${MODEL}:embedContent`, {
    method: 'POST',
    headers: { 'x-goog-api-key': world.key, 'content-type': 'application/json' },
    body: JSON.stringify({ content: { parts: [{ text: 'a' }] } }),
  })
  expect(await one.json()).toEqual({ embedding: { values: [0, 0.5] } })
  const { logs } = await world.books()
  expect(logs).toMatchObject([{ prompt_tokens: 10 }, { prompt_tokens: 10 }])
})

test.each(['v1', 'v1beta'] as const)(
  "models are listed in Google's format at %s",
  async (version) => {
    const world = await setUp([{ script: [answerChat()] }])
    const { models } = sdk(world, version)
    expect((await models.generateContent(QUESTION)).text).toBe('Hello there')
    const listed = await allOf(await models.list())
    expect(listed.map(({ name }) => name)).toContain(`models/${MODEL}`)
    expect((await models.get({ model: MODEL })).name).toBe(`models/${MODEL}`)
    await expect(models.get({ model: 'nobody-serves-it' })).rejects.toMatchObject({ status: 404 })
    for (const path of ['/v1beta/models', `/v1/models?key=${world.key}`]) {
      const headers = path.includes('?') ? {} : { authorization: `Bearer ${world.key}` }
      const answer = await fetch(world.url + path, { headers })
      expect(await answer.json()).toMatchObject({ models: [{ name: `models/${MODEL}` }] })
    }
    const ours = await fetch(`${world.url}/v1/models`, {
      headers: { authorization: `Bearer ${world.key}` },
    })
    expect(await ours.json()).toMatchObject({ object: 'list', data: [{ id: MODEL }] })
  },
)

test("errors have Google's format, and the client recognizes them", async () => {
  const world = await setUp([{ script: [answerError(429, {}, { 'retry-after': '20' })] }])
  const failure = async (asking: Promise<unknown>) => {
    const error: unknown = await asking.catch((reason: unknown) => reason)
    if (!(error instanceof ApiError)) throw new Error('no error of the API')
    const told: unknown = JSON.parse(error.message)
    expect(told).toMatchObject({ error: { code: error.status } })
    return told
  }
  const { models } = sdk(world)
  expect(await failure(models.generateContent(QUESTION))).toMatchObject({
    error: { code: 429, status: 'RESOURCE_EXHAUSTED' },
  })
  const stranger = sdk({ ...world, key: 'sk-nobody' })
  expect(await failure(stranger.models.generateContentStream(QUESTION))).toMatchObject({
    error: { code: 401, status: 'UNAUTHENTICATED' },
  })
  const config = { tools: [{ codeExecution: {} }] }
  expect(await failure(models.generateContent({ ...QUESTION, config }))).toMatchObject({
    error: {
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: expect.stringContaining('tools.0.codeExecution'),
    },
  })
  const unknown = await fetch(`${world.url}/v1beta/nothing`, { method: 'POST' })
  expect(await unknown.json()).toMatchObject({ error: { code: 404, status: 'NOT_FOUND' } })
})

test('a stream that breaks off ends with an error, and the delivered part is charged', async () => {
  const world = await setUp([{ script: [answerStream([chunk({ content: 'Hello' })])] }], {
    options: [['RetryTimes', '0']],
  })
  const stream = await sdk(world).models.generateContentStream(QUESTION)
  await expect(allOf(stream)).rejects.toThrow(/upstream/i)
  const { logs } = await world.books()
  expect(logs).toMatchObject([{ completion_tokens: 1, outcome: 'settled' }])
})

test('without server-sent events a stream is a JSON array', async () => {
  const world = await setUp([{ script: [answerStream(WHOLE_STREAM)] }])
  const path = `/v1/models/${MODEL}:streamGenerateContent`
  const answer = await post(`${world.url}${path}?key=${world.key}`)
  expect(answer.headers.get('content-type')).toBe('application/json')
  expect(await answer.json()).toMatchObject([
    { candidates: [{ content: { parts: [{ text: 'Hello' }] } }] },
    { candidates: [{ content: { parts: [{ text: ' there' }] } }] },
    { candidates: [{ finishReason: 'STOP' }], usageMetadata: USAGE_TOLD },
  ])
  const refused = await post(`${world.url}${path}?key=sk-nobody`)
  expect(refused.status).toBe(401)
  const text = await refused.text()
  expect(JSON.parse(text)).toMatchObject([{ error: { code: 401 } }])
  expect(text).not.toContain('nobody')
})

test('a key is accepted wherever clients put it', async () => {
  const world = await setUp([{ script: [answerChat()] }])
  const url = `${world.url}/v1beta/models/${MODEL}:generateContent`
  const ways: [string, Record<string, string>][] = [
    ['', { 'x-goog-api-key': world.key }],
    ['', { authorization: `Bearer ${world.key}` }],
    [`?key=${world.key}`, {}],
    [`?x=1&key=${world.key.replace('sk-', '')}`, {}],
  ]
  for (const [search, headers] of ways) {
    const answer = await post(`${url}${search}`, headers)
    expect(answer.status, search).toBe(200)
  }
  const nothing = await post(url)
  expect(nothing.status).toBe(401)
  for (const { path } of world.upstream.requestsOf('p0')) expect(path).not.toContain('key=')
})
