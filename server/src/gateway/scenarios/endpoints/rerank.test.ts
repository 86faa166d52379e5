import { describe, expect, test } from 'vitest'
import { answerJson } from '../../../../testing/fakes/scripted-upstream.ts'
import { setUp } from '../../../../testing/worlds/relay-scenario.ts'

const path = '/v1/rerank'
const DOCUMENTS = ['Berlin is a city.', 'Cats sleep.', 'Rain falls.']
const ASKED = { query: 'Where is Berlin?', documents: DOCUMENTS, top_n: 2 }
const RESULTS = [
  { index: 0, relevance_score: 0.98 },
  { index: 2, relevance_score: 0.01 },
]

describe('rerank', () => {
  test('is charged by the tokens Jina reports, and passed through unchanged', async () => {
    const model = 'jina-reranker-v3'
    const results = [{ index: 0, relevance_score: 0.98, document: { text: DOCUMENTS[0] } }]
    const given = { model, object: 'list', results, usage: { total_tokens: 400 } }
    const world = await setUp([{ script: [answerJson(given)], models: model }])
    const answer = await world.ask({ ...ASKED, model }, { path })
    expect(await answer.json()).toMatchObject(given)
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe(path)
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({ ...ASKED, model })
    await world.expectLog({ quota: 10, prompt_tokens: 400, usage_source: 'reported' })
  })

  test.each(['/v1/rerank', '/v2/rerank', '/rerank', '/rerank/'])(
    'is charged per search at Cohere, whose clients may call %s',
    async (to) => {
      const model = 'rerank-v3.5'
      const given = {
        id: 'cohere-1',
        results: RESULTS,
        meta: { api_version: { version: '2' }, billed_units: { search_units: 1 } },
      }
      const world = await setUp([{ script: [answerJson(given)], models: model }])
      const answer = await world.ask({ ...ASKED, model }, { path: to })
      expect(await answer.json()).toEqual({ ...given, model })
      // $2 per thousand searches.
      await world.expectLog({
        quota: 1000,
        usage_source: 'reported',
        measured: { unit: 'search', count: 1 },
      })
    },
  )

  test("Cohere's fifth version is paid by the token", async () => {
    const model = 'rerank-v5.0-pro'
    const given = { results: RESULTS, meta: { billed_units: { input_tokens: 400 } } }
    const world = await setUp([{ script: [answerJson(given)], models: model }])
    expect((await world.ask({ ...ASKED, model }, { path })).status).toBe(200)
    // $0.05 per million tokens.
    await world.expectLog({ quota: 10, prompt_tokens: 400, usage_source: 'reported' })
  })

  test('an implausible number of searches is not charged', async () => {
    const model = 'rerank-v3.5'
    const given = { results: RESULTS, meta: { billed_units: { search_units: 5000 } } }
    const world = await setUp([{ script: [answerJson(given)], models: model }])
    await world.ask({ ...ASKED, model }, { path })
    await world.expectLog({ quota: 1000 })
  })

  test('every compared field of a document is charged', async () => {
    const model = 'rerank-v3.5'
    const given = { results: RESULTS, meta: { billed_units: { search_units: 3 } } }
    const world = await setUp([{ script: [answerJson(given)], models: model }])
    const documents = [{ text: 'a', body: 'b'.repeat(100_000) }]
    const asked = { model, query: 'a', documents, rank_fields: ['body'] }
    await world.ask(asked, { path })
    await world.expectLog({ quota: 3000 })
  })

  test('unreported usage is counted, per search or per token', async () => {
    const models = 'rerank-v3.5,jina-reranker-m0'
    const world = await setUp([{ script: [answerJson({ results: RESULTS })], models }], {
      options: [['ModelRatio', JSON.stringify({ 'jina-reranker-m0': 100 })]],
    })
    const documents = Array.from({ length: 101 }, () => 'a')
    const searched = await world.ask({ model: 'rerank-v3.5', query: 'a', documents }, { path })
    expect(await searched.json()).toMatchObject({
      model: 'rerank-v3.5',
      meta: { billed_units: { search_units: 2 } },
    })
    await world.expectLog({ quota: 2000 })
    const pair = { query: 'a', documents: ['b', 'c'] }
    const answer = await world.ask({ model: 'jina-reranker-m0', ...pair }, { path })
    // The query twice, two documents, and the line end between query and document, counted once.
    await world.expectLog({ prompt_tokens: 5, quota: 500 })
    expect(await answer.json()).toMatchObject({ usage: { prompt_tokens: 5, total_tokens: 5 } })
  })

  test('an alias is charged at the price of its model', async () => {
    const given = {
      results: RESULTS,
      meta: { billed_units: { search_units: 1 }, tokens: { input_tokens: 9000 } },
    }
    const channel = { models: 'gpt-4o-mini', mapping: 'rerank-v3.5' }
    const world = await setUp([{ script: [answerJson(given)], ...channel }])
    await world.ask({ ...ASKED, model: 'gpt-4o-mini' }, { path })
    await world.expectLog({ measured: { unit: 'search', count: 1 } })
  })

  test('a caller who cannot pay the largest possible cost is refused before a provider is asked', async () => {
    const model = 'rerank-v3.5'
    const setup = { quota: 999 }
    const world = await setUp([{ script: [answerJson({})], models: model }], setup)
    expect((await world.ask({ ...ASKED, model }, { path })).status).toBe(403)
    expect(world.upstream.requestsOf('p0')).toHaveLength(0)
    expect((await world.books()).account.quota).toBe(999)
  })
})
