import { describe, expect, test } from 'vitest'
import {
  answerError,
  answerJson,
  type Behaviour,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { expectJson, MODEL, setUp, type World } from '../../../../testing/worlds/relay-scenario.ts'

const MAPPED = 'gemini-embedding-001'
const google = (...script: Behaviour[]) => ({ type: 24, mapping: MAPPED, script, priority: 9 })

const answers =
  (text: string): Behaviour =>
  (response) =>
    void response.writeHead(200, { 'content-type': 'application/json' }).end(text)

const ofOpenai = answerJson({
  object: 'list',
  data: [0, 1].map((index) => ({ object: 'embedding', index, embedding: [index, 0.5] })),
  model: MODEL,
  usage: { prompt_tokens: 10, total_tokens: 10 },
})

const ask = ({ url, key }: World, method: string, body: string) =>
  fetch(`${url}/v1beta/models/${MODEL}:${method}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': key, 'content-type': 'application/json' },
    body,
  })

/** Formatted as no program would, with a member that the gateway does not know. */
const one = (model: string, text = 'a', rest = '') =>
  `{ "content" : {"parts":[{"text":"${text}"}]},  "model":"models/${model}", "taskType":"CLUSTERING",` +
  ` "outputDimensionality":  2, "novelty":{"b":[1.0, 12345678901234567890]}${rest} }`
const many = (model: string, rest = '') =>
  `{"requests" : [ ${one(model)} ,${one(model, 'b', rest)}] , "novel":2e1}`

const REPORT = '"usageMetadata" : {"promptTokenCount":10}'
const CALLS = [
  { method: 'embedContent', body: one, answer: `{ "embedding":{"values":[0.50, 1]}, ${REPORT} }` },
  {
    method: 'batchEmbedContents',
    body: many,
    answer: `{ "embeddings":[{"values":[0.50]}, {"values":[1e0],"x":1}], ${REPORT} }`,
  },
]

describe.each(CALLS)('$method of Google', ({ method, body, answer }) => {
  test('bytes pass through, and cost the same as on other channels', async () => {
    const world = await setUp([
      google(answers(answer), answerError(500, {})),
      { script: [ofOpenai] },
    ])
    const response = await ask(world, method, body(MODEL))
    expect(await response.text()).toBe(answer)
    const [request] = world.upstream.requestsOf('p0')
    expect(request?.path.endsWith(`/v1beta/models/${MAPPED}:${method}`)).toBe(true)
    expect(request?.body.toString()).toBe(body(MAPPED))
    // A provider of another dialect gets the request translated.
    expect((await ask(world, method, body(MODEL))).status).toBe(200)
    const told = world.upstream.requestsOf('p1')[0]?.body.toString() ?? ''
    expect(JSON.parse(told)).toEqual({
      model: MODEL,
      input: method === 'embedContent' ? 'a' : ['a', 'b'],
      dimensions: 2,
    })
    const { logs } = await world.books()
    expect(logs).toMatchObject([{ prompt_tokens: 10 }, { prompt_tokens: 10 }])
    const [native, translated] = logs.map(({ quota }) => quota)
    expect(native).toBeGreaterThan(0)
    expect(native).toBe(translated)
  })

  test('unreported tokens are counted', async () => {
    const silent = answer.replace(`, ${REPORT}`, '')
    const world = await setUp([google(answers(silent))])
    expect(await (await ask(world, method, body(MODEL))).text()).toBe(silent)
    const { log } = await world.books()
    expect(log?.prompt_tokens).toBe(method === 'embedContent' ? 1 : 2)
    expect(log?.quota).toBeGreaterThan(0)
  })
})

describe('a title', () => {
  const title = 'word '.repeat(50)
  const content = { parts: [{ text: 'a' }] }
  const silent = answers('{"embeddings":[{"values":[1]},{"values":[1]}]}')

  test.each([
    ['of one text', 'embedContent', { content, title }, 52],
    ['of several', 'batchEmbedContents', { requests: [1, 2].map(() => ({ content, title })) }, 104],
    ['of one of them', 'batchEmbedContents', { requests: [{ content, title }, { content }] }, 53],
    ['in the options', 'embedContent', { content, embedContentConfig: { title } }, 52],
  ])('is counted with the texts and charged like them: %s', async (_what, method, body, tokens) => {
    const world = await setUp([google(silent)])
    expect((await ask(world, method, JSON.stringify(body))).status).toBe(200)
    expect(world.upstream.requestsOf('p0')[0]?.body.toString()).toContain(title)
    await world.expectLog({ prompt_tokens: tokens, uncollected: 0 })
  })

  test('from an OpenAI client is included in the hold for each text', async () => {
    const world = await setUp([google(silent)], { options: [['PreConsumedQuota', '0']] })
    const body = JSON.stringify({ model: MODEL, input: ['a', 'b'], title })
    const asked = await fetch(`${world.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
      body,
    })
    expect(asked.status).toBe(200)
    const { log } = await world.books()
    expect(log?.prompt_tokens).toBe(104)
    const most = body.length + 2 * title.length
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({ held: Math.ceil(most * 0.075) })
  })
})

test('requests with options of Google go to Google only', async () => {
  const unlike = many(MODEL, ',"title":"t"')
  const { answer } = CALLS[1] ?? { answer: '' }
  const world = await setUp([{ script: [ofOpenai], priority: 99 }, google(answers(answer))])
  expect(await (await ask(world, 'batchEmbedContents', unlike)).text()).toBe(answer)
  expect(world.calls()).toEqual([0, 1])
  const alone = await setUp(ofOpenai)
  await expectJson(ask(alone, 'batchEmbedContents', unlike), 400, {
    error: { status: 'INVALID_ARGUMENT' },
  })
  await world.books()
})

test('repeated members reach Google as they were counted', async () => {
  const text = 'word '.repeat(50)
  const body = `{"content":{"parts":[{"text":"${text}"}],"parts":[{"text":"a"}]}}`
  const world = await setUp([google(answers('{"embeddings":[{"values":[1]}]}'))])
  expect(await (await ask(world, 'embedContent', body)).json()).toEqual({
    embedding: { values: [1] },
  })
  expect(world.upstream.requestsOf('p0')[0]?.body.toString()).not.toContain('word')
  expect((await world.books()).log?.prompt_tokens).toBe(1)
})
