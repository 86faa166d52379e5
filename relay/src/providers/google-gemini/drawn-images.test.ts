import { expect, test } from 'vitest'
import type { TaskCall } from '../../codec/provider-codec.ts'
import { geminiCodec } from './codec.ts'

const MODEL = 'gemini-2.5-flash-image'
const call = (
  endpoint: TaskCall['endpoint'],
  request: object,
  more: Partial<TaskCall> = {},
): TaskCall => ({
  endpoint,
  model: MODEL,
  channel: { baseUrl: '', key: 'AIza', other: '' },
  now: 1_760_000_000_900,
  id: 'r-1',
  body: Buffer.from(JSON.stringify({ prompt: 'a cat', ...request })),
  contentType: 'application/json',
  ...more,
})
const bodyOf = (asked: TaskCall) => JSON.parse(geminiCodec.encodeTask(asked).body.toString())
const decoded = (answer: object) =>
  JSON.parse(
    geminiCodec.decodeTask(Buffer.from(JSON.stringify(answer)), call('images', {})).toString(),
  )
const inline = (data: string, more: object = {}) => ({
  inlineData: { mimeType: 'image/png', data },
  ...more,
})

test('a model that draws is asked for content', () => {
  const asked = call('images', { size: '1536x1024', quality: 'high', n: null, user: 'u' })
  expect(geminiCodec.encodeTask(asked).url).toBe(
    `https://generativelanguage.googleapis.com/v1beta/models/${MODEL}:generateContent`,
  )
  const { safetySettings, ...body } = bodyOf(asked)
  expect(safetySettings).toContainEqual(expect.objectContaining({ threshold: 'BLOCK_NONE' }))
  expect(body).toEqual({
    contents: [{ role: 'user', parts: [{ text: 'a cat' }] }],
    generationConfig: {
      responseModalities: ['TEXT', 'IMAGE'],
      maxOutputTokens: 4096,
      imageConfig: { aspectRatio: '3:2' },
    },
  })
  const later = call('images', { size: 'auto' }, { model: 'gemini-3-pro-image-preview' })
  expect(bodyOf(later).generationConfig).toEqual({
    responseModalities: ['TEXT', 'IMAGE'],
    maxOutputTokens: 8192,
  })
})

test('what is to be changed is data before the text', () => {
  const images = [{ image_url: { url: 'data:image/jpeg;base64,/9j/' } }]
  const { contents } = bodyOf(call('imageEdits', { images }))
  const inlineData = { mimeType: 'image/jpeg', data: '/9j/' }
  expect(contents[0].parts).toEqual([{ inlineData }, { text: 'a cat' }])
})

test.each([
  ['n', call('images', { n: 2 })],
  ['response_format', call('images', { response_format: 'url' })],
  ['mask', call('imageEdits', { mask: { image_url: 'data:image/png;base64,aW1n' } })],
  ['images.0', call('imageEdits', { images: [{ image_url: 'https://a.example/a.png' }] })],
  ['images.0', call('imageEdits', { images: [{ file_id: 'file-1' }] })],
  ['model', call('imageEdits', {}, { model: 'imagen-4.0-generate-001' })],
  ['stream', call('images', { stream: true })],
])('what it has no words for is refused for its %s', (param, asked) => {
  expect(() => geminiCodec.encodeTask(asked)).toThrow(
    expect.objectContaining({ name: 'Untranslatable', param }),
  )
})

test('images are answered with what they have taken, and drafts are none', () => {
  const parts = [inline('ZHJhZnQ=', { thought: true }), { text: 'Here it is.' }, inline('aW1n')]
  const usageMetadata = {
    promptTokenCount: 270,
    candidatesTokenCount: 1295,
    thoughtsTokenCount: 5,
    totalTokenCount: 1570,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 12 },
      { modality: 'IMAGE', tokenCount: 258 },
    ],
  }
  const candidates = [{ content: { parts }, finishReason: 'STOP' }]
  expect(decoded({ candidates, usageMetadata })).toEqual({
    created: 1_760_000_000,
    data: [{ b64_json: 'aW1n' }],
    usage: {
      input_tokens: 270,
      output_tokens: 1300,
      total_tokens: 1570,
      input_tokens_details: { image_tokens: 258, text_tokens: 12 },
    },
  })
  expect(decoded({ candidates })).not.toHaveProperty('usage')
})

test('what was not allowed says so, and tells nothing of what was said instead', () => {
  const refused = [
    { promptFeedback: { blockReason: 'PROHIBITED_CONTENT' } },
    { candidates: [{ finishReason: 'IMAGE_SAFETY', content: { parts: [{ text: 'secret' }] } }] },
    { candidates: [{ finishReason: 'NO_IMAGE' }] },
  ]
  for (const answer of refused) {
    const { error } = decoded(answer)
    expect(error.code).toBe('content_policy_violation')
    expect(error.message).not.toContain('secret')
  }
  const words = { content: { parts: [{ text: 'secret' }] }, finishReason: 'STOP' }
  const { error } = decoded({ candidates: [words] })
  expect(error.code).toBe('invalid_value')
  expect(error.message).not.toContain('secret')
  for (const nothing of [{}, { candidates: [{ finishReason: 'STOP' }] }, { candidates: 7 }]) {
    expect(decoded(nothing)).toEqual(nothing)
  }
})
