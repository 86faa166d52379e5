import { describe, expect, test } from 'vitest'
import { answerJson } from '../../../../testing/fakes/scripted-upstream.ts'
import { setUp } from '../../../../testing/worlds/relay-scenario.ts'

const path = '/v1/ocr'
const MODEL = 'mistral-ocr-latest'
const DOCUMENT = { type: 'document_url', document_url: 'https://example.com/a.pdf' }
const pages = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ index, markdown: `# ${index}`, images: [] }))
const answered = (count: number, reported: unknown = count) => ({
  pages: pages(count),
  model: MODEL,
  usage_info: { pages_processed: reported, doc_size_bytes: 10 },
})

/** $0.004 at 500,000 units to the dollar. */
const PAGE_UNITS = 2000

describe('OCR', () => {
  test('is passed through unchanged and charged by the reported page', async () => {
    const world = await setUp([{ script: [answerJson(answered(3))], models: MODEL }])
    const asked = { model: MODEL, document: DOCUMENT, pages: [0, 1, 2], include_image_base64: true }
    const answer = await world.ask(asked, { path })
    expect(await answer.json()).toEqual(answered(3))
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe(path)
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual(asked)
    const { log } = await world.books()
    expect(log).toMatchObject({ quota: 3 * PAGE_UNITS, endpoint: 'ocr' })
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({ measured: { unit: 'page', count: 3 } })
  })

  test.each([
    ['annotated pages of version 4', MODEL, { document_annotation_format: {} }, answered(2), 5000],
    [
      'annotated pages of version 3',
      'mistral-ocr-3',
      { bbox_annotation_format: {} },
      answered(2),
      3000,
    ],
    ['unreported pages', MODEL, {}, { pages: pages(2) }, 4000],
    ['an implausible report', MODEL, { pages: '0-1' }, answered(2, 5000), 4000],
    ['a report that is no number', MODEL, { pages: [4, 7] }, answered(2, '9'), 4000],
    ['a report of nothing', MODEL, {}, answered(2, 0), 0],
  ])('%s cost what was delivered', async (_, model, members, given, quota) => {
    const world = await setUp([{ script: [answerJson(given)], models: model }], {
      quota: 1000 * 1.5 * PAGE_UNITS,
    })
    const answer = await world.ask({ model, document: DOCUMENT, ...members }, { path })
    expect(answer.status).toBe(200)
    expect((await world.books()).log).toMatchObject({ quota })
  })

  test('a document needs a balance for all pages that it may have', async () => {
    const world = await setUp([{ script: [answerJson(answered(1))], models: MODEL }], {
      quota: 10 * PAGE_UNITS,
    })
    const refused = await world.ask({ model: MODEL, document: DOCUMENT }, { path })
    expect(refused.status).toBe(403)
    expect(world.upstream.requestsOf('p0')).toEqual([])
    const asImage = { type: 'image_url', image_url: 'data:application/pdf;base64,AA==' }
    const hidden = await world.ask({ model: MODEL, document: asImage }, { path })
    expect(hidden.status).toBe(403)
    const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } }
    const served = await world.ask({ model: MODEL, document: image }, { path })
    expect(served.status).toBe(200)
    expect((await world.books()).log).toMatchObject({ quota: PAGE_UNITS })
  })

  test.each([
    ['document', { document: undefined }],
    ['document.type', { document: { type: 'chunk' } }],
    ['document.type', { document: { type: 'file', file_id: 'file-1' } }],
    ['document.document_url', { document: { type: 'document_url', document_url: '' } }],
    ['document.image_url', { document: { type: 'image_url', image_url: { url: 1 } } }],
    ['pages', { pages: [] }],
    ['pages', { pages: [-1] }],
    ['pages', { pages: 'all' }],
    ['pages', { pages: Array.from({ length: 1001 }, (_, page) => page) }],
    ['stream', { stream: true }],
  ])('the field %s of a wrong request is named', async (param, members) => {
    const world = await setUp([{ script: [], models: MODEL }])
    const answer = await world.ask({ model: MODEL, document: DOCUMENT, ...members }, { path })
    expect(answer.status).toBe(400)
    expect(await answer.json()).toMatchObject({ error: { param } })
    expect(world.upstream.requestsOf('p0')).toEqual([])
  })
})
