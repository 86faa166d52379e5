import OpenAI, { toFile } from 'openai'
import { describe, expect, test } from 'vitest'
import { FakeClock } from '../../../../testing/fakes/fake-clock.ts'
import {
  answerJson,
  type Behaviour,
  neverAnswer,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../../testing/harness/wait-until.ts'
import {
  expectJson,
  type FormFields,
  formIn,
  readError,
  setUp,
  type Setup,
  type World,
} from '../../../../testing/worlds/relay-scenario.ts'

const path = '/v1/images/generations'
const PNG = Buffer.from('\x89PNG\r\n\x1a\n--x\r\n', 'latin1')
const CAT = new File([PNG], 'cat.png', { type: 'image/png' })

const clientOf = ({ url, key }: World) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 })

const images = (count: number, more: object = {}) => ({
  created: 1_760_000_000,
  data: Array.from({ length: count }, () => ({ b64_json: 'aW1hZ2U=' })),
  ...more,
})

const TOKENS = {
  input_tokens: 50,
  output_tokens: 1056,
  total_tokens: 1106,
  input_tokens_details: { text_tokens: 10, image_tokens: 40 },
}

/** A thousand characters, of four bytes each. */
const LONGEST_PROMPT = '😀'.repeat(1000)

const open = (models: string, script: Behaviour[], setup: Setup = {}) =>
  setUp([{ script, models }], { quota: 1_000_000, ...setup })

describe('images', () => {
  test('fifty concurrent requests produce no more images than the balance pays for', async () => {
    const world = await open('dall-e-3', [answerJson(images(1))], { quota: 40_000 })
    const asked = { model: 'dall-e-3', prompt: 'a cat' }
    const answers = await Promise.all(Array.from({ length: 50 }, () => world.ask(asked, { path })))
    const served = answers.filter(({ status }) => status === 200).length
    expect(served).toBe(2)
    expect(world.upstream.requestsOf('p0')).toHaveLength(served)
    const { logs } = await world.books()
    expect(logs.filter(({ quota }) => quota === 20_000)).toHaveLength(served)
  })

  test.each([
    ['dall-e-3', { size: '1024x1024' }, 1, 20_000],
    ['dall-e-3', { size: '1792x1024', quality: 'hd' }, 1, 60_000],
    ['dall-e-3', { quality: 'hd' }, 1, 40_000],
    ['dall-e-2', { size: '512x512', n: 3 }, 3, 27_000],
    ['dall-e-2', {}, 1, 10_000],
  ] as const)('%s, %j: %i images cost %i, as was held', async (model, asked, count, cost) => {
    const world = await open(model, [answerJson(images(count))], { quota: cost })
    const answer = await clientOf(world).images.generate({ model, prompt: 'a cat', ...asked })
    expect(answer).toEqual(images(count))
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe(path)
    expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({ model, prompt: 'a cat', ...asked })
    await world.expectLog({
      quota: cost,
      prompt_tokens: cost / (model === 'dall-e-3' ? 20 : 8),
      usage_source: 'counted',
      measured: { unit: 'image', count },
      held: cost,
    })
  })

  test('reported tokens of a model priced per image are ignored', async () => {
    const usage = { input_tokens: 1e6, output_tokens: 1e6, total_tokens: 2e6 }
    const world = await open('dall-e-3', [answerJson(images(1, { usage }))])
    await clientOf(world).images.generate({ model: 'dall-e-3', prompt: 'a cat' })
    await world.expectLog({ quota: 20_000, usage_source: 'counted' })
  })

  test('fewer images than requested cost less, and more cost no more', async () => {
    const world = await open('dall-e-2', [answerJson(images(1)), answerJson(images(9))])
    const prompt = LONGEST_PROMPT
    const asked = { model: 'dall-e-2', prompt, n: 2, size: '256x256' } as const
    await clientOf(world).images.generate(asked)
    await world.expectLog({ quota: 8000 })
    await clientOf(world).images.generate(asked)
    await world.expectLog({ quota: 16_000 })
  })

  test('reported tokens are charged, image tokens at their own price', async () => {
    const model = 'gpt-image-1'
    const world = await open(model, [answerJson(images(1, { usage: TOKENS }))])
    const answer = await clientOf(world).images.generate({
      model,
      prompt: 'a cat',
      quality: 'medium',
      size: '1024x1024',
    })
    expect(answer.usage).toEqual(TOKENS)
    // (10 + 40 × 2 + 1056 × 8) × 2.5
    await world.expectLog({
      quota: 21_345,
      prompt_tokens: 50,
      completion_tokens: 1056,
      usage_source: 'reported',
      kinds: [{ kind: 'image_prompt', tokens: 40 }],
    })
  })

  test('without a report, tokens come from the table', async () => {
    const model = 'gpt-image-1'
    const world = await open(model, [answerJson(images(2))])
    const size = '1024x1536'
    await clientOf(world).images.generate({ model, prompt: 'a cat', n: 3, quality: 'low', size })
    await world.expectLog({ prompt_tokens: 2, completion_tokens: 816 })
  })

  // guards: C11.4
  test('a caller who cannot pay the largest possible cost is refused before a provider is asked', async () => {
    // 4160 tokens at 8 times 2.5, and the prompt.
    const script = [answerJson(images(1, { usage: TOKENS }))]
    const world = await open('gpt-image-1', script, { quota: 83_200 })
    const asked = { model: 'gpt-image-1', prompt: 'a cat', size: '1024x1024' }
    await expectJson(world.ask(asked, { path }), 403, {
      error: { code: 'insufficient_user_quota' },
    })
    expect(world.upstream.requestsOf('p0')).toHaveLength(0)
    const few = { ...TOKENS, output_tokens: 272, total_tokens: 322 }
    world.upstream.script('p0', answerJson(images(1, { usage: few })))
    expect((await world.ask({ ...asked, quality: 'low' }, { path })).status).toBe(200)
    expect((await world.books()).account.quota).toBe(83_200 - 5665)
  })

  test('an image edit: the form is rewritten with the model name of the provider', async () => {
    const world = await setUp(
      [
        {
          script: [answerJson(images(1, { usage: TOKENS }))],
          models: 'gpt-4o-mini',
          mapping: 'gpt-image-1',
        },
      ],
      { quota: 10_000_000, options: [['PreConsumedQuota', '0']] },
    )
    const image = await Promise.all([
      toFile(PNG, 'a "cat".png', { type: 'image/png' }),
      toFile(PNG, 'é.png', { type: 'image/png' }),
    ])
    const mask = await toFile(PNG, 'mask.png', { type: 'image/png' })
    const model = 'gpt-4o-mini'
    await clientOf(world).images.edit({ model, image, mask, prompt: 'a hat' })
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe('/v1/images/edits')
    expect(await formIn(sent)).toEqual([
      ['image[]', 'a "cat".png', 'image/png', PNG],
      ['image[]', 'é.png', 'image/png', PNG],
      ['mask', 'mask.png', 'image/png', PNG],
      ['model', 'gpt-image-1'],
      ['prompt', 'a hat'],
    ])
    // Upper bound of the provider's model: 5 + 256 of text, three images, 6240 of an image at 4.
    await world.expectLog({ prompt_tokens: 50, completion_tokens: 1056, held: 3735 })
  })

  test('variations are made of an image', async () => {
    const world = await open('dall-e-2', [answerJson(images(2))])
    const answer = await world.askForm('/v1/images/variations', [
      ['image', CAT],
      ['n', '2'],
      ['size', '256x256'],
    ])
    expect(await answer.json()).toEqual(images(2))
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe('/v1/images/variations')
    expect(await formIn(sent)).toEqual([
      ['image', 'cat.png', 'image/png', PNG],
      ['model', 'dall-e-2'],
      ['n', '2'],
      ['size', '256x256'],
    ])
    await world.expectLog({ quota: 16_000 })
  })

  test('images to be edited may be named in JSON', async () => {
    const model = 'gpt-image-1'
    const options: Setup['options'] = [['PreConsumedQuota', '0']]
    const script = [answerJson(images(1, { usage: TOKENS }))]
    const world = await open(model, script, { options })
    const asked = { model, prompt: 'a hat', images: [{ file_id: 'file-1' }], quality: 'low' }
    const headers = { 'content-type': 'application/json' }
    expect((await world.ask(asked, { path: '/v1/images/edits', headers })).status).toBe(200)
    // Upper bound: prompt 5 + 256, an image of 8192 at twice that, and 408 tokens of an image.
    await world.expectLog({ held: 50_425 })
  })

  test('a client that disconnects pays for the images in progress', async () => {
    const clock = FakeClock.withSockets()
    const upstreamLimits = { firstByteMs: 2000 }
    const world = await open('dall-e-3', [neverAnswer], { clock, upstreamLimits })
    const client = world.askAndLeave({ model: 'dall-e-3', prompt: 'a cat' }, path)
    await waitUntil(async () => world.calls()[0] === 1)
    await client.leave()
    await clock.advance(upstreamLimits.firstByteMs)
    await world.expectLog({ quota: 20_000, end_reason: 'client_left' })
  })
})

test('Azure is called at the address of its deployment', async () => {
  const channel = { type: 3, models: 'dall-e-3', key: 'azure-key', other: '2024-10-21' }
  const world = await setUp([{ script: [answerJson(images(1))], ...channel }], { quota: 50_000 })
  await clientOf(world).images.generate({ model: 'dall-e-3', prompt: 'a cat' })
  const [sent] = world.upstream.requestsOf('p0')
  expect(sent?.path).toBe('/openai/deployments/dall-e-3/images/generations?api-version=2024-10-21')
  expect(sent?.headers['api-key']).toBe('azure-key')
  await world.expectLog({ quota: 20_000 })
})

describe('image edits of Azure', () => {
  const azure = { type: 3, models: 'gpt-image-1,dall-e-2', key: 'azure-key' }
  const formOf = (model: string): FormFields => [
    ['model', model],
    ['image', CAT],
    ['prompt', 'a hat'],
  ]

  test.each([
    [
      '2025-04-01-preview',
      '/openai/deployments/gpt-image-1/images/edits?api-version=2025-04-01-preview',
    ],
    ['v1', '/openai/v1/images/edits'],
  ])('are sent to %s', async (other, to) => {
    const script = [answerJson(images(1, { usage: TOKENS }))]
    const world = await setUp([{ script, ...azure, other }], { quota: 1_000_000 })
    expect((await world.askForm('/v1/images/edits', formOf('gpt-image-1'))).status).toBe(200)
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe(to)
    expect(sent?.headers['api-key']).toBe('azure-key')
    expect(await formIn(sent)).toEqual([
      ['image', 'cat.png', 'image/png', PNG],
      ['model', 'gpt-image-1'],
      ['prompt', 'a hat'],
    ])
    await world.expectLog({ quota: 21_345 })
  })

  test('are refused for older API versions, with a clear error', async () => {
    const other = '2024-10-21'
    const script = [answerJson(images(1))]
    const world = await setUp([{ script, ...azure, other }], { quota: 1_000_000 })
    const answer = await world.askForm('/v1/images/edits', formOf('gpt-image-1'))
    expect(answer.status).toBe(400)
    const { message } = await readError(answer)
    expect(message).toContain('2024-10-21 of this channel changes no images; it takes 2025-04-01')
    expect(world.upstream.requestsOf('p0')).toHaveLength(0)
  })

  test('have no variations: the request is refused, free of charge, and logged', async () => {
    const script = [answerJson(images(1))]
    const world = await setUp([{ script, ...azure, other: 'v1' }], { quota: 1_000_000 })
    const answer = await world.askForm('/v1/images/variations', formOf('dall-e-2'))
    expect(answer.status).toBe(400)
    const { message, ...error } = await readError(answer)
    expect(error).toMatchObject({ code: 'endpoint_not_offered', param: 'model' })
    expect(message).toContain(
      'No provider of the model dall-e-2 offers /v1/images/variations here.',
    )
    expect(world.upstream.requestsOf('p0')).toHaveLength(0)
    const { log } = await world.books()
    expect(log).toMatchObject({ quota: 0, outcome: 'void' })
    expect(log?.content).toContain('offers /v1/images/variations')
  })
})
