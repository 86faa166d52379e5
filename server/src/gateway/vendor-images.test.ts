import { afterEach, describe, expect, test } from 'vitest'
import { DATABASES } from '../../testing/databases.ts'
import {
  ask,
  books,
  readError,
  setUp,
  type Setup,
  tearDown,
  type World,
} from '../../testing/relay-scenario.ts'
import { answerJson, type Behaviour } from '../../testing/scripted-upstream.ts'

/*
 * Images of vendors with words of their own, as clients of OpenAI ask for them.
 */

afterEach(tearDown)

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

describe.each(DATABASES)('images of MiniMax on %s', (kind) => {
  const model = 'image-01'
  const asked = { model, prompt: 'a cat', n: 3, size: '1024x1536' }
  const open = (script: Behaviour[], setup: Setup = {}) =>
    setUp([{ script, models: model, type: 27 }], {
      kind,
      options: [['ModelRatio', JSON.stringify({ [model]: 1.75 })]],
      ...setup,
    })

  test('are asked for by their shape, and paid as they came', async () => {
    const image_urls = ['https://a.example/1.jpeg', 'https://a.example/2.jpeg']
    const made = { success_count: '2', failed_count: '1' }
    const base_resp = { status_code: 0, status_msg: 'success' }
    const script = [answerJson({ id: 'i', data: { image_urls }, metadata: made, base_resp })]
    const world = await open(script, { quota: 5250 })
    const answer = await ask(world, asked, { path: GENERATIONS })
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
    const { log } = await books(world)
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
    const answer = await ask(world, asked, { path: GENERATIONS })
    expect(answer.status).toBe(status)
    expect((await books(world)).log).toMatchObject({ quota: 0, outcome: 'void' })
  })

  test('are nine at most, of fifteen hundred characters', async () => {
    const world = await open([answerJson({})])
    for (const more of [{ n: 10 }, { prompt: 'a'.repeat(1501) }]) {
      const answer = await ask(world, { ...asked, ...more }, { path: GENERATIONS })
      expect(answer.status).toBe(400)
    }
    expect(world.upstream.requestsOf('p0')).toHaveLength(0)
  })
})

describe.each(DATABASES)('images changed by Alibaba on %s', (kind) => {
  const model = 'qwen-image-edit-plus'
  const open = (script: Behaviour[], setup: Setup = {}) =>
    setUp([{ script, models: model, type: 17 }], {
      kind,
      quota: 45_000,
      options: [
        ['ModelRatio', JSON.stringify({ [model]: 15 })],
        ['PreConsumedQuota', '0'],
      ],
      ...setup,
    })
  const content = [{ image: 'https://oss.example/a.png' }, { image: 'https://oss.example/b.png' }]
  const done = answerJson({ output: { choices: [{ message: { role: 'assistant', content } }] } })

  test('are sent as data, come at once, and are paid as they came', async () => {
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
    const { log } = await books(world)
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
    expect((await books(world)).log).toMatchObject({ quota: 0, outcome: 'void' })
  })
})
