import { expect, test } from 'vitest'
import { audioSeconds } from '../../audio-length/audio-length.ts'
import type { TaskCall } from '../../codec/provider-codec.ts'
import { geminiCodec } from './codec.ts'

const call = (more: object = {}): TaskCall => ({
  endpoint: 'speech',
  model: 'gemini-2.5-flash-preview-tts',
  channel: { baseUrl: '', key: 'AIza', other: '' },
  now: 1_760_000_000_900,
  id: 'r-1',
  body: Buffer.from(
    JSON.stringify({ input: 'Hi', voice: 'Kore', response_format: 'wav', ...more }),
  ),
  contentType: 'application/json',
})
const decoded = (answer: object, more: object = {}) =>
  JSON.parse(geminiCodec.decodeTask(Buffer.from(JSON.stringify(answer)), call(more)).toString())
const said = (data: Buffer, mimeType = 'audio/L16;codec=pcm;rate=24000') => ({
  candidates: [
    { content: { parts: [{ inlineData: { mimeType, data: data.toString('base64') } }] } },
  ],
  usageMetadata: {
    promptTokenCount: 3,
    candidatesTokenCount: 50,
    candidatesTokensDetails: [{ modality: 'AUDIO', tokenCount: 50 }],
  },
})

test('speech is asked for as content', () => {
  const { url, body } = geminiCodec.encodeTask(call())
  expect(url).toMatch(/\/v1beta\/models\/gemini-2\.5-flash-preview-tts:generateContent$/)
  const speechConfig = { voiceConfig: { prebuiltVoiceConfig: { voiceName: 'Kore' } } }
  expect(JSON.parse(body.toString())).toEqual({
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    generationConfig: { responseModalities: ['AUDIO'], maxOutputTokens: 275, speechConfig },
  })
  const voiceless = JSON.parse(geminiCodec.encodeTask(call({ voice: '' })).body.toString())
  expect(voiceless.generationConfig).toEqual({
    responseModalities: ['AUDIO'],
    maxOutputTokens: 275,
  })
  const long = JSON.parse(geminiCodec.encodeTask(call({ input: 'a'.repeat(4096) })).body.toString())
  expect(long.generationConfig.maxOutputTokens).toBe(16_384)
})

test.each([
  ['response_format', { response_format: 'mp3' }],
  ['response_format', { response_format: undefined }],
  ['speed', { speed: 2 }],
  ['instructions', { instructions: 'slowly' }],
])('a %s that it has no words for is refused: %j', (param, more) => {
  expect(() => geminiCodec.encodeTask(call(more))).toThrow(
    expect.objectContaining({ name: 'Untranslatable', param }),
  )
})

test('samples are answered as they are, or behind a header that tells how long they are', () => {
  const samples = Buffer.alloc(96_000, 1)
  const pcm = decoded(said(samples), { response_format: 'pcm' })
  expect(Buffer.from(pcm.audio, 'base64').equals(samples)).toBe(true)
  const usage = {
    input_tokens: 3,
    output_tokens: 50,
    output_tokens_details: { audio_tokens: 50 },
  }
  expect(pcm).toMatchObject({ content_type: 'audio/pcm', usage })
  const wav = decoded(said(samples))
  expect(wav).toMatchObject({ content_type: 'audio/wav', usage })
  const audio = Buffer.from(wav.audio, 'base64')
  expect(audioSeconds(audio)).toBe(2)
  expect(audio.subarray(44).equals(samples)).toBe(true)
})

test('what is no such audio is a failure', () => {
  const answers = [
    {},
    { candidates: [{ finishReason: 'OTHER' }] },
    said(Buffer.alloc(4), 'audio/L16;rate=16000'),
    said(Buffer.alloc(4), 'audio/mpeg'),
    said(Buffer.alloc(0)),
  ]
  for (const answer of answers) expect(decoded(answer)).toEqual(answer)
})
