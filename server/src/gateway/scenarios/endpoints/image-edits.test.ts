import { describe, expect, test } from 'vitest'
import { answerJson } from '../../../../testing/fakes/scripted-upstream.ts'
import { setUp } from '../../../../testing/worlds/relay-scenario.ts'

const path = '/v1/images/edits'
const ANSWER = answerJson({ created: 1_760_000_000, data: [{ b64_json: 'aW1hZ2U=' }] })

/** The first bytes of a PNG, up to its dimensions. */
function pngOf(width: number, height: number) {
  const size = Buffer.alloc(8)
  size.writeUInt32BE(width, 0)
  size.writeUInt32BE(height, 4)
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR', 'latin1'), size])
}

const pngFile = (name: string, bytes: Buffer | string) =>
  new File([new Uint8Array(Buffer.from(bytes))], name, { type: 'image/png' })

/** Each token costs a unit, and one of an image `imageRatio`. */
const open = (model: string, answer = ANSWER, imageRatio = 1) =>
  setUp([{ script: [answer, answer], models: model }], {
    quota: 1_000_000_000,
    options: [
      ['ModelRatio', JSON.stringify({ [model]: 1 })],
      ['ImageRatio', JSON.stringify({ [model]: imageRatio })],
    ],
  })

const pictures = (count: number, height: number) => {
  const picture = `data:image/png;base64,${pngOf(1024, height).toString('base64')}`
  return Array.from({ length: count }, () => ({ image_url: picture }))
}

describe('image edits', () => {
  test.each([
    // An image that cannot be read counts as 1024 × 1024.
    ['gemini-2.5-flash-image', 'high', 258 * (3 * 2 + 2 * 2)],
    ['gemini-3-pro-image', 'high', 2 * 1120],
    ['gpt-image-1', 'low', 65 + 2 * 129 + 65 + 129],
    ['gpt-image-1', 'high', 65 + 2 * 129 + 6240 + 65 + 129 + 4160],
    ['gpt-image-2', 'high', 54 * 27 + 32 * 32],
  ])('count as unreported tokens of %s, fidelity %s: %i', async (model, fidelity, tokens) => {
    const world = await open(model, ANSWER, 2)
    const sent = await world.askForm(path, [
      ['model', model],
      ['prompt', 'hat'],
      ['input_fidelity', fidelity],
      ['image[]', pngFile('wide.png', pngOf(2048, 1024))],
      ['image[]', pngFile('unknown.png', '--')],
      ['mask', pngFile('mask.png', '--')],
    ])
    expect(sent.status).toBe(200)
    const counted = {
      prompt_tokens: 1 + tokens,
      usage_source: 'counted',
      kinds: [{ kind: 'image_prompt', tokens }],
    }
    await world.expectLog(counted)
    const wide = `data:image/png;base64,${pngOf(2048, 1024).toString('base64')}`
    const named = [{ image_url: wide }, { file_id: 'file-1' }]
    const asked = { model, prompt: 'hat', input_fidelity: fidelity, images: named }
    expect((await world.ask(asked, { path })).status).toBe(200)
    await world.expectLog(counted)
  })

  test.each([
    ['gpt-image-1', 1 + 194],
    ['gpt-image-2', 2 * (1 + 1024)],
  ])('count for %s, where two of three images arrive: %i', async (model, prompt_tokens) => {
    const two = answerJson({ created: 1, data: [{ b64_json: 'YQ==' }, { b64_json: 'Yg==' }] })
    const world = await open(model, two)
    const asked = { model, prompt: 'hat', n: 3, images: pictures(1, 1024) }
    expect((await world.ask(asked, { path })).status).toBe(200)
    await world.expectLog({ prompt_tokens })
  })

  test('count the reported tokens once per output image', async () => {
    const model = 'gpt-image-2'
    const usage = { input_tokens: 10 * (16 * 1536 + 1), output_tokens: 10, total_tokens: 245_780 }
    const world = await open(model, answerJson({ created: 1, data: [{ b64_json: 'YQ==' }], usage }))
    const asked = { model, prompt: 'hat', n: 10, size: '1024x1024', images: pictures(16, 1536) }
    expect((await world.ask(asked, { path })).status).toBe(200)
    await world.expectLog({ prompt_tokens: usage.input_tokens, usage_source: 'reported' })
  })

  test('are files: text fields of the same name count for nothing', async () => {
    const model = 'gpt-image-1'
    const world = await open(model)
    const words = ['a', 'b', 'c'].map((word) => ['image[]', word] as const)
    const image = pngFile('small.png', pngOf(64, 64))
    const fields = [['model', model], ['image', image], ...words] as const
    expect((await world.askForm('/v1/images/variations', fields)).status).toBe(200)
    await world.expectLog({ prompt_tokens: 194 })
  })
})
