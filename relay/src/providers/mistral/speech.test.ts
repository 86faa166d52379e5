import { expect, test } from 'vitest'
import type { TaskCall } from '../../codec/provider-codec.ts'
import { mistralSpeech } from './speech.ts'

const call = (more: object = {}): TaskCall => ({
  endpoint: 'speech',
  model: 'voxtral-mini-tts-2603',
  channel: { baseUrl: '', key: 'mk', other: '' },
  now: 1_760_000_000_500,
  id: 'r-1',
  body: Buffer.from(JSON.stringify({ input: 'Hi', voice: 'en_paul_neutral', ...more })),
  contentType: 'application/json',
})
const bodyOf = (more: object): unknown =>
  JSON.parse(mistralSpeech.encodeTask(call(more)).body.toString('utf8'))
const decoded = (answer: string, more: object = {}) =>
  mistralSpeech.decodeTask(Buffer.from(answer), call(more)).toString()

test('speech is asked for by the id of a voice', () => {
  const { url, headers } = mistralSpeech.encodeTask(call())
  expect(url).toBe('https://api.mistral.ai/v1/audio/speech')
  expect(headers).toMatchObject({ authorization: 'Bearer mk', accept: 'application/json' })
  expect(bodyOf({ speed: 1, user: 'u', stream_format: 'sse' })).toEqual({
    model: 'voxtral-mini-tts-2603',
    input: 'Hi',
    voice_id: 'en_paul_neutral',
    response_format: 'mp3',
    stream: false,
  })
  const own = { voice: undefined, ref_audio: 'UklGRg==', response_format: 'opus' }
  expect(bodyOf(own)).toEqual({
    model: 'voxtral-mini-tts-2603',
    input: 'Hi',
    response_format: 'opus',
    stream: false,
    ref_audio: 'UklGRg==',
  })
})

test.each([
  ['instructions', { instructions: 'slowly' }],
  ['speed', { speed: 1.1 }],
  ['response_format', { response_format: 'aac' }],
])('a %s that it has no words for is refused', (param, more) => {
  expect(() => mistralSpeech.encodeTask(call(more))).toThrow(
    expect.objectContaining({ name: 'Untranslatable', param }),
  )
})

test('audio is taken out of JSON', () => {
  expect(JSON.parse(decoded('{"audio_data":"SUQz"}'))).toEqual({
    audio: 'SUQz',
    content_type: 'audio/mpeg',
  })
  for (const text of ['', '<html>', '[]', '{"audio_data":""}', '{"audio_data":7}']) {
    expect(decoded(text)).toBe(text)
  }
})

test('samples are whole numbers, as OpenAI has them', () => {
  const fractions = Buffer.alloc(21)
  const given = [0, 0.5, -1, 2, Number.NaN]
  given.forEach((fraction, at) => fractions.writeFloatLE(fraction, at * 4))
  const answer = JSON.stringify({ audio_data: fractions.toString('base64') })
  const { audio, content_type } = JSON.parse(decoded(answer, { response_format: 'pcm' }))
  expect(content_type).toBe('audio/pcm')
  const samples = Buffer.from(audio, 'base64')
  expect(given.map((_, at) => samples.readInt16LE(at * 2))).toEqual([0, 16_384, -32_767, 32_767, 0])
  expect(samples).toHaveLength(10)
})
