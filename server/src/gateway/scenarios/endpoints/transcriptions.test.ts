import OpenAI, { toFile } from 'openai'
import { describe, expect, test } from 'vitest'
import { mp3 } from '../../../../testing/fakes/mp3-file.ts'
import {
  answerError,
  answerJson,
  type Behaviour,
  type UpstreamRequest,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../../testing/harness/wait-until.ts'
import {
  readError,
  setUp,
  type Setup,
  type World,
} from '../../../../testing/worlds/relay-scenario.ts'

const WHISPER = 'whisper-1'
const BY_TOKEN = 'gpt-4o-mini-transcribe'
/** Nine seconds, rounded up: thirty tokens of Whisper, at 15 each. */
const AUDIO = mp3(8.1)
const COST = 450
const TEXT = { text: 'Hello there.' }
const TOLD = {
  type: 'tokens',
  input_tokens: 100,
  input_token_details: { text_tokens: 10, audio_tokens: 90 },
  output_tokens: 20,
  total_tokens: 120,
}
/** Ten text tokens at 1, ninety audio tokens at 2.4, twenty output tokens at 4; all at 0.625. */
const COST_TOLD = 192

const clientOf = ({ url, key }: World) =>
  new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 }).audio

const open = (script: Behaviour[], setup: Setup = {}) =>
  setUp([{ script, models: `${WHISPER},${BY_TOKEN}` }], setup)

const file = (bytes: Buffer = AUDIO, name = 'a.mp3') =>
  new File([new Uint8Array(bytes)], name, { type: 'audio/mpeg' })

type Fields = [name: string, value: string | File][]

const formOf = (fields: Fields): FormData => {
  const form = new FormData()
  for (const [name, value] of fields) form.append(name, value)
  return form
}

const send = (
  { url, key }: World,
  fields: Fields,
  { path = 'transcriptions', signal = null }: { path?: string; signal?: AbortSignal | null } = {},
) =>
  fetch(`${url}/v1/audio/${path}`, {
    method: 'POST',
    body: formOf(fields),
    headers: { authorization: `Bearer ${key}` },
    signal,
  })

const asked = (...more: Fields): Fields => [['file', file()], ['model', WHISPER], ...more]

const answerText =
  (text: string, type = 'text/plain; charset=utf-8'): Behaviour =>
  (response) =>
    void response.writeHead(200, { 'content-type': type }).end(text)

/** The form that a provider received. */
async function formIn(request: UpstreamRequest | undefined) {
  const type = request?.headers['content-type'] ?? ''
  const body = new Uint8Array(request?.body ?? [])
  // oxlint-disable-next-line typescript/no-deprecated -- reads only what this test has sent
  const form = await new Response(body, { headers: { 'content-type': type } }).formData()
  return [...form].map(([name, value]) =>
    typeof value === 'string' ? { name, value } : { name, value: value.name, size: value.size },
  )
}

const event = (json: object) => `data: ${JSON.stringify(json)}\n\n`
const DELTAS = [
  event({ type: 'transcript.text.delta', delta: 'Hello' }),
  event({ type: 'transcript.text.delta', delta: ' there.' }),
]
const LAST = event({ type: 'transcript.text.done', ...TEXT, usage: TOLD })

describe('transcriptions', () => {
  test("are charged by the file's length in seconds, at the ratio of the model", async () => {
    const world = await open([answerJson(TEXT)])
    const text = await clientOf(world).transcriptions.create({
      model: WHISPER,
      file: await toFile(AUDIO, 'Größe "1".mp3'),
      language: 'de',
    })
    expect(text).toEqual(TEXT)
    const [sent] = world.upstream.requestsOf('p0')
    expect(sent?.path).toBe('/v1/audio/transcriptions')
    expect(await formIn(sent)).toEqual(
      expect.arrayContaining([
        { name: 'model', value: WHISPER },
        { name: 'language', value: 'de' },
        { name: 'file', value: 'Größe "1".mp3', size: AUDIO.length },
      ]),
    )
    expect(sent?.body.includes(AUDIO)).toBe(true)
    expect((await world.books()).log).toMatchObject({ quota: COST, prompt_tokens: 30 })
  })

  test('are charged by the reported seconds', async () => {
    const world = await open([answerJson({ ...TEXT, usage: { type: 'duration', seconds: 11 } })])
    expect(await (await send(world, asked())).json()).toMatchObject(TEXT)
    expect((await world.books()).log).toMatchObject({ quota: 555, prompt_tokens: 37 })
  })

  test('are charged by reported tokens, audio tokens at their own ratio', async () => {
    const world = await open([answerJson({ ...TEXT, usage: TOLD })])
    await clientOf(world).transcriptions.create({ model: BY_TOKEN, file: file() })
    expect((await world.books()).log).toMatchObject({
      quota: COST_TOLD,
      prompt_tokens: 100,
      completion_tokens: 20,
    })
  })

  test('are charged by the tokens of the file if none are reported', async () => {
    const world = await open([answerJson(TEXT)])
    await clientOf(world).transcriptions.create({ model: BY_TOKEN, file: file() })
    // 150 tokens for nine seconds, at 2.4 × 0.625.
    expect((await world.books()).log).toMatchObject({ quota: 225, prompt_tokens: 150 })
  })

  test('can be streamed; the last event reports the tokens', async () => {
    const world = await open([answerText([...DELTAS, LAST].join(''), 'text/event-stream')])
    const stream = await clientOf(world).transcriptions.create({
      model: BY_TOKEN,
      file: file(),
      stream: true,
    })
    const types: string[] = []
    for await (const { type } of stream) types.push(type)
    expect(types).toEqual([
      'transcript.text.delta',
      'transcript.text.delta',
      'transcript.text.done',
    ])
    expect(await formIn(world.upstream.requestsOf('p0')[0])).toContainEqual({
      name: 'stream',
      value: 'true',
    })
    expect((await world.books()).log).toMatchObject({ quota: COST_TOLD })
  })

  test('translations are charged the same', async () => {
    const world = await open([answerJson(TEXT)])
    expect((await send(world, asked(), { path: 'translations' })).status).toBe(200)
    expect(world.upstream.requestsOf('p0')[0]?.path).toBe('/v1/audio/translations')
    expect((await world.books()).log).toMatchObject({ quota: COST })
  })

  test('cost the length of the file if their client disconnects', async () => {
    const world = await open([() => {}], {
      limits: { fullDrainMs: 100 },
      upstreamLimits: { firstByteMs: 20_000 },
    })
    const leaving = new AbortController()
    const asking = send(world, asked(), { signal: leaving.signal })
    await waitUntil(async () => world.calls()[0] === 1)
    leaving.abort()
    await expect(asking).rejects.toThrow()
    expect((await world.books()).log).toMatchObject({ quota: COST, end_reason: 'client_left' })
  })

  test('are held in full, or refused', async () => {
    const world = await open([answerJson(TEXT)], { quota: COST })
    const refused = await send(world, [
      ['model', WHISPER],
      ['file', file(mp3(9.1))],
    ])
    expect((await readError(refused)).code).toBe('insufficient_user_quota')
    expect((await send(world, asked())).status).toBe(200)
    expect((await world.books()).account).toMatchObject({ quota: 0, used_quota: COST })
  })
})

test.each<[string, Behaviour, number]>([
  ['text', answerText('Hello there.\n'), COST],
  ['text', answerText('[Music] "La la"'), COST],
  ['srt', answerText('1\n00:00:00,000 --> 00:00:02,000\nHello there.\n\n'), COST],
  ['vtt', answerText('WEBVTT\n\n00:00.000 --> 00:02.000\nHello there.\n\n', 'text/vtt'), COST],
  ['verbose_json', answerJson({ ...TEXT, duration: 10.01, segments: [] }), 555],
  ['verbose_json', answerJson({ ...TEXT, duration: '10.01' }), 555],
  ['verbose_json', answerJson({ ...TEXT, duration: -1 }), COST],
  ['verbose_json', answerJson({ ...TEXT, duration: 1e9 }), COST],
  ['diarized_json', answerJson({ ...TEXT, segments: [{ speaker: 'A' }] }), COST],
  ['text', answerJson(TEXT), COST],
  ['json', answerJson({ text: '' }), COST],
  ['json', answerJson({ ...TEXT, usage: TOLD }), COST],
  ['json', answerJson({ ...TEXT, usage: { prompt_audio_seconds: 11, prompt_tokens: 4 } }), 555],
])('an answer as %s passes through unchanged, and is charged', async (format, behaviour, quota) => {
  const world = await open([behaviour])
  const plain = await open([behaviour])
  const answer = await send(world, asked(['response_format', format]))
  expect(answer.status).toBe(200)
  const direct = await fetch(`${plain.upstream.baseUrl('p0')}/`, { method: 'POST', body: '{}' })
  const isJson = direct.headers.get('content-type') === 'application/json'
  const type = isJson ? 'application/json' : 'text/plain; charset=utf-8'
  expect(answer.headers.get('content-type')).toBe(type)
  expect(await answer.text()).toBe(await direct.text())
  expect((await world.books()).log).toMatchObject({ quota })
})

test('a file of unknown length counts the longest audio its bytes can hold', async () => {
  const world = await open([answerJson(TEXT)])
  const answer = await send(world, [
    ['file', file(Buffer.from('?'.repeat(7501)))],
    ['model', WHISPER],
  ])
  expect(answer.status).toBe(200)
  // Eleven seconds of 750 bytes each.
  expect((await world.books()).log).toMatchObject({ prompt_tokens: 37 })
})

test('a request without a model uses Whisper, and a mapped model is sent under its upstream name', async () => {
  const world = await setUp([
    { script: [answerJson(TEXT)], models: `${WHISPER},gpt-4o-mini`, mapping: 'inner' },
  ])
  await send(world, [['file', file()]])
  await send(world, [
    ['model', 'gpt-4o-mini'],
    ['file', file()],
  ])
  const [first, second] = world.upstream.requestsOf('p0')
  expect(await formIn(first)).toContainEqual({ name: 'model', value: WHISPER })
  expect(await formIn(second)).toContainEqual({ name: 'model', value: 'inner' })
})

test('a stream that the provider answers without streaming is relayed as an answer', async () => {
  const world = await open([answerJson(TEXT)])
  const answer = await send(world, asked(['stream', 'true']))
  expect(await answer.json()).toEqual(TEXT)
  expect((await world.books()).log).toMatchObject({ quota: COST })
})

test('a stream without a usage report is charged by the file; one without an end costs nothing', async () => {
  const done = event({ type: 'transcript.text.done', ...TEXT })
  for (const [last, quota] of [
    [done, 225],
    ['', 0],
  ] as const) {
    const world = await open([answerText([...DELTAS, last].join(''), 'text/event-stream')])
    const fields: Fields = [
      ['model', BY_TOKEN],
      ['file', file()],
      ['stream', 'true'],
    ]
    const text = await (await send(world, fields)).text()
    expect(text.startsWith(DELTAS.join(''))).toBe(true)
    expect(text.includes('"error"')).toBe(quota === 0)
    expect((await world.books()).log).toMatchObject({ quota })
  }
})

test.each<[string, Behaviour, Fields]>([
  ['an error of status 200', answerJson({ error: { message: 'no' } }), []],
  [
    'an error in place of a text',
    answerJson({ error: { message: 'no' } }),
    [['response_format', 'text']],
  ],
  ['a page', answerText('<!doctype html>', 'text/html'), []],
  ['a page in place of a text', answerText('<!doctype html>'), [['response_format', 'srt']]],
  ['a text in place of JSON', answerText('Hello'), []],
  ['JSON without a text', answerJson({ words: [] }), []],
  ['nothing', answerText(''), [['response_format', 'text']]],
  ['a failure', answerError(500, {}), []],
])('%s is a failure, and costs nothing', async (_what, behaviour, more) => {
  const world = await open([behaviour])
  expect((await send(world, asked(...more))).status).toBeGreaterThanOrEqual(500)
  expect((await world.books()).log).toMatchObject({ quota: 0 })
})

const MODEL: Fields[number] = ['model', WHISPER]

test.each<[string, Fields, string | null, string | null, string?]>([
  ['no file', [MODEL], 'file', 'missing_required_parameter'],
  ['an empty file', [MODEL, ['file', file(Buffer.alloc(0))]], 'file', 'invalid_value'],
  ['a text for a file', [MODEL, ['file', 'a.mp3']], 'file', 'invalid_value'],
  ['two files', [MODEL, ['file', file()], ['file', file()]], 'file', 'invalid_value'],
  ['another name', [MODEL, ['audio', file()]], 'file', 'missing_required_parameter'],
  [
    'a large file',
    [MODEL, ['file', file(Buffer.alloc(25 * 2 ** 20 + 1))]],
    'file',
    'invalid_value',
  ],
  ['two models', [...asked(), MODEL], 'model', 'invalid_value'],
  ['a model in disguise', [...asked(), ['Model', 'x']], 'Model', 'invalid_value'],
  ['an unknown format', asked(['response_format', 'xml']), 'response_format', 'invalid_value'],
  ['a file elsewhere', asked(['url', 'https://a.example/b.mp3']), 'url', 'unsupported_parameter'],
  ['another file elsewhere', asked(['file_id', 'x']), 'file_id', 'unsupported_parameter'],
  [
    'a stream of a translation',
    asked(['stream', 'true']),
    'stream',
    'unsupported_parameter',
    'translations',
  ],
])(
  'refuses %s, and names the invalid member',
  async (_what, fields, param, code, path = 'transcriptions') => {
    const world = await open([answerJson(TEXT)])
    const answer = await send(world, fields, { path })
    expect(answer.status).toBe(400)
    expect(await readError(answer)).toMatchObject({ param, code })
    expect(world.calls()).toEqual([0])
  },
)

test('JSON is not accepted as a form', async () => {
  const world = await open([answerJson(TEXT)])
  const answer = await fetch(`${world.url}/v1/audio/transcriptions`, {
    method: 'POST',
    body: JSON.stringify({ model: WHISPER }),
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
  })
  expect(answer.status).toBe(400)
  expect((await readError(answer)).message).toContain('multipart/form-data')
})
