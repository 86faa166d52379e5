import OpenAI, { toFile } from 'openai'
import { describe, expect, test } from 'vitest'
import { mp3 } from '../../../../testing/fakes/mp3-file.ts'
import {
  answerError,
  answerJson,
  type Behaviour,
  neverAnswer,
} from '../../../../testing/fakes/scripted-upstream.ts'
import { waitUntil } from '../../../../testing/harness/wait-until.ts'
import {
  type FormFields,
  formIn,
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

const at = (name: string) => `/v1/audio/${name}`
const asked = (...more: FormFields): FormFields => [['file', file()], ['model', WHISPER], ...more]
const send = (world: World, fields: FormFields) => world.askForm(at('transcriptions'), fields)

const answerText =
  (text: string, type = 'text/plain; charset=utf-8'): Behaviour =>
  (response) =>
    void response.writeHead(200, { 'content-type': type }).end(text)

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
    const form = await formIn(sent)
    expect(form).toContainEqual(['model', WHISPER])
    expect(form).toContainEqual(['language', 'de'])
    expect(form).toContainEqual(['file', 'Größe "1".mp3', expect.any(String), AUDIO])
    await world.expectLog({ quota: COST, prompt_tokens: 30 })
  })

  const CHARGED = { quota: COST_TOLD, prompt_tokens: 100, completion_tokens: 20 }
  const SECONDS = { type: 'duration', seconds: 11 }
  test.each([
    ['by the reported seconds', WHISPER, { usage: SECONDS }, { quota: 555, prompt_tokens: 37 }],
    ['by reported tokens, those of audio at their own ratio', BY_TOKEN, { usage: TOLD }, CHARGED],
    // 150 tokens for nine seconds, at 2.4 × 0.625.
    ['by the tokens of the file otherwise', BY_TOKEN, {}, { quota: 225, prompt_tokens: 150 }],
  ])('are charged %s', async (_how, model, usage, charged) => {
    const world = await open([answerJson({ ...TEXT, ...usage })])
    const text = await clientOf(world).transcriptions.create({ model, file: file() })
    expect(text).toMatchObject(TEXT)
    await world.expectLog(charged)
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
    expect(await formIn(world.upstream.requestsOf('p0')[0])).toContainEqual(['stream', 'true'])
    await world.expectLog({ quota: COST_TOLD })
  })

  test('translations are charged the same', async () => {
    const world = await open([answerJson(TEXT)])
    expect((await world.askForm(at('translations'), asked())).status).toBe(200)
    expect(world.upstream.requestsOf('p0')[0]?.path).toBe('/v1/audio/translations')
    await world.expectLog({ quota: COST })
  })

  test('cost the length of the file if their client disconnects', async () => {
    const upstreamLimits = { firstByteMs: 20_000 }
    const world = await open([neverAnswer], { limits: { fullDrainMs: 100 }, upstreamLimits })
    const leaving = new AbortController()
    const asking = world.askForm(at('transcriptions'), asked(), leaving.signal)
    await waitUntil(async () => world.calls()[0] === 1)
    leaving.abort()
    await expect(asking).rejects.toThrow()
    await world.expectLog({ quota: COST, end_reason: 'client_left' })
  })

  test('are held in full, or refused', async () => {
    const world = await open([answerJson(TEXT)], { quota: COST })
    const refused = await send(world, [['file', file(mp3(9.1))]])
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
  await world.expectLog({ quota })
})

test('a file of unknown length counts the longest audio its bytes can hold', async () => {
  const world = await open([answerJson(TEXT)])
  const answer = await send(world, [['file', file(Buffer.from('?'.repeat(7501)))]])
  expect(answer.status).toBe(200)
  // Eleven seconds of 750 bytes each.
  await world.expectLog({ prompt_tokens: 37 })
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
  expect(await formIn(first)).toContainEqual(['model', WHISPER])
  expect(await formIn(second)).toContainEqual(['model', 'inner'])
})

test('a stream that the provider answers without streaming is relayed as an answer', async () => {
  const world = await open([answerJson(TEXT)])
  const answer = await send(world, asked(['stream', 'true']))
  expect(await answer.json()).toEqual(TEXT)
  await world.expectLog({ quota: COST })
})

test('a stream without a usage report is charged by the file; one without an end costs nothing', async () => {
  const done = event({ type: 'transcript.text.done', ...TEXT })
  for (const [last, quota] of [
    [done, 225],
    ['', 0],
  ] as const) {
    const world = await open([answerText([...DELTAS, last].join(''), 'text/event-stream')])
    const fields: FormFields = [
      ['model', BY_TOKEN],
      ['file', file()],
      ['stream', 'true'],
    ]
    const text = await (await send(world, fields)).text()
    expect(text.startsWith(DELTAS.join(''))).toBe(true)
    expect(text.includes('"error"')).toBe(quota === 0)
    await world.expectLog({ quota })
  }
})

test.each<[string, Behaviour, FormFields]>([
  ['an error of status 200', answerJson({ error: { message: 'no' } }), []],
  ['an error in a text', answerJson({ error: { message: 'no' } }), [['response_format', 'text']]],
  ['a page', answerText('<!doctype html>', 'text/html'), []],
  ['a page in place of a text', answerText('<!doctype html>'), [['response_format', 'srt']]],
  ['a text in place of JSON', answerText('Hello'), []],
  ['JSON without a text', answerJson({ words: [] }), []],
  ['nothing', answerText(''), [['response_format', 'text']]],
  ['a failure', answerError(500, {}), []],
])('%s is a failure, and costs nothing', async (_what, behaviour, more) => {
  const world = await open([behaviour])
  expect((await send(world, asked(...more))).status).toBeGreaterThanOrEqual(500)
  await world.expectLog({ quota: 0 })
})

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
