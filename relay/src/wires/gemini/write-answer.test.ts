import { expect, test } from 'vitest'
import { modelFacts, type ModelFacts } from '../../cards/listed-facts.ts'
import { answerIn, finishedBy } from '../openai-chat/testing/chat.ts'
import { cipherFor } from '../openai-responses/testing/readable-cipher.ts'
import { geminiCallAt, geminiDialect } from './dialect.ts'
import { geminiModel } from './write-model.ts'

const dialectAt = (path: string, search = '') =>
  geminiDialect(geminiCallAt(path, search), cipherFor)
const GENERATES = '/v1beta/models/m:generateContent'

test.each([
  ['stop', 'STOP'],
  ['tool_calls', 'STOP'],
  ['length', 'MAX_TOKENS'],
  ['model_length', 'MAX_TOKENS'],
  ['content_filter', 'SAFETY'],
])('finish reason %s becomes %s', (finish, finishReason) => {
  const answer = answerIn(dialectAt(GENERATES), finishedBy(finish))
  expect(answer).toMatchObject({ candidates: [{ finishReason }] })
})

test.each([
  [400, 'x', 400, 'INVALID_ARGUMENT'],
  [401, 'invalid_api_key', 401, 'UNAUTHENTICATED'],
  [403, 'insufficient_user_quota', 402, 'RESOURCE_EXHAUSTED'],
  [403, 'x', 403, 'PERMISSION_DENIED'],
  [404, 'model_not_found', 404, 'NOT_FOUND'],
  [413, 'x', 413, 'INVALID_ARGUMENT'],
  [429, 'x', 429, 'RESOURCE_EXHAUSTED'],
  [500, 'x', 500, 'INTERNAL'],
  [502, 'x', 502, 'INTERNAL'],
  [503, 'x', 503, 'UNAVAILABLE'],
  [504, 'x', 504, 'DEADLINE_EXCEEDED'],
])('an error %i %s becomes %i %s', (status, code, statusTold, name) => {
  const error = { status, code, message: 'why', type: 'one_api_error' }
  const json = { error: { code: statusTold, message: 'why', status: name } }
  expect(geminiDialect(null, cipherFor).error(error)).toEqual({
    status: statusTold,
    body: JSON.stringify(json),
  })
  const path = '/v1beta/models/m:streamGenerateContent'
  expect(dialectAt(path).error(error).body).toBe(JSON.stringify([json]))
  expect(dialectAt(path, 'alt=sse').error(error).body).toBe(JSON.stringify(json))
})

test('paths that name a method', () => {
  const call = { model: 'm', method: 'generateContent', asEvents: false }
  expect(geminiCallAt('/v1beta/models/m:generateContent', '')).toEqual(call)
  expect(geminiCallAt('/v1/models/m:generateContent', 'key=x')).toEqual(call)
  expect(geminiCallAt('/v1beta/models/a%2Fb/c:free:countTokens', 'x=1&alt=sse')).toEqual({
    model: 'a/b/c:free',
    method: 'countTokens',
    asEvents: true,
  })
  expect(geminiCallAt('/v1beta/models/%zz:embedContent', '')).toMatchObject({ model: '%zz' })
  for (const path of ['/v1beta/models/m', '/v1beta/models/m:fly', '/v1beta/models/:countTokens']) {
    expect(geminiCallAt(path, '')).toBeNull()
  }
})

test('models list their methods', () => {
  const facts: ModelFacts = { ...modelFacts('gpt-4.1'), efforts: ['low'] }
  expect(geminiModel({ id: 'gpt-4.1', facts })).toEqual({
    name: 'models/gpt-4.1',
    displayName: 'gpt-4.1',
    supportedGenerationMethods: ['generateContent', 'countTokens'],
    inputTokenLimit: 1_047_576,
    outputTokenLimit: 32_768,
    thinking: true,
  })
  const id = 'text-embedding-3-small'
  expect(geminiModel({ id, facts: modelFacts(id) })).toEqual({
    name: `models/${id}`,
    displayName: id,
    supportedGenerationMethods: ['embedContent', 'batchEmbedContents'],
  })
})

test('content nested too deep is left out', () => {
  const deep = `${'{"1":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  const token = { token: 'DEEP', logprob: 'DEEP' }
  const logprobs = { content: [{ ...token, top_logprobs: [token] }] }
  const tool_calls = [{ id: 'c', function: { name: 'f', arguments: deep } }]
  const choices = [{ index: 0, message: { content: 'x', tool_calls }, logprobs }]
  const body = Buffer.from(JSON.stringify({ choices }).replaceAll('"DEEP"', deep))
  const answer = answerIn(dialectAt(GENERATES), body)
  const parts = [{ text: 'x' }, { functionCall: { id: 'c', name: 'f', args: {} } }]
  const chosenCandidates = [{ token: '' }]
  const topCandidates = [{ candidates: chosenCandidates }]
  expect(answer).toMatchObject({
    candidates: [{ content: { parts }, logprobsResult: { topCandidates, chosenCandidates } }],
  })
})
