import { expect, test } from 'vitest'
import { finish } from '../../bytes/steps.ts'
import { isRequestProblem } from '../../errors/request-problem.ts'
import { accepted } from '../../errors/testing/accepted.ts'
import { READABLE_CIPHER } from '../openai-responses/testing/readable-cipher.ts'
import { type GeminiMethod, readGeminiRequest } from './read-request.ts'

const HI = { contents: [{ role: 'user', parts: [{ text: 'hi' }] }] }

function read(json: object, method: GeminiMethod = 'generateContent') {
  const call = { model: 'gemini-x', method, cipher: READABLE_CIPHER }
  return finish(readGeminiRequest(Buffer.from(JSON.stringify(json)), call))
}

test('reasoning is sent to clients that request it', () => {
  const thinking = (includeThoughts?: boolean) =>
    read({ ...HI, generationConfig: { thinkingConfig: { includeThoughts } } }).includeThoughts
  expect([thinking(true), thinking(false), thinking()]).toEqual([true, false, false])
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
  const requests = [one, { ...one, taskType: 'CLUSTERING' }]
  const asked = accepted(read({ requests }, 'batchEmbedContents').request)
  expect(asked.json()).toEqual({ model: 'gemini-x', input: ['t\na\nb', 't\na\nb'] })
  expect(asked.native).toMatchObject({ obstacle: { param: 'requests.1' }, isLossy: true })
})
