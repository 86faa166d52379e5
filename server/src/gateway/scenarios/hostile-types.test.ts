import { describe, expect, test } from 'vitest'
import { mp3 } from '../../../testing/fakes/mp3-file.ts'
import {
  type Behaviour,
  chatAnswer,
  WHOLE_STREAM,
} from '../../../testing/fakes/scripted-upstream.ts'
import {
  answerNative,
  askNative,
  channelTo,
  CLAUDE,
  GEMINI,
} from '../../../testing/worlds/native-scenario.ts'
import { ASKED, setUp, STREAMED, type World } from '../../../testing/worlds/relay-scenario.ts'

/*
 * Providers that label every answer as a page. Answers stay usable under the gateway's own types.
 * Speech with a text type remains a failure.
 */

const SCRIPT = '<script>alert(1)</script>'
/** answer-type.test.ts has more of them. */
const TYPES = ['text/html; charset=utf-8', 'image/svg+xml', 'audio/mpeg, text/html']

const says =
  (body: string | Buffer, type: string): Behaviour =>
  (response) =>
    void response.writeHead(200, { 'content-type': type }).end(body)

const model = ASKED.model
const TEXTS = [{ text: SCRIPT, index: 0, finish_reason: 'stop' }]
const RANKED = { results: [{ index: 0, relevance_score: 1, document: SCRIPT }] }
const JSON_ANSWERS: [name: string, path: string, body: object, answer: object][] = [
  ['a chat', '/v1/chat/completions', ASKED, chatAnswer(SCRIPT)],
  ['a completion', '/v1/completions', { model, prompt: 'hi' }, { ...chatAnswer(), choices: TEXTS }],
  [
    'embeddings',
    '/v1/embeddings',
    { model, input: 'hi' },
    { data: [{ embedding: [0], index: 0 }], usage: { prompt_tokens: 1, total_tokens: 1 }, SCRIPT },
  ],
  ['moderations', '/v1/moderations', { model, input: 'hi' }, { results: [{}], SCRIPT }],
  ['images', '/v1/images/generations', { model, prompt: 'hi' }, { data: [{ url: SCRIPT }] }],
  ['rerank', '/v1/rerank', { model, query: 'hi', documents: ['a'] }, RANKED],
]

/** A channel that sends this body once under each type. */
const underEach = (body: string | Buffer) => TYPES.map((type) => says(body, type))

const typeOf = ({ status, headers }: Response) => [status, headers.get('content-type')]

describe('whatever content type the provider sends,', () => {
  test.each(JSON_ANSWERS)('%s is JSON', async (_name, path, body, answer) => {
    const world = await setUp(underEach(JSON.stringify(answer)), { quota: 10 ** 8 })
    for (const type of TYPES) {
      const response = await world.ask(body, { path })
      expect(typeOf(response), type).toEqual([200, 'application/json'])
      expect(await response.text()).toContain(SCRIPT)
    }
  })

  test.each([CLAUDE, GEMINI])('a message in the dialect of $name is JSON', async (provider) => {
    const world = await setUp([channelTo(provider, ...underEach(provider.answer))])
    for (const given of TYPES) {
      expect(typeOf(await askNative(world, provider)), given).toEqual([200, 'application/json'])
    }
  })

  test('a streamed chat is a stream of events', async () => {
    const world = await setUp(underEach(WHOLE_STREAM.join('')))
    for (const type of TYPES) {
      const response = await world.ask(STREAMED)
      expect(typeOf(response), type).toEqual([200, 'text/event-stream'])
      expect(await response.text()).toContain('Hello')
    }
  })

  test.each(['text', 'srt', 'vtt'])('a transcript as %s is plain text', async (format) => {
    const text = `1\n00:00 --> 00:01\nhello ${SCRIPT}`
    const world = await setUp([{ script: underEach(text), models: 'whisper-1' }])
    for (const type of TYPES) {
      const response = await transcribe(world, format)
      expect(typeOf(response), type).toEqual([200, 'text/plain; charset=utf-8'])
      expect(await response.text()).toBe(text)
    }
  })

  test.each(['json', 'verbose_json', 'text'])('a JSON transcript is JSON: %s', async (format) => {
    const script = underEach(JSON.stringify({ text: SCRIPT }))
    const world = await setUp([{ script, models: 'whisper-1' }])
    for (const type of TYPES) {
      expect(typeOf(await transcribe(world, format)), type).toEqual([200, 'application/json'])
    }
  })
})

test('a native stream has the content type of its dialect, whatever its provider sends', async () => {
  for (const provider of [CLAUDE, GEMINI]) {
    const script: Behaviour = (response, request) => {
      const { writeHead } = response
      response.writeHead = (status: number) =>
        writeHead.call(response, status, { 'content-type': 'text/html' })
      return answerNative(provider)(response, request)
    }
    const channel = channelTo(provider, script)
    const response = await askNative(await setUp([channel]), provider, { stream: true })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
    expect(provider.textOf(await response.text())).toBe('Hello there')
  }
})

describe('speech', () => {
  const AUDIO = mp3(2)
  const speak = async (type: string, body: string | Buffer = AUDIO, more: object = {}) => {
    const world = await setUp([{ script: [says(body, type)], models: 'tts-1' }])
    const asked = { model: 'tts-1', input: 'hi', voice: 'alloy', ...more }
    const response = await world.ask(asked, { path: '/v1/audio/speech' })
    return { world, response }
  }

  test.each([
    ['audio/mpeg', 'audio/mpeg'],
    ['Audio/MPEG; charset=utf-8', 'audio/mpeg'],
    ['audio/L16; rate=24000; channels=1', 'audio/L16;rate=24000;channels=1'],
    ['application/octet-stream', 'application/octet-stream'],
    ['audio/mpeg+xml', 'application/octet-stream'],
    ['audio/mpeg, text/html', 'application/octet-stream'],
    ['image/svg+xml', 'application/octet-stream'],
    ['application/xhtml+xml', 'application/octet-stream'],
    ['multipart/x-mixed-replace', 'application/octet-stream'],
    ['application/json', 'application/octet-stream'],
    ['', 'application/octet-stream'],
  ])('declared as %j is sent as %s', async (given, type) => {
    const { response } = await speak(given)
    expect(typeOf(response)).toEqual([200, type])
    expect(Buffer.from(await response.arrayBuffer()).equals(AUDIO)).toBe(true)
  })

  test.each(['text/html', 'text/xml', 'text/javascript'])(
    'declared as text is a failure, and costs nothing: %s',
    async (type) => {
      const { world, response } = await speak(type)
      expect(response.status).toBeGreaterThanOrEqual(500)
      expect(response.headers.get('content-type')).toBe('application/json; charset=utf-8')
      await world.expectLog({ quota: 0 })
    },
  )

  test('in events has the type of events, whatever its parameters', async () => {
    const events = `data: ${JSON.stringify({ type: 'speech.audio.done' })}\n\n`
    const { response } = await speak('Text/Event-Stream; charset=x; boundary="<"', events, {
      stream_format: 'sse',
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream')
  })

  test("in the gateway's JSON has the type of its format", async () => {
    const json = { audio: AUDIO.toString('base64'), content_type: 'audio/wav' }
    const { response } = await speak('text/html', JSON.stringify(json))
    expect(response.headers.get('content-type')).toBe('audio/wav')
    const page = { ...json, content_type: 'text/html' }
    expect((await speak('text/html', JSON.stringify(page))).response.status).toBe(502)
  })
})

function transcribe({ url, key }: World, format: string) {
  const body = new FormData()
  body.append('file', new File([new Uint8Array(mp3(1))], 'a.mp3'))
  body.append('model', 'whisper-1')
  body.append('response_format', format)
  const headers = { authorization: `Bearer ${key}` }
  return fetch(`${url}/v1/audio/transcriptions`, { method: 'POST', body, headers })
}
