import { afterEach, beforeEach, expect, test } from 'vitest'
import {
  answerChat,
  answerError,
  answerJson,
  chatAnswer,
  neverAnswer,
  resetConnection,
  type ScriptedUpstream,
  startScriptedUpstream,
} from '../../testing/scripted-upstream.ts'
import { UPSTREAM_LIMITS } from './limits.ts'
import { probeChannel } from './probe.ts'
import { createUpstream, type Upstream } from './send.ts'

const CUSTOM = 8
const GROQ = 29

let provider: ScriptedUpstream
let upstream: Upstream

beforeEach(async () => {
  provider = await startScriptedUpstream()
  upstream = createUpstream({ ...UPSTREAM_LIMITS, firstByteMs: 200, answerBytesMax: 10_000 })
})

afterEach(async () => {
  await upstream.close()
  await provider.close()
})

const probe = (model = 'gpt-4o-mini', type = CUSTOM, base_url = provider.baseUrl('a')) =>
  probeChannel({
    upstream,
    channel: { type, key: 'sk-upstream', base_url, model_mapping: '{"alias":"real"}' },
    model,
    siteUrl: '',
    siteName: '',
    now: Date.now,
  })

test('passes with a choice and usage, and asks little', async () => {
  provider.script('a', answerChat())
  expect(await probe('alias')).toMatchObject({ ok: true, message: '', model: 'alias' })
  const [sent] = provider.requestsOf('a')
  expect(sent?.path).toBe('/v1/chat/completions')
  expect(sent?.headers.authorization).toBe('Bearer sk-upstream')
  expect(JSON.parse(sent?.body.toString() ?? '')).toEqual({
    model: 'real',
    messages: [{ role: 'user', content: 'hi' }],
    max_tokens: 16,
  })
})

test('asks an embedding model for an embedding', async () => {
  const usage = { prompt_tokens: 1, total_tokens: 1 }
  provider.script('a', answerJson({ data: [{ embedding: [1] }], usage }))
  expect(await probe('text-embedding-3-small')).toMatchObject({ ok: true })
  expect(provider.requestsOf('a')[0]?.path).toBe('/v1/embeddings')
})

test('says why it did not pass, and whether the key was refused', async () => {
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
    expect(result).toMatchObject({ ok: false, namesKey })
    expect(result.message).not.toBe('')
    expect(result.message).not.toContain('127.0.0.1')
  }
  expect(provider.requestsOf('b')).toEqual([])
})

test('a channel without an address or of an unknown type fails in words', async () => {
  expect(await probe('m', CUSTOM, '')).toMatchObject({ ok: false })
  expect(await probe('m', 9999)).toMatchObject({ ok: false })
  expect((await probe('m', GROQ, 'http://127.0.0.1:1')).message).toContain('No connection')
})
