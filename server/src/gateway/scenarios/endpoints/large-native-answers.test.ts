import { expect, test } from 'vitest'
import { answerJson } from '../../../../testing/fakes/scripted-upstream.ts'
import { MODEL, setUp } from '../../../../testing/worlds/relay-scenario.ts'

/* Answers passed through unchanged, with more JSON values than are parsed at once. */

const LIKELIEST = Array.from({ length: 20 }, (_, at) => ({
  token: `word${at}`,
  logProbability: -0.5 - at,
}))
const USAGE = { promptTokenCount: 200, candidatesTokenCount: 1000 }

const generated = (tokens: number) => ({
  candidates: [
    {
      content: { role: 'model', parts: [{ text: 'word '.repeat(1000) }] },
      finishReason: 'STOP',
      logprobsResult: {
        topCandidates: Array.from({ length: tokens }, () => ({ candidates: LIKELIEST })),
        chosenCandidates: Array(tokens).fill(LIKELIEST[0]),
      },
    },
  ],
  usageMetadata: USAGE,
})
const vectors = (count: number, dimensions: number) =>
  Array(count).fill({ values: Array.from({ length: dimensions }, (_, at) => at / 10_000) })
const requests = (count: number) =>
  Array(count).fill({ model: `models/${MODEL}`, content: { parts: [{ text: 'a' }] } })

const CHAT = { contents: [{ parts: [{ text: 'hi' }] }] }
const CLAUDE_CHAT = { model: MODEL, max_tokens: 5000, messages: [{ role: 'user', content: 'hi' }] }
const google = (method: string) => `/v1beta/models/${MODEL}:${method}`
const ROWS = [
  {
    title: 'vectors of Google',
    type: 24,
    path: google('batchEmbedContents'),
    body: { requests: requests(100) },
    answer: { embeddings: vectors(100, 3072), usageMetadata: { promptTokenCount: 200 } },
    tokens: { prompt_tokens: 200, completion_tokens: 0 },
  },
  {
    title: 'the likeliest tokens of an answer of Google',
    type: 24,
    path: google('generateContent'),
    body: CHAT,
    answer: generated(1000),
    tokens: { prompt_tokens: 200, completion_tokens: 1000 },
  },
  {
    title: 'the likeliest tokens of a very long one',
    type: 24,
    path: google('generateContent'),
    body: CHAT,
    answer: generated(12_000),
    tokens: { prompt_tokens: 200, completion_tokens: 1000 },
  },
  {
    title: 'many texts of Anthropic',
    type: 14,
    path: '/v1/messages',
    body: CLAUDE_CHAT,
    answer: {
      type: 'message',
      role: 'assistant',
      content: Array(20_000).fill({ type: 'text', text: 'a' }),
      stop_reason: 'end_turn',
      usage: { input_tokens: 10, output_tokens: 1000 },
    },
    tokens: { prompt_tokens: 10, completion_tokens: 1000 },
  },
]

test.each(ROWS)('$title are relayed and charged', async ({ type, path, body, answer, tokens }) => {
  const text = JSON.stringify(answer)
  const script = [answerJson(text)]
  const world = await setUp([{ type, script }], { quota: 1e9 })
  const response = await fetch(world.url + path, {
    method: 'POST',
    headers: {
      'x-goog-api-key': world.key,
      'x-api-key': world.key,
      'content-type': 'application/json',
    },
    body: JSON.stringify(body),
  })
  expect(response.status).toBe(200)
  expect((await response.text()) === text).toBe(true)
  await world.expectLog({ ...tokens, outcome: 'settled', usage_source: 'reported' })
})

const TEXTS = 400
const DIMENSIONS = 4096
const vector = Array.from({ length: DIMENSIONS }, (_, at) => at / 1024)
const ofOllama = answerJson({
  model: 'm',
  embeddings: Array(TEXTS).fill(vector),
  prompt_eval_count: TEXTS,
})
const OLLAMA = { type: 30, script: [ofOllama] }

test('vectors of more numbers than a chat may have are translated for a client', async () => {
  const world = await setUp([OLLAMA], { quota: 1e9 })
  const body = { model: MODEL, input: Array(TEXTS).fill('a'), encoding_format: 'float' }
  const response = await world.ask(body, { path: '/v1/embeddings' })
  expect(response.status).toBe(200)
  const { data, usage } = JSON.parse(await response.text())
  expect(data).toHaveLength(TEXTS)
  expect(data.at(-1)).toEqual({ object: 'embedding', index: TEXTS - 1, embedding: vector })
  expect(usage.prompt_tokens).toBe(TEXTS)
  await world.expectLog({ prompt_tokens: TEXTS, outcome: 'settled', usage_source: 'reported' })
})

test('vectors are encoded in base64 on request, and re-encoded for a Google client', async () => {
  const world = await setUp([OLLAMA], { quota: 1e9 })
  const packed = { model: MODEL, input: Array(TEXTS).fill('a'), encoding_format: 'base64' }
  const answer = await world.ask(packed, { path: '/v1/embeddings' })
  const { data } = JSON.parse(await answer.text())
  const bytes = Buffer.from(data.at(-1).embedding, 'base64')
  expect([bytes.length, bytes.readFloatLE(4 * 1024)]).toEqual([4 * DIMENSIONS, 1])
  const requests = Array(TEXTS).fill({
    model: `models/${MODEL}`,
    content: { parts: [{ text: 'a' }] },
  })
  const google = await fetch(`${world.url}/v1beta/models/${MODEL}:batchEmbedContents`, {
    method: 'POST',
    headers: { 'x-goog-api-key': world.key, 'content-type': 'application/json' },
    body: JSON.stringify({ requests }),
  })
  expect(google.status).toBe(200)
  expect(JSON.parse(await google.text()).embeddings.at(-1)).toEqual({ values: vector })
  await world.books()
})
