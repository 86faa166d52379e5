import { describe, expect, test } from 'vitest'
import type { TaskCall } from '../../codec/provider-codec.ts'
import { minimaxCodec } from './codec.ts'

const call = (endpoint: TaskCall['endpoint'], request: object): TaskCall => ({
  endpoint,
  model: endpoint === 'speech' ? 'speech-2.8-hd' : 'image-01',
  channel: { baseUrl: 'https://api.minimaxi.com/v1?GroupId=7', key: 'mm', other: '' },
  now: 1_760_000_000_500,
  id: 'r-1',
  body: Buffer.from(JSON.stringify(request)),
  contentType: 'application/json',
})
const bodyOf = (asked: TaskCall): unknown =>
  JSON.parse(minimaxCodec.encodeTask(asked).body.toString('utf8'))
const decoded = (answer: object, asked: TaskCall): unknown =>
  JSON.parse(minimaxCodec.decodeTask(Buffer.from(JSON.stringify(answer)), asked).toString('utf8'))
const refusing = (param: string) => expect.objectContaining({ name: 'Untranslatable', param })

const DONE = { status_code: 0, status_msg: 'success' }

describe('speech', () => {
  const asked = (more: object = {}) =>
    call('speech', { input: 'Hi', voice: 'English_Graceful_Lady', ...more })

  test('is asked for as MiniMax knows it', () => {
    const { url, headers } = minimaxCodec.encodeTask(asked())
    expect(url).toBe('https://api.minimaxi.com/v1/t2a_v2?GroupId=7')
    expect(headers).toMatchObject({ authorization: 'Bearer mm', accept: 'application/json' })
    expect(bodyOf(asked({ user: 'u', stream_format: 'sse', language_boost: 'auto' }))).toEqual({
      model: 'speech-2.8-hd',
      text: 'Hi',
      stream: false,
      output_format: 'hex',
      voice_setting: { voice_id: 'English_Graceful_Lady', speed: 1 },
      audio_setting: { format: 'mp3', channel: 1 },
      language_boost: 'auto',
    })
    const more = { voice: { id: 'v-1' }, speed: 1.5, response_format: 'pcm' }
    expect(bodyOf(asked(more))).toMatchObject({
      voice_setting: { voice_id: 'v-1', speed: 1.5 },
      audio_setting: { format: 'pcm', channel: 1, sample_rate: 24_000 },
    })
  })

  test.each([
    ['voice', { voice: undefined }],
    ['speed', { speed: 0.25 }],
    ['speed', { speed: 4 }],
    ['response_format', { response_format: 'opus' }],
    ['response_format', { response_format: 'aac' }],
    ['instructions', { instructions: 'slowly' }],
  ])('refuses a %s that it has no words for: %j', (param, more) => {
    expect(() => minimaxCodec.encodeTask(asked(more))).toThrow(refusing(param))
  })

  test('is read with the characters that are paid', () => {
    const answer = {
      data: { audio: '49443304', status: 2 },
      extra_info: { usage_characters: 26, audio_format: 'wav' },
      base_resp: DONE,
    }
    expect(decoded(answer, asked({ response_format: 'wav' }))).toEqual({
      audio: Buffer.from('ID3\x04').toString('base64'),
      content_type: 'audio/wav',
      characters: 26,
    })
  })
})

describe('images', () => {
  test('are asked for by their aspect ratio', () => {
    const asked = call('images', { prompt: 'a cat', size: '1792x1024', quality: 'hd', user: 'u' })
    expect(minimaxCodec.encodeTask(asked).url).toBe(
      'https://api.minimaxi.com/v1/image_generation?GroupId=7',
    )
    expect(bodyOf(asked)).toEqual({
      model: 'image-01',
      prompt: 'a cat',
      n: 1,
      aspect_ratio: '16:9',
      response_format: 'url',
    })
    const own = { prompt: 'a', n: 3, aspect_ratio: '21:9', response_format: 'b64_json', seed: 7 }
    expect(bodyOf(call('images', own))).toEqual({
      model: 'image-01',
      prompt: 'a',
      n: 3,
      aspect_ratio: '21:9',
      response_format: 'base64',
      seed: 7,
    })
  })

  test('come in one piece only', () => {
    const asked = call('images', { prompt: 'a', stream: true })
    expect(() => bodyOf(asked)).toThrow('does not stream')
  })

  test('come as addresses or as data', () => {
    const asked = call('images', {})
    const created = 1_760_000_000
    const image_urls = ['https://a.example/1.jpg', '', 7]
    expect(decoded({ data: { image_urls }, base_resp: DONE }, asked)).toEqual({
      created,
      data: [{ url: 'https://a.example/1.jpg' }],
    })
    expect(decoded({ data: { image_base64: ['aW1n'] }, base_resp: DONE }, asked)).toEqual({
      created,
      data: [{ b64_json: 'aW1n' }],
    })
  })
})

test('what is no answer, or fails with status 200, comes back as it is', () => {
  const refused = { data: { image_urls: ['x'], audio: '00' }, base_resp: { status_code: 1008 } }
  const texts = ['', '<html>', '[]', '7', '{"data":7}', '{"data":{"audio":"zz"}}']
  for (const text of [...texts, JSON.stringify(refused)]) {
    for (const endpoint of ['speech', 'images'] as const) {
      expect(minimaxCodec.decodeTask(Buffer.from(text), call(endpoint, {})).toString()).toBe(text)
    }
  }
})
