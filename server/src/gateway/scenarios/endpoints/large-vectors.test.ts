import { describe, expect, test } from 'vitest'
import { answerJson } from '../../../../testing/fakes/scripted-upstream.ts'
import { MODEL, setUp } from '../../../../testing/worlds/relay-scenario.ts'

const TEXTS = 400
const DIMENSIONS = 4096
const vector = Array.from({ length: DIMENSIONS }, (_, at) => at / 1024)
const ofOllama = answerJson({
  model: 'm',
  embeddings: Array(TEXTS).fill(vector),
  prompt_eval_count: TEXTS,
})
const OLLAMA = { type: 30, script: [ofOllama] }

describe('vectors with more numbers than a chat may have values', () => {
  test('reach a client that needs them translated', async () => {
    const world = await setUp([OLLAMA], { quota: 1e9 })
    const body = { model: MODEL, input: Array(TEXTS).fill('a'), encoding_format: 'float' }
    const response = await world.ask(body, { path: '/v1/embeddings' })
    expect(response.status).toBe(200)
    const { data, usage } = JSON.parse(await response.text())
    expect(data).toHaveLength(TEXTS)
    expect(data.at(-1)).toEqual({ object: 'embedding', index: TEXTS - 1, embedding: vector })
    expect(usage.prompt_tokens).toBe(TEXTS)
    const { log } = await world.books()
    expect(log).toMatchObject({ prompt_tokens: TEXTS, outcome: 'settled' })
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({ usage_source: 'reported' })
  })
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
