import { expect, test } from 'vitest'
import { finish as run } from '../../steps.ts'
import type { Usage } from '../../usage.ts'
import { geminiCallAt, geminiDialect } from './dialect.ts'
import { geminiModel } from './models.ts'

const METERED: Usage = {
  promptTokens: 10,
  cachedTokens: 4,
  cacheWriteTokens: 1,
  completionTokens: 3,
  reasoningTokens: 0,
}

const dialectAt = (path: string, search = '') => geminiDialect(geminiCallAt(path, search))
const question = (includeThoughts: boolean) =>
  Buffer.from(
    JSON.stringify({
      contents: [{ parts: [{ text: 'hi' }] }],
      generationConfig: { thinkingConfig: { includeThoughts } },
    }),
  )

type Told = { finish?: string; usage?: object; withThoughts?: boolean; logprobs?: object }

function told(
  message: object,
  { finish = 'stop', withThoughts = false, logprobs, usage }: Told = {},
) {
  const choices = [
    { index: 0, message: { role: 'assistant', ...message }, logprobs, finish_reason: finish },
  ]
  const body = JSON.stringify({ id: 'chatcmpl-1', model: 'gpt-4o', choices, usage })
  const dialect = dialectAt('/v1beta/models/m:generateContent')
  run(dialect.readRequest('chat', question(withThoughts)))
  const answer: unknown = JSON.parse(run(dialect.answer(Buffer.from(body), METERED)).toString())
  return answer
}

const parts = (...list: object[]) => ({ candidates: [{ content: { role: 'model', parts: list } }] })
const signed = (signature: string) => ({
  extra_content: { google: { thought_signature: signature } },
})

test('a text is a candidate, with the usage that was reported', () => {
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 8 },
    completion_tokens_details: { reasoning_tokens: 2 },
  }
  expect(told({ content: 'Hello' }, { usage })).toEqual({
    candidates: [
      { content: { role: 'model', parts: [{ text: 'Hello' }] }, finishReason: 'STOP', index: 0 },
    ],
    usageMetadata: {
      promptTokenCount: 20,
      candidatesTokenCount: 3,
      thoughtsTokenCount: 2,
      cachedContentTokenCount: 8,
      totalTokenCount: 25,
    },
    modelVersion: 'gpt-4o',
    responseId: 'chatcmpl-1',
  })
})

test('without reported usage what was metered is told', () => {
  expect(told({ content: 'Hello' })).toMatchObject({
    usageMetadata: { promptTokenCount: 10, candidatesTokenCount: 3, totalTokenCount: 13 },
  })
})

test('calls are parts, with the signatures they came with', () => {
  const call = (id: string, args: string) => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: args },
  })
  const tool_calls = [{ ...call('a', '{"x":1}'), ...signed('s2') }, call('b', 'no JSON')]
  expect(
    told({ content: 'So', tool_calls, ...signed('s1') }, { finish: 'tool_calls' }),
  ).toMatchObject(
    parts(
      { text: 'So', thoughtSignature: 's1' },
      { functionCall: { id: 'a', name: 'f', args: { x: 1 } }, thoughtSignature: 's2' },
      { functionCall: { id: 'b', name: 'f', args: {} } },
    ),
  )
})

test('thoughts are told to those who asked for them', () => {
  const message = { content: 'Yes', reasoning_content: 'Hm.' }
  const thought = { text: 'Hm.', thought: true }
  expect(told(message)).toMatchObject(parts({ text: 'Yes' }))
  expect(told(message, { withThoughts: true })).toMatchObject(parts(thought, { text: 'Yes' }))
  const listed = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'Hm.' }] },
    { type: 'text', text: 'Yes' },
  ]
  expect(told({ content: listed })).toMatchObject(parts({ text: 'Yes' }))
  expect(told({ content: listed }, { withThoughts: true })).toMatchObject(
    parts(thought, { text: 'Yes' }),
  )
})

test('images, refusals and silence', () => {
  const image = (url: string) => ({ type: 'image_url', image_url: { url }, ...signed('s') })
  const images = [image('data:image/png;base64,aGk='), image('https://example.com/x')]
  expect(told({ content: null, images })).toMatchObject(
    parts(
      { inlineData: { mimeType: 'image/png', data: 'aGk=' }, thoughtSignature: 's' },
      { fileData: { fileUri: 'https://example.com/x' } },
    ),
  )
  expect(told({ content: null, refusal: 'No.' })).toMatchObject(parts({ text: 'No.' }))
  expect(told({ content: null })).toMatchObject(parts({ text: '' }))
  expect(told({ content: null, ...signed('s') })).toMatchObject(
    parts({ text: '', thoughtSignature: 's' }),
  )
})

test('how sure the model was', () => {
  const token = (name: string) => ({ token: name, logprob: -0.5 })
  const logprobs = { content: [{ ...token('a'), top_logprobs: [token('a'), token('b')] }] }
  const [a, b] = ['a', 'b'].map((name) => ({ token: name, logProbability: -0.5 }))
  expect(told({ content: 'a' }, { logprobs })).toMatchObject({
    candidates: [
      { logprobsResult: { topCandidates: [{ candidates: [a, b] }], chosenCandidates: [a] } },
    ],
  })
})

test.each([
  ['stop', 'STOP'],
  ['tool_calls', 'STOP'],
  ['length', 'MAX_TOKENS'],
  ['model_length', 'MAX_TOKENS'],
  ['content_filter', 'SAFETY'],
])('what ends with %s ends with %s', (finish, finishReason) => {
  expect(told({ content: 'x' }, { finish })).toMatchObject({ candidates: [{ finishReason }] })
})

test('vectors, one or many', () => {
  const data = [{ embedding: [1, 2] }, { embedding: [3] }]
  const body = Buffer.from(JSON.stringify({ object: 'list', data }))
  const answer = (method: string): unknown =>
    JSON.parse(run(dialectAt(`/v1/models/m:${method}`).answer(body, METERED)).toString())
  expect(answer('embedContent')).toEqual({ embedding: { values: [1, 2] } })
  expect(answer('batchEmbedContents')).toEqual({
    embeddings: [{ values: [1, 2] }, { values: [3] }],
  })
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
])('an error %i %s is %i %s', (status, code, statusTold, name) => {
  const error = { status, code, message: 'why', type: 'one_api_error' }
  const json = { error: { code: statusTold, message: 'why', status: name } }
  expect(geminiDialect(null).error(error)).toEqual({
    status: statusTold,
    body: JSON.stringify(json),
  })
  const path = '/v1beta/models/m:streamGenerateContent'
  expect(dialectAt(path).error(error).body).toBe(JSON.stringify([json]))
  expect(dialectAt(path, 'alt=sse').error(error).body).toBe(JSON.stringify(json))
})

test('paths that name a call', () => {
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

test('models say what they can be asked for', () => {
  expect(geminiModel('gpt-4o')).toMatchObject({
    name: 'models/gpt-4o',
    supportedGenerationMethods: ['generateContent', 'countTokens'],
  })
  expect(geminiModel('text-embedding-3-small').supportedGenerationMethods).toContain('embedContent')
})

test('what is nested too deep to be written out is left out', () => {
  const deep = `${'{"1":'.repeat(10_000)}1${'}'.repeat(10_000)}`
  const token = { token: 'DEEP', logprob: 'DEEP' }
  const logprobs = { content: [{ ...token, top_logprobs: [token] }] }
  const tool_calls = [{ id: 'c', function: { name: 'f', arguments: deep } }]
  const choices = [{ index: 0, message: { content: 'x', tool_calls }, logprobs }]
  const body = Buffer.from(JSON.stringify({ choices }).replaceAll('"DEEP"', deep))
  const dialect = dialectAt('/v1beta/models/m:generateContent')
  const answer: unknown = JSON.parse(run(dialect.answer(body, METERED)).toString())
  expect(answer).toMatchObject({
    candidates: [
      {
        content: { parts: [{ text: 'x' }, { functionCall: { id: 'c', name: 'f', args: {} } }] },
        logprobsResult: {
          topCandidates: [{ candidates: [{ token: '' }] }],
          chosenCandidates: [{ token: '' }],
        },
      },
    ],
  })
})
