import { expect, test } from 'vitest'
import {
  answerChat,
  answerError,
  answerJson,
  chatAnswer,
  neverAnswer,
  resetConnection,
  startScriptedUpstream,
} from '../../testing/fakes/scripted-upstream.ts'
import { openPerTest } from '../../testing/harness/open-once.ts'
import { UPSTREAM_LIMITS } from './limits.ts'
import { probeChannel } from './probe.ts'
import { createUpstream } from './send.ts'

const CUSTOM = 8
const GROQ = 29
const GEMINI = 24
const PALM = 11
const OLLAMA = 30

const provider = openPerTest(() => startScriptedUpstream())
const upstream = openPerTest(() =>
  createUpstream({ ...UPSTREAM_LIMITS, firstByteMs: 200, answerBytesMax: 10_000 }),
)

type Asked = {
  model?: string
  type?: number
  base_url?: string
  key?: string
  signal?: AbortSignal
}

const probe = (asked: Asked = {}) => {
  const { model = 'gpt-4o-mini', type = CUSTOM, key = 'sk-upstream', signal } = asked
  const { base_url = provider.baseUrl('a') } = asked
  return probeChannel({
    upstream,
    channel: { type, key, base_url, other: '', config: '', model_mapping: '{"alias":"real"}' },
    model,
    siteUrl: '',
    siteName: '',
    now: Date.now,
    signal,
  })
}

test('passes with a choice and usage, and requests little', async () => {
  provider.script('a', answerChat())
  expect(await probe({ model: 'alias' })).toMatchObject({
    outcome: 'passed',
    endpoint: 'chat',
    message: '',
    reply: 'Hello there',
    model: 'alias',
  })
  const [sent] = provider.requestsOf('a')
  expect(sent?.path).toBe('/v1/chat/completions')
  expect(sent?.headers.authorization).toBe('Bearer sk-upstream')
  expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({
    model: 'real',
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: 16,
  })
})

test('passes without usage if the provider need not report it', async () => {
  provider.script('a', answerJson({ embeddings: [{ values: [1] }] }))
  expect(await probe({ type: GEMINI, model: 'gemini-embedding-001' })).toMatchObject({
    outcome: 'passed',
  })
  provider.script('a', answerJson({ candidates: [{ content: 'Hi' }] }))
  expect(await probe({ type: PALM, model: 'PaLM-2' })).toMatchObject({ outcome: 'passed' })
  provider.script('a', answerJson({ message: { content: 'Hi' }, done: true, eval_count: 2 }))
  expect(await probe({ type: OLLAMA, model: 'qwen3' })).toMatchObject({ outcome: 'passed' })
})

test('returns why it failed, and whether the key was refused', async () => {
  const failures = [
    [answerError(401, { code: 'invalid_api_key', message: 'Incorrect API key provided' }), true],
    [answerError(500, { message: 'boom' }), false],
    [answerJson(chatAnswer('hi', null)), false],
    [answerJson({ choices: [] }), false],
    [answerJson('<html></html>'), false],
    [answerJson(chatAnswer('x'.repeat(20_000))), false],
    [answerJson('', { status: 307, headers: { location: provider.baseUrl('b') } }), false],
    [resetConnection, false],
    [neverAnswer, false],
  ] as const
  for (const [behaviour, namesKey] of failures) {
    provider.script('a', behaviour)
    const result = await probe()
    expect(result).toMatchObject({ outcome: 'failed', namesKey })
    expect(result.message).not.toBe('')
    expect(result.message).not.toContain('127.0.0.1')
  }
  expect(provider.requestsOf('b')).toEqual([])
})

test('a key repeated by the provider is redacted, an ordinary word is not', async () => {
  provider.script('a', answerError(401, { code: 'invalid_api_key', message: 'error: my-secret-1' }))
  const messageWith = async (key: string) => (await probe({ key })).message
  expect(await messageWith('my-secret-1')).toBe('error: [key]')
  expect(await messageWith('error')).toBe('error: my-secret-1')
})

test('a reply is one line, shortened, and without the key', async () => {
  provider.script('a', answerJson(chatAnswer(`a\n my-secret-1 ${'x'.repeat(5000)}`)))
  const { outcome, reply } = await probe({ key: 'my-secret-1' })
  expect([outcome, reply.slice(0, 9)]).toEqual(['passed', 'a [key] x'])
  expect(Buffer.byteLength(reply)).toBeLessThan(1100)
})

test('can be aborted', async () => {
  provider.script('a', neverAnswer)
  const stopping = new AbortController()
  const probing = probe({ signal: stopping.signal })
  stopping.abort()
  expect(await probing).toMatchObject({ outcome: 'failed', namesKey: false })
  expect(await probe({ signal: stopping.signal })).toMatchObject({ outcome: 'failed' })
})

test('a channel without an address or of an unknown type fails with a clear error', async () => {
  expect(await probe({ base_url: '' })).toMatchObject({ outcome: 'failed' })
  expect(await probe({ type: 9999 })).toMatchObject({ outcome: 'failed' })
  expect((await probe({ type: GROQ, base_url: 'http://127.0.0.1:1' })).message).toContain(
    'No connection',
  )
})
