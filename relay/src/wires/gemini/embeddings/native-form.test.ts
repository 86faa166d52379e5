import { expect, test } from 'vitest'
import { finish } from '../../../bytes/steps.ts'
import { accepted } from '../../../errors/testing/accepted.ts'
import { READABLE_CIPHER } from '../../openai-responses/testing/readable-cipher.ts'
import { readGeminiRequest } from '../read-request.ts'
import type { EmbeddingMethod } from './native-form.ts'

function nativeOf(method: EmbeddingMethod, body: string) {
  const call = { model: 'm', method, cipher: READABLE_CIPHER }
  return accepted(finish(readGeminiRequest(Buffer.from(body), call)).request).native
}

const sent = (method: EmbeddingMethod, body: string) =>
  nativeOf(method, body)?.encode({ model: 'o', outputLimit: 7 }).toString()

const HI = '"content":{"parts":[{"text":"hi: {"}], "role":"user"}'

test.each([
  [`{ ${HI} }`, `{ ${HI} }`],
  [`{"model":"models/dear", ${HI}}`, `{"model":"models/o", ${HI}}`],
  [`{"model" : "models/o", ${HI}, "x":1.0}`, `{"model" : "models/o", ${HI}, "x":1.0}`],
])('in a single request only a different model changes: %s', (body, expected) => {
  expect(sent('embedContent', body)).toBe(expected)
})

test.each([
  [`{${HI}}`, `{${HI},"model":"models/o"}`],
  [`{ "model":"models/m" , ${HI}}`, `{ "model":"models/o" , ${HI}}`],
  [`{${HI}, "model" : "models/o" }`, `{${HI}, "model" : "models/o" }`],
])('in a batch each request names the model: %s', (request, expected) => {
  const around = (one: string) => `{ "y":1.0, "requests": [ ${one} ,{"model":"models/o",${HI}} ]}`
  expect(sent('batchEmbedContents', around(request))).toBe(around(expected))
})

test.each([
  '{"content":{"parts":[{"text":"a","text":"b"}]}}',
  '{"content":{"parts":[{"text":"a","inlineData":{"mimeType":"image/png","data":"AAAA"}}]}}',
  '{"content":{"parts":[{"inline_data":{"mime_type":"text/plain","data":"YQ=="}}]}}',
  '{"content":{"parts":[{"text":"a"}],"Parts":[{"text":"b"}]}}',
])('members that could hide uncounted text are rewritten: %s', (body) => {
  expect(nativeOf('embedContent', body)).toBeUndefined()
  expect(nativeOf('batchEmbedContents', `{"requests":[${body}]}`)).toBeUndefined()
})

test.each([
  ['', false],
  [',"outputDimensionality":8', false],
  [',"embed_content_config":{"output_dimensionality":8}', false],
  [',"title":null', false],
  [',"taskType":"CLUSTERING"', true],
  [',"embedContentConfig":{"autoTruncate":true}', true],
])('%s cannot be translated: %s', (rest, isLossy) => {
  const body = `{${HI}${rest}}`
  expect(nativeOf('embedContent', body)).toMatchObject({ isLossy, obstacle: null })
  const several = `{"requests":[${body}]}`
  expect(nativeOf('batchEmbedContents', several)).toMatchObject({ isLossy, obstacle: null })
})
