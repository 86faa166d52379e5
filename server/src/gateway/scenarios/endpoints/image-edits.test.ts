import { describe, expect, test } from 'vitest'
import { answerJson } from '../../../../testing/fakes/scripted-upstream.ts'
import { setUp, type Setup, type World } from '../../../../testing/worlds/relay-scenario.ts'

const path = '/v1/images/edits'
const ANSWER = answerJson({ created: 1_760_000_000, data: [{ b64_json: 'aW1hZ2U=' }] })

/** The first bytes of a PNG, up to its dimensions. */
function pngOf(width: number, height: number) {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), size])
}

const send = ({ url, key }: World, body: FormData, to = path) =>
  fetch(url + to, { method: 'POST', body, headers: { authorization: `Bearer ${key}` } })

describe('image edits', () => {
  test.each([
    // An image that cannot be read counts as 1024 × 1024.
    ['gemini-2.5-flash-image', 'high', 258 * (3 * 2 + 2 * 2)],
    ['gemini-3-pro-image', 'high', 2 * 1120],
    ['gpt-image-1', 'low', 65 + 2 * 129 + 65 + 129],
    ['gpt-image-1', 'high', 65 + 2 * 129 + 6240 + 65 + 129 + 4160],
    ['gpt-image-2', 'high', 54 * 27 + 32 * 32],
  ])(
    'count as input tokens for %s, fidelity %s, if usage is not reported: %i',
    async (model, fidelity, seen) => {
      const options: Setup['options'] = [
        ['ModelRatio', JSON.stringify({ [model]: 1 })],
        ['ImageRatio', JSON.stringify({ [model]: 2 })],
      ]
      const script = [ANSWER, ANSWER]
      const world = await setUp([{ script, models: model }], { quota: 1_000_000, options })
      const form = new FormData()
      form.set('model', model)
      form.set('prompt', 'hat')
      form.set('input_fidelity', fidelity)
      form.append('image[]', new File([pngOf(2048, 1024)], 'wide.png', { type: 'image/png' }))
      form.append('image[]', new File(['--'], 'unknown.png', { type: 'image/png' }))
      form.set('mask', new File(['--'], 'mask.png', { type: 'image/png' }))
      const sent = await send(world, form)
      expect(sent.status).toBe(200)
      const wide = `data:image/png;base64,${pngOf(2048, 1024).toString('base64')}`
      const named = [{ image_url: wide }, { file_id: 'file-1' }]
      const asked = { model, prompt: 'hat', input_fidelity: fidelity, images: named }
      expect((await world.ask(asked, { path, headers })).status).toBe(200)
      const { logs } = await world.books()
      expect(logs).toHaveLength(2)
      for (const log of logs) {
        expect(log).toMatchObject({ prompt_tokens: 1 + seen })
        expect(JSON.parse(log.basis)).toMatchObject({
          usage_source: 'counted',
          kinds: [{ kind: 'image_prompt', tokens: seen }],
        })
      }
    },
  )

  const pictures = (count: number, height: number) => {
    const picture = `data:image/png;base64,${pngOf(1024, height).toString('base64')}`
    return Array.from({ length: count }, () => ({ image_url: picture }))
  }
  const headers = { 'content-type': 'application/json' }

  test.each([
    ['gpt-image-1', 1],
    ['gpt-image-2', 2],
  ])('count for %s %i times if two of three requested images arrive', async (model, times) => {
    const options: Setup['options'] = [['ModelRatio', JSON.stringify({ [model]: 1 })]]
    const two = answerJson({ created: 1, data: [{ b64_json: 'YQ==' }, { b64_json: 'Yg==' }] })
    const quota = 1_000_000
    const world = await setUp([{ script: [two], models: model }], { options, quota })
    const asked = { model, prompt: 'hat', n: 3, images: pictures(1, 1024) }
    expect((await world.ask(asked, { path, headers })).status).toBe(200)
    const seen = model === 'gpt-image-1' ? 194 : 1024
    expect((await world.books()).log).toMatchObject({ prompt_tokens: times * (1 + seen) })
  })

  test('count the reported tokens once per output image', async () => {
    const model = 'gpt-image-2'
    const options: Setup['options'] = [['ModelRatio', JSON.stringify({ [model]: 1 })]]
    const usage = { input_tokens: 10 * (16 * 1536 + 1), output_tokens: 10, total_tokens: 245_780 }
    const script = [answerJson({ created: 1, data: [{ b64_json: 'YQ==' }], usage })]
    const quota = 1_000_000_000
    const world = await setUp([{ script, models: model }], { options, quota })
    const asked = { model, prompt: 'hat', n: 10, size: '1024x1024', images: pictures(16, 1536) }
    expect((await world.ask(asked, { path, headers })).status).toBe(200)
    const { log } = await world.books()
    expect(log).toMatchObject({ prompt_tokens: usage.input_tokens })
    expect(JSON.parse(log?.basis ?? '')).toMatchObject({ usage_source: 'reported' })
  })

  test('are files: text fields of the same name count for nothing', async () => {
    const model = 'gpt-image-1'
    const options: Setup['options'] = [['ModelRatio', JSON.stringify({ [model]: 1 })]]
    const world = await setUp([{ script: [ANSWER], models: model }], { options })
    const form = new FormData()
    form.set('model', model)
    form.set('image', new File([pngOf(64, 64)], 'small.png', { type: 'image/png' }))
    for (const word of ['a', 'b', 'c']) form.append('image[]', word)
    const sent = await send(world, form, '/v1/images/variations')
    expect(sent.status).toBe(200)
    expect((await world.books()).log).toMatchObject({ prompt_tokens: 194 })
  })

  test('have one fidelity per request', async () => {
    const model = 'gpt-image-1'
    const world = await setUp([{ script: [ANSWER], models: model }])
    const form = new FormData()
    form.set('model', model)
    form.set('prompt', 'hat')
    form.append('input_fidelity', 'low')
    form.append('input_fidelity', 'high')
    form.set('image', new File([pngOf(64, 64)], 'small.png', { type: 'image/png' }))
    const sent = await send(world, form)
    expect(sent.status).toBe(400)
    expect(await sent.json()).toMatchObject({ error: { param: 'input_fidelity' } })
    expect(world.upstream.requestsOf('p0')).toHaveLength(0)
  })
})
