import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { answerError, answerJson } from '../../../../testing/fakes/scripted-upstream.ts'
import { setUp, type World } from '../../../../testing/worlds/relay-scenario.ts'

const MODEL = 'omni-moderation-latest'
const VERDICT = {
  id: 'modr-1',
  model: MODEL,
  results: [{ flagged: true, categories: { violence: true }, category_scores: { violence: 0.9 } }],
}

const clientOf = ({ url, key }: World) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })

const path = '/v1/moderations'

describe('moderations', () => {
  const open = (ratio?: number) =>
    setUp([{ script: [answerJson(VERDICT)], models: MODEL }], {
      options: ratio === undefined ? [] : [['ModelRatio', JSON.stringify({ [MODEL]: ratio })]],
    })

  test('cost nothing and hold nothing: the official client receives the unchanged verdict', async () => {
    const world = await open()
    const verdict = await clientOf(world).moderations.create({ model: MODEL, input: 'a fight' })
    expect(verdict).toEqual(VERDICT)
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe(path)
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({ model: MODEL, input: 'a fight' })
    expect((await world.books()).log).toMatchObject({ quota: 0 })
  })

  test('texts are counted and charged if an operator has set a price', async () => {
    const world = await open(100)
    await clientOf(world).moderations.create({
      model: MODEL,
      input: [
        { type: 'text', text: 'a fight' },
        { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
      ],
    })
    // Two tokens and the line end, at 100 each.
    expect((await world.books()).log).toMatchObject({ quota: 300, prompt_tokens: 3 })
  })

  test('a request without a model uses the usual model', async () => {
    const world = await open()
    expect((await world.ask({ input: 'hi' }, { path })).status).toBe(200)
    const [sent] = world.upstream.requestsOf('p0')
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({ input: 'hi', model: MODEL })
    expect((await world.books()).log).toMatchObject({ quota: 0 })
  })
})

test.each([
  [{}, 'input', 'missing_required_parameter'],
  [{ input: 7 }, 'input', 'invalid_type'],
  [{ input: [] }, 'input', 'invalid_type'],
  [{ input: 'hi', model: 7 }, 'model', 'invalid_type'],
  [{ input: 'hi', stream: true }, 'stream', 'unsupported_parameter'],
])('refuses %j and names the invalid member', async (body, param, code) => {
  const world = await setUp([{ script: [answerJson(VERDICT)], models: MODEL }])
  const answer = await world.ask(body, { path })
  expect(answer.status).toBe(400)
  expect(await answer.json()).toMatchObject({ error: { param, code } })
  expect(world.upstream.requestsOf('p0')).toHaveLength(0)
})

test('an answer without results is a failure, and costs nothing', async () => {
  const world = await setUp(
    [{ script: [answerJson({ id: 'x' }), answerError(500, {})], models: MODEL }],
    { options: [['ModelRatio', JSON.stringify({ [MODEL]: 100 })]] },
  )
  expect((await world.ask({ input: 'hi' }, { path })).status).toBeGreaterThanOrEqual(500)
  expect((await world.books()).log).toMatchObject({ quota: 0 })
})
