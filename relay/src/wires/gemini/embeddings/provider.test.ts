import { expect, test } from 'vitest'
import type { JsonRecord } from '../../../bytes/json-value.ts'
import { callTo } from '../../../streams/testing/call-to.ts'
import { encodeEmbeddings } from './provider.ts'

const MODEL = { key: 'AIza-x', model: 'gemini-embedding-001' }
const encode = (request: JsonRecord) =>
  encodeEmbeddings(callTo(MODEL, { endpoint: 'embeddings', request }))

test('the task type is sent with each text', () => {
  const about = { dimensions: 8, task_type: 'RETRIEVAL_DOCUMENT', title: 't' }
  const { body } = encode({ input: ['a', 'b'], ...about })
  const options = { outputDimensionality: 8, taskType: 'RETRIEVAL_DOCUMENT', title: 't' }
  const model = 'models/gemini-embedding-001'
  expect(JSON.parse(body.toString())).toEqual({
    requests: ['a', 'b'].map((text) => ({ model, content: { parts: [{ text }] }, ...options })),
  })
})

test.each([
  ['title', { input: ['a'], title: 'a'.repeat(1001) }],
  ['input', { input: Array.from({ length: 2049 }, () => 'a') }],
])('a small request does not become a huge one: %s', (param, request) => {
  expect(() => encode(request)).toThrow(expect.objectContaining({ param }))
})
