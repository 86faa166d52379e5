import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { answerJson } from '../../../../testing/fakes/scripted-upstream.ts'
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
    await world.expectLog({ quota: 0 })
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
    await world.expectLog({ quota: 300, prompt_tokens: 3 })
  })

  test('a request without a model uses the usual model', async () => {
    const world = await open()
    expect((await world.ask({ input: 'hi' }, { path })).status).toBe(200)
    expect(world.sent()).toEqual({ input: 'hi', model: MODEL })
    await world.expectLog({ quota: 0 })
  })
})

const OCR_PATH = '/v1/ocr'
const OCR = 'mistral-ocr-latest'
const DOCUMENT = { type: 'document_url', document_url: 'https://example.com/a.pdf' }
const pages = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ index, markdown: `# ${index}`, images: [] }))
const answered = (count: number, reported: unknown = count) => ({
  pages: pages(count),
  model: OCR,
  usage_info: { pages_processed: reported, doc_size_bytes: 10 },
})

/** $0.004 at 500,000 units to the dollar. */
const PAGE_UNITS = 2000

describe('OCR', () => {
  test('is passed through unchanged and charged by the reported page', async () => {
    const world = await setUp([{ script: [answerJson(answered(3))], models: OCR }])
    const asked = { model: OCR, document: DOCUMENT, pages: [0, 1, 2], include_image_base64: true }
    const answer = await world.ask(asked, { path: OCR_PATH })
    expect(await answer.json()).toEqual(answered(3))
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe(OCR_PATH)
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual(asked)
    await world.expectLog({
      quota: 3 * PAGE_UNITS,
      endpoint: 'ocr',
      measured: { unit: 'page', count: 3 },
    })
  })

  test.each([
    ['annotated pages of version 4', OCR, { document_annotation_format: {} }, answered(2), 5000],
    ['those of version 3', 'mistral-ocr-3', { bbox_annotation_format: {} }, answered(2), 3000],
    ['unreported pages', OCR, {}, { pages: pages(2) }, 4000],
    ['an implausible report', OCR, { pages: '0-1' }, answered(2, 5000), 4000],
    ['a report that is no number', OCR, { pages: [4, 7] }, answered(2, '9'), 4000],
    ['a report of nothing', OCR, {}, answered(2, 0), 0],
  ])('%s cost what was delivered', async (_, model, members, given, quota) => {
    const world = await setUp([{ script: [answerJson(given)], models: model }], {
      quota: 1000 * 1.5 * PAGE_UNITS,
    })
    const answer = await world.ask({ model, document: DOCUMENT, ...members }, { path: OCR_PATH })
    expect(answer.status).toBe(200)
    await world.expectLog({ quota })
  })

  test('a document needs a balance for all pages that it may have', async () => {
    const world = await setUp([{ script: [answerJson(answered(1))], models: OCR }], {
      quota: 10 * PAGE_UNITS,
    })
    const refused = await world.ask({ model: OCR, document: DOCUMENT }, { path: OCR_PATH })
    expect(refused.status).toBe(403)
    expect(world.upstream.requestsOf('p0')).toEqual([])
    const asImage = { type: 'image_url', image_url: 'data:application/pdf;base64,AA==' }
    const hidden = await world.ask({ model: OCR, document: asImage }, { path: OCR_PATH })
    expect(hidden.status).toBe(403)
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
    const served = await world.ask({ model: OCR, document: image }, { path: OCR_PATH })
    expect(served.status).toBe(200)
    await world.expectLog({ quota: PAGE_UNITS })
  })
})
