import { describe, expect, test } from 'vitest'
import { answerJson, type Behaviour } from '../../../../testing/fakes/scripted-upstream.ts'
import {
  readError,
  setUp,
  type Setup,
  type World,
} from '../../../../testing/worlds/relay-scenario.ts'

/*
 * Images of providers with an API of their own, requested in OpenAI's format.
 */

const PNG = Buffer.from('\x89PNG\r\n\x1a\n--x\r\n', 'latin1')
const EDITS = '/v1/images/edits'
const GENERATIONS = '/v1/images/generations'

const edit = ({ url, key }: World, fields: Readonly<Record<string, string>>, mask = false) => {
  const body = new FormData()
  for (const [name, text] of Object.entries(fields)) body.set(name, text)
  body.set('image', new File([PNG], 'cat.png', { type: 'image/png' }))
  if (mask) body.set('mask', new File([PNG], 'mask.png', { type: 'image/png' }))
  const headers = { authorization: `Bearer ${key}` }
  return fetch(url + EDITS, { method: 'POST', body, headers })
}

describe('images of MiniMax', () => {
  const model = 'image-01'
  const asked = { model, prompt: 'a cat', n: 3, size: '1024x1536' }
  const open = (script: Behaviour[], setup: Setup = {}) =>
    setUp([{ script, models: model, type: 27 }], {
      options: [['ModelRatio', JSON.stringify({ [model]: 1.75 })]],
      ...setup,
    })

  test('are requested by aspect ratio, and charged by delivered images', async () => {
    const image_urls = ['https://a.example/1.jpeg', 'https://a.example/2.jpeg']
    const made = { success_count: '2', failed_count: '1' }
    const base_resp = { status_code: 0, status_msg: 'success' }
    const script = [answerJson({ id: 'i', data: { image_urls }, metadata: made, base_resp })]
    const world = await open(script, { quota: 5250 })
    const answer = await world.ask(asked, { path: GENERATIONS })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ data: image_urls.map((url) => ({ url })) })
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe('/v1/image_generation')
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({
      model,
      prompt: 'a cat',
      n: 3,
      aspect_ratio: '2:3',
      response_format: 'url',
    })
    const { log } = await world.books()
    expect(log).toMatchObject({ quota: 3500, prompt_tokens: 2000 })
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({
      held: 5250,
      measured: { unit: 'image', count: 2 },
    })
  })

  test.each([
    [1008, 'insufficient balance', 502],
    [1026, 'sensitive content', 400],
  ])('that fail with status 200 and %i cost nothing', async (status_code, status_msg, status) => {
    const world = await open([answerJson({ data: {}, base_resp: { status_code, status_msg } })])
    const answer = await world.ask(asked, { path: GENERATIONS })
    expect(answer.status).toBe(status)
    expect((await world.books()).log).toMatchObject({ quota: 0, outcome: 'void' })
  })

  test('are limited to nine, and the prompt to fifteen hundred characters', async () => {
    const world = await open([answerJson({})])
    for (const more of [{ n: 10 }, { prompt: 'a'.repeat(1501) }]) {
      const answer = await world.ask({ ...asked, ...more }, { path: GENERATIONS })
      expect(answer.status).toBe(400)
    }
    expect(world.upstream.requestsOf('p0')).toHaveLength(0)
  })
})

describe('images changed by Alibaba', () => {
  const model = 'qwen-image-edit-plus'
  const open = (script: Behaviour[], setup: Setup = {}) =>
    setUp([{ script, models: model, type: 17 }], {
      quota: 45_000,
      options: [
        ['ModelRatio', JSON.stringify({ [model]: 15 })],
        ['PreConsumedQuota', '0'],
      ],
      ...setup,
    })
  const content = [{ image: 'https://oss.example/a.png' }, { image: 'https://oss.example/b.png' }]
  const done = answerJson({ output: { choices: [{ message: { role: 'assistant', content } }] } })

  test('are sent as data, answered in the same call, and charged by delivered images', async () => {
    const world = await open([done])
    const answer = await edit(world, { model, prompt: 'a hat', n: '3', size: '1024x1024' })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({ data: content.map(({ image: url }) => ({ url })) })
    const [sent, ...others] = world.upstream.requestsOf('p0')
    expect(others).toHaveLength(0)
    expect(sent?.path).toBe('/api/v1/services/aigc/multimodal-generation/generation')
    expect(sent?.headers).toMatchObject({ 'content-type': 'application/json' })
    const image = `data:image/png;base64,${PNG.toString('base64')}`
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({
      model,
      input: { messages: [{ role: 'user', content: [{ image }, { text: 'a hat' }] }] },
      parameters: { n: 3, size: '1024*1024' },
    })
    const { log } = await world.books()
    expect(log).toMatchObject({ quota: 30_000, prompt_tokens: 2000 })
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({
      held: 45_000,
      measured: { unit: 'image', count: 2 },
    })
  })

  test('are refused with a mask', async () => {
    const world = await open([done])
    const answer = await edit(world, { model, prompt: 'a hat' }, true)
    expect(answer.status).toBe(400)
    expect(await readError(answer)).toMatchObject({ param: 'mask' })
    expect(world.upstream.requestsOf('p0')).toHaveLength(0)
    expect((await world.books()).log).toMatchObject({ quota: 0, outcome: 'void' })
  })
})

describe('images of Gemini', () => {
  const model = 'gemini-2.5-flash-image'
  const open = (script: Behaviour[], setup: Setup = {}) =>
    setUp([{ script, models: `${model},imagen-4.0-generate-001`, type: 24 }], {
      quota: 1_000_000,
      options: [['PreConsumedQuota', '0']],
      ...setup,
    })
  const drawn = (usageMetadata?: object) =>
    answerJson({
      candidates: [
        {
          content: { parts: [{ inlineData: { mimeType: 'image/png', data: 'aW1n' } }] },
          finishReason: 'STOP',
        },
      ],
      usageMetadata,
    })
  const USAGE = {
    promptTokenCount: 263,
    candidatesTokenCount: 1290,
    totalTokenCount: 1553,
    promptTokensDetails: [{ modality: 'IMAGE', tokenCount: 258 }],
  }

  test('are edited by generateContent, and charged by reported tokens', async () => {
    const world = await open([drawn(USAGE)])
    const answer = await edit(world, { model, prompt: 'a hat', size: '1024x1024' })
    expect(answer.status).toBe(200)
    expect(await answer.json()).toMatchObject({
      data: [{ b64_json: 'aW1n' }],
      usage: { input_tokens: 263, output_tokens: 1290 },
    })
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe(`/v1beta/models/${model}:generateContent`)
    const inlineData = { mimeType: 'image/png', data: PNG.toString('base64') }
    expect(JSON.parse(sent?.body.toString() ?? '')).toMatchObject({
      contents: [{ role: 'user', parts: [{ inlineData }, { text: 'a hat' }] }],
      generationConfig: {
        responseModalities: ['TEXT', 'IMAGE'],
        maxOutputTokens: 4096,
        imageConfig: { aspectRatio: '1:1' },
      },
    })
    const { log } = await world.books()
    // (263 + 1290 × 100) × 0.15
    expect(log).toMatchObject({ quota: 19_390, prompt_tokens: 263, completion_tokens: 1290 })
    // The prompt 5 + 256, an image of 8192, and 4096 tokens at 100; all at 0.15.
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({
      usage_source: 'reported',
      held: Math.ceil(((261 + 8192) * (1 / 0.3) + 409_600) * 0.15),
    })
  })

  test('are made from a text, and charged as one image if nothing is reported', async () => {
    const world = await open([drawn()])
    const asked = { model, prompt: 'a cat', n: 1 }
    expect((await world.ask(asked, { path: GENERATIONS })).status).toBe(200)
    const { log } = await world.books()
    expect(log).toMatchObject({ prompt_tokens: 2, completion_tokens: 1290 })
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({ usage_source: 'counted' })
  })

  test.each([
    ['n', { n: 2 }],
    ['stream', { stream: true }],
    ['response_format', { response_format: 'url' }],
  ])('are refused for a %s that Gemini does not have', async (param, more) => {
    const world = await open([drawn(USAGE)])
    const answer = await world.ask({ model, prompt: 'a', ...more }, { path: GENERATIONS })
    expect(answer.status).toBe(400)
    expect(await readError(answer)).toMatchObject({ param })
    expect(world.upstream.requestsOf('p0')).toHaveLength(0)
  })

  test('are refused with a mask, and from Imagen, which edits none', async () => {
    const world = await open([drawn(USAGE)])
    const masked = await edit(world, { model, prompt: 'a hat' }, true)
    expect(masked.status).toBe(400)
    expect(await readError(masked)).toMatchObject({ param: 'mask' })
    const imagen = await edit(world, { model: 'imagen-4.0-generate-001', prompt: 'a hat' })
    expect(imagen.status).toBe(400)
    expect(await readError(imagen)).toMatchObject({ param: 'model' })
    expect(world.upstream.requestsOf('p0')).toHaveLength(0)
  })

  test('blocked images cost nothing', async () => {
    const refusal = { candidates: [{ finishReason: 'IMAGE_SAFETY' }], usageMetadata: USAGE }
    const world = await open([answerJson(refusal)])
    const answer = await world.ask({ model, prompt: 'a' }, { path: GENERATIONS })
    expect(answer.status).toBe(400)
    expect((await world.books()).log).toMatchObject({ quota: 0, outcome: 'void' })
  })

  test("unsafe requests do not affect the channel's health, and are not retried", async () => {
    const parts = [{ text: 'An essay.' }]
    const words = { candidates: [{ content: { parts }, finishReason: 'STOP' }] }
    const retries: Setup['options'] = [['RetryTimes', '3']]
    const world = await open([answerJson(words), drawn(USAGE)], { options: retries })
    const answer = await world.ask({ model, prompt: 'an essay' }, { path: GENERATIONS })
    expect(answer.status).toBe(400)
    expect((await readError(answer)).message).not.toContain('essay')
    expect(world.upstream.requestsOf('p0')).toHaveLength(1)
    expect((await world.books()).log).toMatchObject({ quota: 0, outcome: 'void' })
  })
})
