import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { mp3 } from '../../../../testing/fakes/mp3-file.ts'
import { answerJson, answerStream } from '../../../../testing/fakes/scripted-upstream.ts'
import {
  expectRefusal,
  type FormFields,
  type Setup,
  setUp,
} from '../../../../testing/worlds/relay-scenario.ts'

/*
 * Images, speech and transcripts of providers with an API of their own, requested in OpenAI's
 * format. The fixtures of the providers have the requests; here is what is held and charged.
 */

const SPEECH = '/v1/audio/speech'
const GENERATIONS = '/v1/images/generations'
const EDITS = '/v1/images/edits'
const [ALI, GEMINI, MINIMAX, MISTRAL] = [17, 24, 27, 28]

const AUDIO = mp3(6.012)
const SAMPLES = Buffer.alloc(96_000, 7)
const PNG = new File([Buffer.from('\x89PNG\r\n\x1a\n--x\r\n', 'latin1')], 'a.png', {
  type: 'image/png',
})

const miniMaxSpeech = (usage_characters?: number) => ({
  data: { audio: AUDIO.toString('hex'), status: 2 },
  extra_info: { audio_length: 6012, usage_characters },
  trace_id: 't',
  base_resp: { status_code: 0, status_msg: 'success' },
})
const fromGemini = (mimeType: string, data: string, usageMetadata?: object) => ({
  candidates: [{ content: { parts: [{ inlineData: { mimeType, data } }] }, finishReason: 'STOP' }],
  usageMetadata,
})
const geminiSpeech = (usage?: object) =>
  fromGemini('audio/L16;codec=pcm;rate=24000', SAMPLES.toString('base64'), usage)
const geminiImage = (usage?: object) => fromGemini('image/png', 'aW1n', usage)
const ofTwo = ['https://a.example/1.jpeg', 'https://a.example/2.jpeg']

type Case = {
  readonly title: string
  readonly type: number | undefined
  readonly model: string
  /** Ratios of the model and of its completion. */
  readonly ratios?: readonly [number, number]
  readonly path: string
  readonly asked: object
  readonly answer: object
  readonly charged: object
  readonly sent?: object
  readonly quota?: number
}

const MINIMAX_SPEECH = {
  type: MINIMAX,
  model: 'speech-2.8-hd',
  ratios: [50, 0],
  path: SPEECH,
  /** Four letters, and two ideographs that count twice: ten bytes, and sixteen more characters. */
  asked: { input: 'Hi! 你好', voice: 'male-qn-qingse' },
} as const
const GEMINI_SPEECH = {
  type: GEMINI,
  model: 'gemini-2.5-flash-preview-tts',
  ratios: [0.25, 20],
  path: SPEECH,
  asked: { input: 'one two', voice: 'Kore', response_format: 'wav' },
} as const
const MINIMAX_IMAGES = {
  type: MINIMAX,
  model: 'image-01',
  ratios: [1.75, 1],
  path: GENERATIONS,
  asked: { prompt: 'a cat', n: 3, size: '1024x1536' },
} as const
const GEMINI_IMAGES = { type: GEMINI, model: 'gemini-2.5-flash-image', quota: 1_000_000 } as const
const HELD_SPEECH = { held: 26 * 50, measured: { unit: 'character', count: 8 } }

const CASES: readonly Case[] = [
  {
    ...MINIMAX_SPEECH,
    title: 'speech of MiniMax by the reported characters',
    answer: miniMaxSpeech(8),
    charged: { quota: 400, prompt_tokens: 8, end_reason: 'finished', ...HELD_SPEECH },
  },
  ...([undefined, 0, -8] as const).map((reported) => ({
    ...MINIMAX_SPEECH,
    title: `speech of MiniMax by its characters, where it reports ${reported}`,
    answer: miniMaxSpeech(reported),
    charged: { quota: 300, prompt_tokens: 6 },
  })),
  {
    ...MINIMAX_SPEECH,
    title: 'no more speech of MiniMax than is held',
    answer: miniMaxSpeech(9999),
    charged: { quota: 26 * 50, prompt_tokens: 26 },
  },
  {
    title: 'speech of Mistral by its characters',
    type: MISTRAL,
    model: 'voxtral-mini-tts-2603',
    ratios: [8, 0],
    path: SPEECH,
    asked: { input: 'Héllo 🎉', voice: 'en_paul_neutral' },
    answer: { audio_data: AUDIO.toString('base64') },
    charged: { quota: 56, prompt_tokens: 7 },
  },
  {
    ...GEMINI_SPEECH,
    title: 'speech of Gemini by the reported tokens',
    answer: geminiSpeech({ promptTokenCount: 3, candidatesTokenCount: 51, totalTokenCount: 54 }),
    // (3 + 51 × 20) × 0.25. Held: seven bytes and 16 more; 13.5 seconds at 25 tokens each.
    charged: { quota: 256, usage_source: 'reported', held: Math.ceil((23 + 338 * 20) * 0.25) },
    // Limited to what is held.
    sent: { generationConfig: { maxOutputTokens: 338 } },
  },
  {
    ...GEMINI_SPEECH,
    title: 'speech of Gemini by its length',
    answer: geminiSpeech(),
    charged: { prompt_tokens: 2, completion_tokens: 50 },
  },
  {
    ...MINIMAX_IMAGES,
    title: 'images of MiniMax by those delivered',
    quota: 5250,
    answer: {
      id: 'i',
      data: { image_urls: ofTwo },
      metadata: { success_count: '2', failed_count: '1' },
      base_resp: { status_code: 0, status_msg: 'success' },
    },
    charged: { quota: 3500, held: 5250, measured: { unit: 'image', count: 2 } },
  },
  {
    title: 'images changed by Alibaba by those delivered',
    type: ALI,
    model: 'qwen-image-edit-plus',
    ratios: [15, 1],
    quota: 45_000,
    path: EDITS,
    asked: { image: PNG, prompt: 'a hat', n: '3', size: '1024x1024' },
    answer: {
      output: {
        choices: [{ message: { role: 'assistant', content: ofTwo.map((image) => ({ image })) } }],
      },
    },
    charged: { quota: 30_000, held: 45_000, measured: { unit: 'image', count: 2 } },
  },
  {
    ...GEMINI_IMAGES,
    title: 'images changed by Gemini by the reported tokens',
    path: EDITS,
    asked: { image: PNG, prompt: 'a hat', size: '1024x1024' },
    answer: geminiImage({
      promptTokenCount: 263,
      candidatesTokenCount: 1290,
      totalTokenCount: 1553,
      promptTokensDetails: [{ modality: 'IMAGE', tokenCount: 258 }],
    }),
    // (263 + 1290 × 100) × 0.15. Held: 5 + 256, an image of 8192, and 4096 tokens at 100.
    charged: {
      quota: 19_390,
      usage_source: 'reported',
      held: Math.ceil(((261 + 8192) * (1 / 0.3) + 409_600) * 0.15),
    },
    sent: { generationConfig: { maxOutputTokens: 4096 } },
  },
  {
    ...GEMINI_IMAGES,
    title: 'an image of Gemini as one, if nothing is reported',
    path: GENERATIONS,
    asked: { prompt: 'a cat', n: 1 },
    answer: geminiImage(),
    charged: { prompt_tokens: 2, completion_tokens: 1290, usage_source: 'counted' },
  },
]

type Place = Pick<Case, 'type' | 'model' | 'ratios' | 'quota'>

function open({ type, model, ratios, quota }: Place, answers: object[], more: Options = []) {
  const [ratio, completion] = ratios ?? []
  const options: Options = [
    ['PreConsumedQuota', '0'],
    ...(ratio === undefined ? [] : [option('ModelRatio', model, ratio)]),
    ...(completion === undefined ? [] : [option('CompletionRatio', model, completion)]),
    ...more,
  ]
  const script = answers.map((answer) => answerJson(answer))
  const channel = { script, models: `${model},imagen-4.0-generate-001`, ...(type && { type }) }
  return setUp([channel], { options, ...(quota !== undefined && { quota }) })
}

type Options = NonNullable<Setup['options']>
const option = (
  name: 'ModelRatio' | 'CompletionRatio',
  model: string,
  ratio: number,
): Options[number] => [name, JSON.stringify({ [model]: ratio })]

const fieldsOf = (asked: object): FormFields => Object.entries(asked)

test.each(CASES)('$title', async (given) => {
  const { model, path, asked, answer, charged, sent } = given
  const world = await open(given, [answer])
  const body = { model, ...asked }
  const response = await (path === EDITS
    ? world.askForm(path, fieldsOf(body))
    : world.ask(body, { path }))
  expect(response.status).toBe(200)
  await response.arrayBuffer()
  if (sent !== undefined) expect(world.sent()).toMatchObject(sent)
  await world.expectLog(charged)
})

test.each([
  [MINIMAX_SPEECH, { response_format: 'opus' }, 'response_format'],
  [MINIMAX_IMAGES, { n: 10 }, 'n'],
  [MINIMAX_IMAGES, { prompt: 'a'.repeat(1501) }, 'prompt'],
  [{ ...GEMINI_IMAGES, path: GENERATIONS }, { prompt: 'a', stream: true }, 'stream'],
])('a parameter without an equivalent is refused, for free: %#', async (place, more, param) => {
  const world = await open(place, [{}])
  const { path, model } = place
  const asked = { model, ...('asked' in place && place.asked), ...more }
  await expectRefusal(world.ask(asked, { path }), 400, { param })
  expect(world.calls()).toEqual([0])
  expect((await world.books()).account.used_quota).toBe(0)
})

const minimax = (status_code: number, status_msg: string) => ({
  data: {},
  base_resp: { status_code, status_msg },
})
const AN_ESSAY = { content: { parts: [{ text: 'An essay.' }] }, finishReason: 'STOP' }
test.each([
  [MINIMAX_IMAGES, minimax(1008, 'insufficient balance'), 502],
  [MINIMAX_IMAGES, minimax(1026, 'sensitive content'), 400],
  [GEMINI_IMAGES, { candidates: [{ finishReason: 'IMAGE_SAFETY' }] }, 400],
  [GEMINI_IMAGES, { candidates: [AN_ESSAY] }, 400],
])('an answer without images is free, and no other is asked for: %#', async (...row) => {
  const [place, answer, status] = row
  const world = await open(place, [answer], [['RetryTimes', '1']])
  const refused = await world.ask({ model: place.model, prompt: 'a' }, { path: GENERATIONS })
  expect(refused.status).toBe(status)
  expect(await refused.text()).not.toContain('essay')
  expect(world.calls()).toEqual([1])
  await world.expectLog({ quota: 0, outcome: 'void' })
})

describe('speech of MiniMax', () => {
  const { model, asked, path } = MINIMAX_SPEECH

  test('is sent as events on request', async () => {
    const world = await open(MINIMAX_SPEECH, [miniMaxSpeech(8)])
    const answer = await world.ask({ model, ...asked, stream_format: 'sse' }, { path })
    expect(answer.headers.get('content-type')).toBe('text/event-stream')
    const events = (await answer.text()).split('\n\n').slice(0, -1)
    expect(events.map((event): unknown => JSON.parse(event.replace(/^data: /, '')))).toEqual([
      { type: 'speech.audio.delta', audio: AUDIO.toString('base64') },
      {
        type: 'speech.audio.done',
        usage: { input_tokens: 8, output_tokens: 0, total_tokens: 8 },
      },
    ])
    await world.expectLog({ quota: 400 })
  })

  test('that fails with status 200 costs nothing, and is retried', async () => {
    const answers = [minimax(1002, 'rate limit'), miniMaxSpeech(8)]
    const world = await open(MINIMAX_SPEECH, answers, [['RetryTimes', '1']])
    const answer = await world.ask({ model, ...asked }, { path })
    expect(Buffer.from(await answer.arrayBuffer()).equals(AUDIO)).toBe(true)
    expect(world.calls()).toEqual([2])
    expect(await world.charges()).toEqual([400])
  })
})

describe('transcripts of Mistral', () => {
  const model = 'voxtral-mini-latest'
  const TEXT = { text: 'Hello there.' }
  const usage = {
    prompt_audio_seconds: 11,
    prompt_tokens: 4,
    completion_tokens: 9,
    total_tokens: 99,
  }
  /** Eleven seconds are thirty-seven tokens, at 5 each: $0.002 a minute. */
  const COST = 185
  const file = new File([new Uint8Array(mp3(8.1))], 'a.mp3', { type: 'audio/mpeg' })

  test("are charged by the second, also as OpenAI's events", async () => {
    const events = [
      { type: 'transcription.language', audio_language: 'en' },
      { type: 'transcription.text.delta', text: 'Hello' },
      { type: 'transcription.text.delta', text: ' there.' },
      { type: 'transcription.done', model, ...TEXT, segments: [], usage },
    ]
    const stream = answerStream(events.map((event) => `data: ${JSON.stringify(event)}\n\n`))
    const script = [answerJson({ ...TEXT, usage }), stream]
    const options: Options = [option('ModelRatio', model, 5)]
    const world = await setUp([{ script, models: model, type: 28 }], { options })
    const openai = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.key, maxRetries: 0 })
    const { transcriptions } = openai.audio
    expect(await transcriptions.create({ model, file })).toMatchObject(TEXT)
    const said: string[] = []
    for await (const one of await transcriptions.create({ model, file, stream: true })) {
      if (one.type === 'transcript.text.delta') said.push(one.delta)
      if (one.type === 'transcript.text.done') said.push(one.text)
    }
    expect(said).toEqual(['Hello', ' there.', 'Hello there.'])
    expect(await world.charges()).toEqual([COST, COST])
  })
})

test('a provider that returns only JSON is not asked for subtitles', async () => {
  const models = 'whisper-1'
  const script = [answerJson({ text: 'Hello there.' })]
  const world = await setUp([{ script, models, type: 16, key: 'id.secret' }])
  const file = new File([new Uint8Array(mp3(8.1))], 'a.mp3')
  const send = (format: string) => {
    const fields: FormFields = [
      ['file', file],
      ['model', models],
      ['response_format', format],
    ]
    return world.askForm('/v1/audio/transcriptions', fields)
  }
  for (const format of ['srt', 'vtt', 'text']) {
    await expectRefusal(send(format), 400, { param: 'response_format' })
  }
  expect(world.calls()).toEqual([0])
  expect((await send('json')).status).toBe(200)
  // Nine seconds, rounded up, at Whisper's 15.
  expect(await world.charges()).toEqual([0, 0, 0, 450])
})
