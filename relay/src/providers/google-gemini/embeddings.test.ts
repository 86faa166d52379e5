import { expect, test } from 'vitest'
import { encodeEmbeddings } from './embeddings.ts'

test('what texts are embedded for is told with each of them', () => {
  const { body } = encodeEmbeddings({
    endpoint: 'embeddings',
    request: { input: ['a', 'b'], dimensions: 8, task_type: 'RETRIEVAL_DOCUMENT', title: 't' },
    model: 'gemini-embedding-001',
    stream: false,
    channel: { baseUrl: '', key: 'AIza-x', other: '' },
    now: 0,
    id: 'request-7',
  })
  const options = { outputDimensionality: 8, taskType: 'RETRIEVAL_DOCUMENT', title: 't' }
  const model = 'models/gemini-embedding-001'
  expect(JSON.parse(body.toString())).toEqual({
    requests: ['a', 'b'].map((text) => ({ model, content: { parts: [{ text }] }, ...options })),
  })
})
