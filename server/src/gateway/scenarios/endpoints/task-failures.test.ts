import { describe, expect, test } from 'vitest'
import { mp3 } from '../../../../testing/fakes/mp3-file.ts'
import {
  answerError,
  answerJson,
  answerRaw,
  type Behaviour,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { expectJson, setUp, shareWorld } from '../../../../testing/worlds/relay-scenario.ts'

/* Requests for images, audio and other tasks that are refused or fail. All are free of charge. */

const GENERATIONS = '/v1/images/generations'
const EDITS = '/v1/images/edits'
const VARIATIONS = '/v1/images/variations'
const SPEECH = '/v1/audio/speech'
const TRANSCRIPTIONS = '/v1/audio/transcriptions'
const MODERATIONS = '/v1/moderations'
const OCR = '/v1/ocr'
const RERANK = '/v1/rerank'

type Fields = [name: string, value: string | File][]

const IMAGE_MODELS = 'dall-e-2,dall-e-3,gpt-image-1'
const OTHER_MODELS = 'omni-moderation-latest,mistral-ocr-latest,rerank-v3.5'
const MODELS = `${IMAGE_MODELS},gpt-4o-mini-tts,whisper-1,${OTHER_MODELS}`

/** For requests that no provider gets. */
const world = shareWorld([{ script: [answerJson({})], models: MODELS }])

function refusalOf(path: string, asked: object | Fields) {
  if (!Array.isArray(asked)) return world.ask(asked, { path })
  const body = new FormData()
  for (const [name, value] of asked) body.append(name, value)
  const headers = { authorization: `Bearer ${world.key}` }
  return fetch(world.url + path, { method: 'POST', body, headers })
}

async function expectRefused(path: string, asked: object | Fields, param: string, code?: string) {
  const error = { param, ...(code === undefined ? {} : { code }) }
  await expectJson(refusalOf(path, asked), 400, { error })
  expect(world.calls()).toEqual([0])
}

const dalle2 = (more: object) => ({ model: 'dall-e-2', prompt: 'a', ...more })
const dalle3 = (more: object) => ({ model: 'dall-e-3', prompt: 'a', ...more })
const image1 = (more: object) => ({ model: 'gpt-image-1', prompt: 'a', ...more })

describe('an image is refused, and the member named', () => {
  test.each([
    [{ model: 'dall-e-2' }, 'prompt', 'prompt_missing'],
    [{ prompt: '' }, 'prompt', 'prompt_missing'],
    [{ prompt: 7 }, 'prompt', 'invalid_type'],
    [dalle2({ size: '1792x1024' }), 'size', 'size_not_supported'],
    [dalle3({ size: '256x256' }), 'size', 'size_not_supported'],
    [dalle3({ n: 2 }), 'n', 'n_not_within_range'],
    [dalle2({ n: 11 }), 'n', 'n_not_within_range'],
    [dalle2({ n: 0 }), 'n', 'n_not_within_range'],
    [dalle2({ n: 1.5 }), 'n', 'n_not_within_range'],
    [dalle2({ n: '2' }), 'n', 'n_not_within_range'],
    [dalle2({ prompt: '😀'.repeat(1001) }), 'prompt', 'prompt_too_long'],
    [dalle3({ prompt: 'a'.repeat(4001) }), 'prompt', 'prompt_too_long'],
    [dalle2({ batch_size: 4 }), 'batch_size', 'unsupported_parameter'],
    [image1({ n: 11 }), 'n', 'n_not_within_range'],
    [image1({ partial_images: 4 }), 'partial_images', 'invalid_value'],
    [image1({ stream: true, n: 11 }), 'n', 'n_not_within_range'],
    [dalle3({ stream: true }), 'stream', 'unsupported_parameter'],
  ])('%#: %s', (asked, param, code) => expectRefused(GENERATIONS, asked, param, code))

  const cat = new File(['png'], 'cat.png')
  const form: Fields = [
    ['image', cat],
    ['prompt', 'a hat'],
    ['n', '1'],
  ]
  const without = (name: string) => form.filter(([given]) => given !== name)
  test.each<[string, Fields, string, string?]>([
    ['no image', without('image'), 'image', 'missing_required_parameter'],
    ['an empty one', [...without('image'), ['image', new File([], 'a')]], 'image', 'invalid_type'],
    ['a text for one', [...without('image'), ['image', 'cat']], 'image', 'invalid_type'],
    ['no prompt', without('prompt'), 'prompt', 'prompt_missing'],
    ['two numbers', [...form, ['n', '10']], 'n', 'invalid_value'],
    ['a number in words', [...without('n'), ['n', 'ten']], 'n', 'n_not_within_range'],
    ['a list of numbers', [...form, ['n[]', '10']], 'n[]', 'invalid_value'],
    ['a stream', [...form, ['stream', 'true']], 'stream', 'unsupported_parameter'],
    ['two fidelities', [...form, ...fidelities('low', 'high')], 'input_fidelity'],
  ])('a form with %s', (_what, fields, param, code) => expectRefused(EDITS, fields, param, code))

  test('two images to vary', () => expectRefused(VARIATIONS, [form[0], form[0]], 'image'))
})

const fidelities = (...values: string[]): Fields => [
  ['model', 'gpt-image-1'],
  ...values.map((value): Fields[number] => ['input_fidelity', value]),
]

describe('audio is refused, and the member named', () => {
  test.each<[object, string, string?]>([
    [{ input: undefined }, 'input', 'missing_required_parameter'],
    [{ input: '' }, 'input', 'invalid_value'],
    [{ input: ['a'] }, 'input', 'invalid_type'],
    [{ input: '🎉'.repeat(4097) }, 'input', 'text_too_long'],
    [{ instructions: 7 }, 'instructions', 'invalid_type'],
    [{ speed: 0.2 }, 'speed', 'invalid_value'],
    [{ speed: '1' }, 'speed', 'invalid_value'],
    [{ response_format: {} }, 'response_format', 'invalid_type'],
    [{ stream_format: 'xml' }, 'stream_format', 'invalid_value'],
    [{ stream: true }, 'stream', 'unsupported_parameter'],
    [{ Input: 'more' }, 'Input'],
    [{ model: '' }, 'model', 'missing_required_parameter'],
  ])('%#: %j', (more, param, code) => {
    const asked = { model: 'gpt-4o-mini-tts', input: 'hi', voice: 'alloy', ...more }
    return expectRefused(SPEECH, asked, param, code)
  })

  const file = (bytes: Buffer = mp3(1)) => new File([new Uint8Array(bytes)], 'a.mp3')
  const model: Fields[number] = ['model', 'whisper-1']
  const whole: Fields = [['file', file()], model]
  test.each<[string, Fields, string, string]>([
    ['no file', [model], 'file', 'missing_required_parameter'],
    ['an empty file', [model, ['file', file(Buffer.alloc(0))]], 'file', 'invalid_value'],
    ['a text for a file', [model, ['file', 'a.mp3']], 'file', 'invalid_value'],
    ['two files', [...whole, ['file', file()]], 'file', 'invalid_value'],
    ['another name', [model, ['audio', file()]], 'file', 'missing_required_parameter'],
    ['26 MB', [model, ['file', file(Buffer.alloc(25 * 2 ** 20 + 1))]], 'file', 'invalid_value'],
    ['two models', [...whole, model], 'model', 'invalid_value'],
    ['a model in disguise', [...whole, ['Model', 'x']], 'Model', 'invalid_value'],
    ['a format', [...whole, ['response_format', 'xml']], 'response_format', 'invalid_value'],
    ['a file elsewhere', [...whole, ['url', 'https://a.example']], 'url', 'unsupported_parameter'],
    ['another', [...whole, ['file_id', 'x']], 'file_id', 'unsupported_parameter'],
  ])('a form with %s', (_what, fields, param, code) =>
    expectRefused(TRANSCRIPTIONS, fields, param, code),
  )

  test('a stream of a translation', () => {
    const fields: Fields = [...whole, ['stream', 'true']]
    return expectRefused('/v1/audio/translations', fields, 'stream', 'unsupported_parameter')
  })
})

const document = (given: unknown) => ({ document: given })
const LINK = { type: 'document_url', document_url: 'https://example.com/a.pdf' }

test.each<[string, object, string, string?]>([
  [MODERATIONS, {}, 'input', 'missing_required_parameter'],
  [MODERATIONS, { input: 7 }, 'input', 'invalid_type'],
  [MODERATIONS, { input: [] }, 'input', 'invalid_type'],
  [MODERATIONS, { input: 'hi', model: 7 }, 'model', 'invalid_type'],
  [MODERATIONS, { input: 'hi', stream: true }, 'stream', 'unsupported_parameter'],
  [OCR, document(undefined), 'document'],
  [OCR, document({ type: 'chunk' }), 'document.type'],
  [OCR, document({ type: 'file', file_id: 'file-1' }), 'document.type'],
  [OCR, document({ ...LINK, document_url: '' }), 'document.document_url'],
  [OCR, document({ type: 'image_url', image_url: { url: 1 } }), 'document.image_url'],
  [OCR, { ...document(LINK), pages: [] }, 'pages'],
  [OCR, { ...document(LINK), pages: [-1] }, 'pages'],
  [OCR, { ...document(LINK), pages: 'all' }, 'pages'],
  [OCR, { ...document(LINK), pages: Array.from({ length: 1001 }, (_, page) => page) }, 'pages'],
  [OCR, { ...document(LINK), stream: true }, 'stream'],
  [RERANK, { documents: ['b'] }, 'query', 'missing_required_parameter'],
  [RERANK, { query: 7, documents: ['b'] }, 'query', 'invalid_type'],
  [RERANK, { query: 'a' }, 'documents', 'missing_required_parameter'],
  [RERANK, { query: 'a', documents: [] }, 'documents', 'invalid_value'],
  [RERANK, { query: 'a', documents: 'b' }, 'documents', 'invalid_type'],
  [RERANK, { query: 'a', documents: ['b', 7] }, 'documents', 'invalid_type'],
  [RERANK, { query: 'a', documents: ['b'], top_n: -1 }, 'top_n', 'invalid_value'],
  [
    RERANK,
    { query: 'a', documents: ['b'], return_documents: 1 },
    'return_documents',
    'invalid_type',
  ],
])('%s refuses %j', (path, members, param, code) => {
  const usual = path === OCR ? 'mistral-ocr-latest' : 'rerank-v3.5'
  const model = path === MODERATIONS ? {} : { model: usual }
  return expectRefused(path, { ...model, ...members }, param, code)
})

const page = answerJson('<html>', { headers: { 'content-type': 'text/html' } })
const ask = { image: { prompt: 'a cat' }, moderation: { input: 'hi' } }
const rerank = { model: 'rerank-v3.5', query: 'a', documents: ['b', 'c'] }
test.each<[string, string, object, Behaviour]>([
  ['no images', GENERATIONS, ask.image, answerJson({ created: 1, data: [] })],
  ['images that are none', GENERATIONS, ask.image, answerJson({ data: [{}, null, 7] })],
  [
    'an error',
    GENERATIONS,
    ask.image,
    answerJson({ error: { message: 'no' }, data: [{ url: 'x' }] }),
  ],
  ['a page', GENERATIONS, ask.image, page],
  ['nothing', GENERATIONS, ask.image, answerJson('')],
  ['no HTTP', GENERATIONS, ask.image, answerRaw('nonsense')],
  ['a failure', GENERATIONS, ask.image, answerError(500, {})],
  ['no results', RERANK, rerank, answerJson({ results: [] })],
  ['none that are', RERANK, rerank, answerJson({ results: [{ index: '0', relevance_score: 1 }] })],
  ['an error', RERANK, rerank, answerJson({ detail: 'no', message: 'no' })],
  ['a page', RERANK, rerank, page],
  ['a failure', RERANK, rerank, answerError(500, {})],
  ['no results', MODERATIONS, ask.moderation, answerJson({ id: 'x' })],
])('%s as an answer at %s is a failure, and free', async (_what, path, asked, behaviour) => {
  const priced = JSON.stringify({ 'omni-moderation-latest': 100 })
  const failing = await setUp([{ script: [behaviour], models: MODELS }], {
    quota: 1_000_000,
    options: [['ModelRatio', priced]],
  })
  expect((await failing.ask(asked, { path })).status).toBeGreaterThanOrEqual(500)
  await failing.expectLog({ quota: 0, outcome: 'void' })
})
