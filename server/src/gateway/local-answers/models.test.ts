import { expect, test } from 'vitest'
import { z } from 'zod'
import type { OptionKey } from '@tollgate/contract'
import { modelFacts, type ModelFacts } from '@tollgate/relay'
import { answerChat } from '../../../testing/fakes/scripted-upstream.ts'
import { setUp, type World } from '../../../testing/worlds/relay-scenario.ts'
import { codexModels } from './codex-models.ts'
import { openaiModel } from './models.ts'

const entrySchema = z.looseObject({ id: z.string() })
const listSchema = z.looseObject({ data: z.array(entrySchema) })

const get = async ({ url, key }: World, path: string, header = 'authorization') => {
  const response = await fetch(url + path, { headers: { [header]: key } })
  return entrySchema.partial().parse(await response.json())
}

const setUpModels = (models: string, options: [OptionKey, string][] = []) =>
  setUp([{ script: [answerChat()], models }], { options })

test("a model has One API's members first, in their order, then its limits and prices", async () => {
  const world = await setUpModels('gpt-4.1,unknown')
  const model = await get(world, '/v1/models/gpt-4.1')
  expect(JSON.stringify(model)).toBe(
    JSON.stringify({
      id: 'gpt-4.1',
      object: 'model',
      created: 1_626_777_600,
      owned_by: 'openai',
      root: 'gpt-4.1',
      parent: null,
      name: 'gpt-4.1',
      context_length: 1_047_576,
      max_output_length: 32_768,
      top_provider: {
        context_length: 1_047_576,
        max_completion_tokens: 32_768,
        is_moderated: false,
      },
      architecture: {
        modality: 'text+image+file->text',
        input_modalities: ['text', 'image', 'file'],
        output_modalities: ['text'],
      },
      input_modalities: ['text', 'image', 'file'],
      output_modalities: ['text'],
      pricing: { prompt: '0.000002', completion: '0.000008', input_cache_read: '0.0000005' },
      expiration_date: '2027-01-14',
    }),
  )
  const { data } = listSchema.parse(await get(world, '/v1/models'))
  expect(data[0]).toEqual(model)
  expect(data[1]).toEqual({
    id: 'unknown',
    object: 'model',
    created: 1_626_777_600,
    owned_by: 'custom',
    root: 'unknown',
    parent: null,
    name: 'unknown',
    pricing: { prompt: '0.00006', completion: '0.00006' },
  })
})

test('prices are those of the serving group, in dollars, and absent if not set', async () => {
  const world = await setUpModels('gpt-4o-mini,unknown,free', [
    ['GroupRatio', '{"default":0.1}'],
    ['DefaultModelRatio', 'null'],
    ['ModelRatio', '{"free":0}'],
    ['CacheWriteRatio', '{"gpt-4o-mini":1.25}'],
  ])
  const pricingOf = async (model: string) => (await get(world, `/v1/models/${model}`))['pricing']
  expect(await pricingOf('gpt-4o-mini')).toEqual({
    prompt: '0.000000015',
    completion: '0.00000006',
    input_cache_read: '0.0000000075',
    input_cache_write: '0.00000001875',
  })
  expect(await pricingOf('free')).toMatchObject({ prompt: '0', completion: '0' })
  expect(await pricingOf('unknown')).toBeUndefined()
})

test('a model that channels are no longer offered keeps its vendor and its price', async () => {
  const world = await setUpModels('gpt-4')
  const model = await get(world, '/v1/models/gpt-4')
  expect(model).toMatchObject({ owned_by: 'openai', pricing: { prompt: '0.00003' } })
  // Another host serves the model after its vendor has shut it down.
  expect(model).not.toHaveProperty('expiration_date')
})

test.each([
  ['gpt-4.1', { prompt: '0.000002' }],
  ['dall-e-3', { image: '0.04' }],
])('an alias has the price of its model: %s', async (mapping, pricing) => {
  const world = await setUp([{ script: [answerChat()], models: 'alias', mapping }])
  expect(await get(world, '/v1/models/alias')).toMatchObject({ pricing })
})

test('a model without its own price is listed at the highest of its channels', async () => {
  const world = await setUp(
    ['gpt-4.1-nano', 'gpt-4.1', 'gpt-4.1-mini', 'unpriced'].map((mapping) => ({
      script: [answerChat()],
      models: 'alias',
      mapping,
    })),
    { options: [['DefaultModelRatio', 'null']] },
  )
  expect(await get(world, '/v1/models/alias')).toMatchObject({
    pricing: { prompt: '0.000002', completion: '0.000008' },
  })
})

test.each([
  ['dall-e-3', { prompt: '0', completion: '0', image: '0.04' }],
  ['dall-e-2', { prompt: '0', completion: '0', image: '0.02' }],
  ['rerank-v3.5', { prompt: '0', completion: '0', request: '0.002' }],
  ['whisper-1', undefined],
  ['tts-1', undefined],
])('a model that is sold by the piece is listed in that unit: %s', async (model, pricing) => {
  const world = await setUpModels(model)
  expect((await get(world, `/v1/models/${model}`))['pricing']).toEqual(pricing)
})

test.each([
  ['/v1/models', 'authorization'],
  ['/v1/models/gpt-4.1', 'authorization'],
  ['/v1/models?client_version=0.171.0', 'authorization'],
  ['/v1beta/models', 'x-goog-api-key'],
])('%s counts as a request of its caller', async (path, header) => {
  const { url, key } = await setUpModels('gpt-4.1', [['UserRequestsPerMinute', '1']])
  const ask = async () => (await fetch(url + path, { headers: { [header]: key } })).status
  expect([await ask(), await ask()]).toEqual([200, 429])
})

test('limits are those of the mapped model, or those that the operator states', async () => {
  const card = { 'my-*': { limits: { context: 77_000 } } }
  const config = JSON.stringify({ card })
  const script = [answerChat()]
  const world = await setUp([
    { script, models: 'cheap', mapping: 'gpt-4o-mini' },
    { script, models: 'mine', mapping: 'my-model', config },
    { script, models: 'gpt-4.1', mapping: 'deployment-7' },
  ])
  const contextOf = async (model: string) =>
    (await get(world, `/v1/models/${model}`))['context_length']
  expect(await contextOf('cheap')).toBe(128_000)
  expect(await contextOf('mine')).toBe(77_000)
  expect(await contextOf('gpt-4.1')).toBe(1_047_576)
})

test("Google's clients read the limits of a model", async () => {
  const world = await setUpModels('gemini-2.5-pro,gpt-4.1')
  const model = await get(world, '/v1beta/models/gpt-4.1', 'x-goog-api-key')
  expect(model).toMatchObject({ inputTokenLimit: 1_047_576, outputTokenLimit: 32_768 })
  expect(await get(world, '/v1beta/models', 'x-goog-api-key')).toMatchObject({
    models: [{ name: 'models/gemini-2.5-pro', inputTokenLimit: 1_048_576 }, model],
  })
})

const FACTS: ModelFacts = {
  contextTokens: 200_000,
  outputTokens: 8000,
  inputs: ['text', 'image', 'pdf'],
  outputs: ['text'],
  efforts: ['low', 'high'],
  shutdown: '2027-01-31',
}

test('modalities, efforts and the shutdown date are listed if known', () => {
  type Given = Parameters<typeof openaiModel>
  const groups: readonly string[] = []
  // Safe because only the groups are read.
  const caller = { user: { groups } } as Given[0]
  // Safe because no group serves the model.
  const deps = {} as Given[1]
  expect(openaiModel(caller, deps, { id: 'm', facts: FACTS })).toMatchObject({
    architecture: {
      modality: 'text+image+file->text',
      input_modalities: ['text', 'image', 'file'],
      output_modalities: ['text'],
    },
    input_modalities: ['text', 'image', 'file'],
    output_modalities: ['text'],
    reasoning: { mandatory: true, supported_efforts: ['high', 'low'] },
    expiration_date: '2027-01-31',
  })
})

const REQUIRED = [
  'slug',
  'display_name',
  'supported_reasoning_levels',
  'shell_type',
  'visibility',
  'supported_in_api',
  'priority',
  'base_instructions',
  'support_verbosity',
  'truncation_policy',
  'experimental_supported_tools',
]

test('Codex receives entries for models it does not know, with every required member', async () => {
  const world = await setUpModels('claude-sonnet-4-5,gpt-5.5')
  const plain = await get(world, '/v1/models')
  expect(plain).not.toHaveProperty('models')
  const list = await get(world, '/v1/models?client_version=0.171.0')
  expect(list).toMatchObject({ ...plain, models: [{ slug: 'claude-sonnet-4-5' }] })
  const [entry] = codexModels([{ id: 'glm-5', facts: FACTS }])
  expect(Object.keys(entry ?? {})).toEqual(expect.arrayContaining(REQUIRED))
  expect(entry).toMatchObject({
    context_window: 200_000,
    input_modalities: ['text', 'image'],
    supported_reasoning_levels: [{ effort: 'low' }, { effort: 'high' }],
    use_responses_lite: false,
  })
  const [unknown] = codexModels([{ id: 'x', facts: modelFacts('x') }])
  expect(unknown).not.toHaveProperty('context_window')
})
