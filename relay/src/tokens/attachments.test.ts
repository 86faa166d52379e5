import { expect, test } from 'vitest'
import { requestIn } from '../wires/openai-chat/testing/chat.ts'

const readContent = (...content: unknown[]) =>
  requestIn({ model: 'm', messages: [{ role: 'user', content }] })

const address = 'https://x.example/a.mp3'
test.each([
  { type: 'input_audio', input_audio: { data: address } },
  { type: 'input_audio', input_audio: { data: `${address}?${'x'.repeat(2000)}` } },
  { type: 'audio_url', audio_url: { url: address } },
  { type: 'file_url', file_url: { url: address } },
  { type: 'video', video: [address] },
  { type: 'something', something: address },
  { type: 'video_url', video_url: { url: address } },
])('takes for a file any content of unknown length: %j', (part) => {
  const request = readContent(part)
  expect(request.hasFiles).toBe(true)
  expect(request.promptTokensUpperBound).toBe(request.body.length + 272_000)
})

test.each([
  { type: 'text', text: address },
  { text: address },
  { type: 'refusal', refusal: 'no' },
  { type: 'input_audio', input_audio: { data: 'A'.repeat(2000), format: 'wav' } },
  { type: 'input_audio', input_audio: { data: `data:audio/wav;base64,${'A'.repeat(2000)}` } },
])('takes for no file what has a known length: %j', (part) => {
  const request = readContent(part)
  expect(request.hasFiles).toBe(false)
  expect(request.promptTokensUpperBound).toBe(request.body.length)
})

test("bounds images in high resolution by Alibaba's own scaling", () => {
  const content = [{ type: 'image_url', image_url: { url: 'https://x.example/a.png' } }]
  const messages = [{ role: 'user', content }]
  const request = requestIn({ model: 'qwen-vl-max', vl_high_resolution_images: true, messages })
  expect(request.promptTokensUpperBound).toBe(request.body.length + 16_386)
})

test('all unknown parts together count as one file', () => {
  const request = readContent(...Array.from({ length: 20 }, () => ({ type: 'something' })))
  expect(request.promptTokensUpperBound).toBe(request.body.length + 272_000)
})

test('tool descriptions repeated by agents are text', () => {
  const request = readContent(
    { type: 'tool_use', id: 'a', name: 'f', input: { x: 1 } },
    { type: 'tool_result', tool_use_id: 'a', content: 'done' },
    { type: 'redacted_thinking', data: 'abc' },
    { type: 'audio_url', audio_url: { url: 'data:audio/mp3;base64,AAAA' } },
  )
  expect(request).toMatchObject({ hasFiles: false, promptTokensUpperBound: request.body.length })
})

test('an image under its plain name is one image', () => {
  const request = readContent({ type: 'image', image: 'https://x.example/a.png' })
  expect(request.promptTokensUpperBound).toBe(request.body.length + 12_000)
})
