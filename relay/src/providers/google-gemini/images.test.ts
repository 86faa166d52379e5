import { expect, test } from 'vitest'
import type { TaskCall } from '../../codec/provider-codec.ts'
import { geminiCodec } from './codec.ts'

const call = (request: object): TaskCall => ({
  endpoint: 'images',
  model: 'imagen-4.0-generate-001',
  channel: { baseUrl: '', key: 'AIza', other: '' },
  now: 1_760_000_000_900,
  id: 'r-1',
  body: Buffer.from(JSON.stringify(request)),
  contentType: 'application/json',
})

const parametersOf = (request: object) =>
  JSON.parse(geminiCodec.encodeTask(call({ prompt: 'a cat', ...request })).body.toString())

test('Imagen is asked for images of an aspect ratio', () => {
  const { url, headers } = geminiCodec.encodeTask(call({ prompt: 'a cat' }))
  expect(url).toBe(
    'https://generativelanguage.googleapis.com/v1beta/models/imagen-4.0-generate-001:predict',
  )
  expect(headers).toMatchObject({ 'x-goog-api-key': 'AIza', 'content-type': 'application/json' })
  expect(parametersOf({ n: 2, size: '1792x1024', quality: 'hd', user: 'u' })).toEqual({
    instances: [{ prompt: 'a cat' }],
    parameters: { sampleCount: 2, aspectRatio: '16:9' },
  })
})

test.each([
  ['1024x1024', '1:1'],
  ['1536x1024', '4:3'],
  ['1024x1536', '3:4'],
  ['1024x1792', '9:16'],
  ['auto', undefined],
  ['0x0', undefined],
])('%s is %s', (size, aspectRatio) => {
  expect(parametersOf({ size }).parameters).toEqual(
    aspectRatio === undefined ? { sampleCount: 1 } : { sampleCount: 1, aspectRatio },
  )
})

test.each([
  ['addresses', 'response_format', 'url'],
  ['streams', 'stream', true],
])('it has no %s of images', (_what, param, value) => {
  expect(() => parametersOf({ [param]: value })).toThrow(
    expect.objectContaining({ name: 'Untranslatable', param }),
  )
})

test('what it made is data; what it did not make is a failure', () => {
  const decoded = (answer: string) =>
    geminiCodec.decodeTask(Buffer.from(answer), call({})).toString()
  const predictions = [
    { mimeType: 'image/png', bytesBase64Encoded: 'aW1hZ2U=' },
    { raiFilteredReason: 'no' },
  ]
  expect(JSON.parse(decoded(JSON.stringify({ predictions })))).toEqual({
    created: 1_760_000_000,
    data: [{ b64_json: 'aW1hZ2U=' }],
  })
  for (const nothing of ['{}', '', '<html>', '[]', '{"predictions":[{}]}']) {
    expect(decoded(nothing)).toBe(nothing)
  }
})
