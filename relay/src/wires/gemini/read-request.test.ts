import { expect, test } from 'vitest'
import { finish } from '../../bytes/steps.ts'
import { isRequestProblem } from '../../errors/request-problem.ts'
import { READABLE_CIPHER } from '../openai-responses/testing/readable-cipher.ts'
import { type GeminiMethod, readGeminiRequest } from './read-request.ts'

const HI = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }

const read = (json: object, method: GeminiMethod = 'generateContent') =>
  finish(
    readGeminiRequest(Buffer.from(JSON.stringify(json)), {
      model: 'gemini-x',
      method,
      cipher: READABLE_CIPHER,
    }),
  )

test('reasoning is sent to clients that request it', () => {
  const thinking = (includeThoughts: boolean) => ({
    ...HI,
    generationConfig: { thinkingConfig: { includeThoughts } },
  })
  expect(read(thinking(true)).includeThoughts).toBe(true)
  expect(read(thinking(false)).includeThoughts).toBe(false)
  expect(read(HI).includeThoughts).toBe(false)
})

test.each(['', 'no JSON', '[]', '{"contents":[],"contents":[]}', '[[['.repeat(50), '\u{fffd}'])(
  'an invalid body: %s',
  (text) => {
    const call = { model: 'x', method: 'generateContent', cipher: READABLE_CIPHER } as const
    const { request: asked } = finish(readGeminiRequest(Buffer.from(text, 'latin1'), call))
    expect(isRequestProblem(asked)).toBe(true)
  },
)

test('texts with different embedding tasks are sent alike to other providers', () => {
  const content = { parts: [{ text: 'a' }, { text: 'b' }] }
  const one = { model: 'models/x', content, taskType: 'RETRIEVAL_QUERY', title: 't' }
  const { request: asked } = read(
    { requests: [one, { ...one, taskType: 'CLUSTERING' }] },
    'batchEmbedContents',
  )
  if (isRequestProblem(asked)) throw new Error(asked.message)
  expect(asked.json()).toEqual({ model: 'gemini-x', input: ['t\na\nb', 't\na\nb'] })
  expect(asked.native).toMatchObject({ obstacle: { param: 'requests.1' }, isLossy: true })
})
