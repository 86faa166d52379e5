import { expect, test } from 'vitest'
import { audioSeconds } from '../../audio-length/audio-length.ts'
import { taskTo } from '../../streams/testing/call-to.ts'
import { geminiCodec } from './codec.ts'

const call = (more: object = {}) => {
  const request = { input: 'Hi', voice: 'Kore', response_format: 'wav', ...more }
  return taskTo('speech', { key: 'AIza', model: 'gemini-2.5-flash-preview-tts', request })
}
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

test("speech of a long text may have the model's maximum length", () => {
  const { body } = geminiCodec.encodeTask(call({ input: 'a'.repeat(4096) }))
  expect(JSON.parse(body.toString()).generationConfig.maxOutputTokens).toBe(16_384)
})

test('samples are returned raw, or with a header that states their length', () => {
  const samples = Buffer.alloc(96_000, 1)
  const pcm = decoded(said(samples), { response_format: 'pcm' })
  expect(Buffer.from(pcm.audio, 'base64').equals(samples)).toBe(true)
  const output_tokens_details = { audio_tokens: 50 }
  const usage = { input_tokens: 3, output_tokens: 50, output_tokens_details }
  expect(pcm).toMatchObject({ content_type: 'audio/pcm', usage })
  const wav = decoded(said(samples))
  expect(wav).toMatchObject({ content_type: 'audio/wav', usage })
  const audio = Buffer.from(wav.audio, 'base64')
  expect(audioSeconds(audio)).toBe(2)
  expect(audio.subarray(44).equals(samples)).toBe(true)
})

test('an answer without such audio is a failure', () => {
  const answers = [
    {},
    { candidates: [{ finishReason: 'OTHER' }] },
    said(Buffer.alloc(4), 'audio/L16;rate=16000'),
    said(Buffer.alloc(4), 'audio/mpeg'),
    said(Buffer.alloc(0)),
  ]
  for (const answer of answers) expect(decoded(answer)).toEqual(answer)
})
