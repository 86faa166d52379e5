import { expect, test } from 'vitest'
import { member, parseJson } from '@tollgate/relay'
import {
  answerChat,
  answerError,
  answerJson,
  type Behaviour,
  startScriptedUpstream,
} from '../../testing/fakes/scripted-upstream.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { probeChannel } from './probe.ts'
import { createUpstream } from './send.ts'

const OPENAI = 1
const CUSTOM = 8
const OLLAMA = 30

const provider = openPerTest(() => startScriptedUpstream())
const upstream = openPerTest(() => createUpstream())

type Asked = Partial<Parameters<typeof probeChannel>[0]> & { type?: number }

const probe = (model: string, { type = CUSTOM, ...given }: Asked = {}) =>
  probeChannel({
    upstream,
    channel: {
      type,
      key: 'sk-upstream',
      base_url: provider.baseUrl('a'),
      other: '',
      config: '',
      model_mapping: '',
    },
    model,
    siteUrl: '',
    siteName: '',
    now: Date.now,
    ...given,
  })

const WRONG = answerError(400, {
  type: 'invalid_request_error',
  message: 'The model is not supported in the endpoint.',
})
const USAGE = { prompt_tokens: 1, total_tokens: 1 }
const SPOKEN: Behaviour = (response) => {
  response.writeHead(200, { 'content-type': 'audio/wav' }).end(Buffer.from('RIFF0000WAVE'))
}

const ANSWERS: Readonly<Record<string, Behaviour>> = {
  '/v1/chat/completions': answerChat(),
  '/v1/completions': answerJson({ choices: [{ text: 'hi' }], usage: USAGE }),
  '/v1/embeddings': answerJson({ data: [{ embedding: [1] }], usage: USAGE }),
  '/v1/moderations': answerJson({ results: [{ flagged: false }] }),
  '/v1/ocr': answerJson({ pages: [{ index: 0, markdown: '' }] }),
  '/v1/rerank': answerJson({ results: [{ index: 0, relevance_score: 0.5 }] }),
  '/v1/images/generations': answerJson({ data: [{ b64_json: 'aGk=' }] }),
  '/v1/audio/speech': SPOKEN,
  '/v1/audio/transcriptions': answerJson({ text: '' }),
}

/** A provider that serves the model at these paths only. */
const serve =
  (...paths: string[]): Behaviour =>
  (response, request) => {
    const answer = paths.includes(request.path) ? ANSWERS[request.path] : undefined
    return (answer ?? WRONG)(response, request)
  }

const pathsAsked = () => provider.requestsOf('a').map(({ path }) => path)

test.each([
  ['bge-reranker-v2-m3', '/v1/rerank'],
  ['BAAI/bge-reranker-v2-m3', '/v1/rerank'],
  ['Qwen3-Reranker-8B', '/v1/rerank'],
  ['jina-reranker-v3', '/v1/rerank'],
  ['mistral-ocr-latest', '/v1/ocr'],
  ['BAAI/bge-m3', '/v1/embeddings'],
  ['bge-large-zh-v1.5', '/v1/embeddings'],
  ['gte-large', '/v1/embeddings'],
  ['text-embedding-3-small', '/v1/embeddings'],
  ['Qwen3-Embedding-8B', '/v1/embeddings'],
  ['dall-e-3', '/v1/images/generations'],
  ['gpt-image-1', '/v1/images/generations'],
  ['black-forest-labs/FLUX.1-dev', '/v1/images/generations'],
  ['tts-1', '/v1/audio/speech'],
  ['gpt-4o-mini-tts', '/v1/audio/speech'],
  ['whisper-1', '/v1/audio/transcriptions'],
  ['gpt-4o-transcribe', '/v1/audio/transcriptions'],
  ['omni-moderation-latest', '/v1/moderations'],
  ['gpt-3.5-turbo-instruct', '/v1/completions'],
  ['gpt-4o-mini', '/v1/chat/completions'],
])('%s is tested at %s with a single request', async (model, path) => {
  provider.script('a', serve(path))
  expect(await probe(model)).toMatchObject({ outcome: 'passed', message: '', model })
  expect(pathsAsked()).toEqual([path])
})

test('a model that no card knows is tried at one endpoint after another', async () => {
  provider.script('a', serve('/v1/rerank'))
  expect(await probe('house-ranker')).toMatchObject({ outcome: 'passed', endpoint: 'rerank' })
  expect(pathsAsked()).toEqual([
    '/v1/chat/completions',
    '/v1/responses',
    '/v1/embeddings',
    '/v1/rerank',
  ])
})

test('an unknown model that every endpoint refuses cannot be tested', async () => {
  provider.script('a', WRONG)
  const message = 'The model is not supported in the endpoint.'
  const result = await probe('house-model')
  expect(result).toMatchObject({ outcome: 'untestable', message, namesKey: false })
})

test('a refused key ends the test at once, whatever the endpoint', async () => {
  provider.script('a', answerError(401, { code: 'invalid_api_key', message: 'Incorrect API key' }))
  for (const model of ['house-model', 'dall-e-3']) {
    expect(await probe(model)).toMatchObject({ outcome: 'failed', namesKey: true })
  }
  expect(pathsAsked()).toEqual(['/v1/chat/completions', '/v1/images/generations'])
})

test('a known model that its endpoint refuses has failed', async () => {
  provider.script('a', WRONG)
  expect(await probe('dall-e-3')).toMatchObject({ outcome: 'failed', endpoint: 'images' })
})

test.each(['gpt-realtime-2', 'sora-2'])(
  '%s cannot be tested, and nothing is sent',
  async (model) => {
    const message = 'No endpoint of this channel type can test the model.'
    expect(await probe(model)).toMatchObject({ outcome: 'untestable', endpoint: '', message })
    expect(pathsAsked()).toEqual([])
  },
)

test('a model whose endpoint the type lacks is tried as a chat only', async () => {
  provider.script('a', answerError(400, { message: 'does not support chat' }))
  expect(await probe('whisper-1', { type: OLLAMA })).toMatchObject({ outcome: 'untestable' })
  expect(pathsAsked()).toEqual(['/api/chat'])
})

test('a provider that requires a stream gets one', async () => {
  const refusal = answerError(400, { message: 'Stream must be set to true' })
  const chunks = [
    { choices: [{ index: 0, delta: { role: 'assistant', content: 'Hel' } }] },
    { choices: [{ index: 0, delta: { content: 'lo' }, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 } },
  ].map((chunk) => `data: ${JSON.stringify({ id: 'c', model: 'm', ...chunk })}\n\n`)
  const stream: Behaviour = (response, request) => {
    const isStream = member(parseJson(request.body.toString()), 'stream')
    if (isStream !== true) return refusal(response, request)
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`${chunks.join('')}data: [DONE]\n\n`)
  }
  provider.script('a', stream)
  expect(await probe('gpt-4o')).toMatchObject({ outcome: 'passed', reply: 'Hello' })
  expect(pathsAsked()).toEqual(['/v1/chat/completions', '/v1/chat/completions'])
})

test('an error inside a stream fails the test', async () => {
  const refusal = answerError(400, { message: 'Stream must be set to true' })
  const broken: Behaviour = (response) => {
    const error = { error: { message: 'Incorrect API key', code: 'invalid_api_key' } }
    response
      .writeHead(200, { 'content-type': 'text/event-stream' })
      .end(`data: ${JSON.stringify(error)}\n\n`)
  }
  provider.script('a', refusal, broken)
  const result = await probe('gpt-4o')
  expect(result).toMatchObject({ outcome: 'failed', message: 'Incorrect API key', namesKey: true })
})

test('a model that only Responses serve is tested there', async () => {
  const output = [{ type: 'message', content: [{ type: 'output_text', text: 'Hi' }] }]
  const usage = { input_tokens: 1, output_tokens: 1 }
  provider.script('a', answerJson({ id: 'r', status: 'completed', output, usage }))
  const result = await probe('gpt-5-pro', { type: OPENAI })
  expect(result).toMatchObject({ outcome: 'passed', reply: 'Hi' })
  expect(pathsAsked()).toEqual(['/v1/responses'])
})

test('the operator may choose the endpoint', async () => {
  provider.script('a', serve('/v1/rerank'))
  const result = await probe('gpt-4o', { endpoint: 'rerank' })
  expect(result).toMatchObject({ outcome: 'passed', endpoint: 'rerank' })
  expect(await probe('gpt-4o', { endpoint: 'images' })).toMatchObject({ outcome: 'failed' })
  expect(pathsAsked()).toEqual(['/v1/rerank', '/v1/images/generations'])
  expect(await probe('llama3', { type: OLLAMA, endpoint: 'images' })).toMatchObject({
    outcome: 'untestable',
  })
})
