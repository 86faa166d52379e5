import { afterEach, describe, expect, test } from 'vitest'
import { DATABASES } from '../../testing/databases.ts'
import { ask, books, setUp, type Setup, tearDown } from '../../testing/relay-scenario.ts'
import { answerJson, type Behaviour } from '../../testing/scripted-upstream.ts'

/*
 * Images of vendors with words of their own, as clients of OpenAI ask for them.
 */

afterEach(tearDown)

const GENERATIONS = '/v1/images/generations'

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
