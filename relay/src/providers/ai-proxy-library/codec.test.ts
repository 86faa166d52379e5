import { describe, expect, test } from 'vitest'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import { conformance, MADE_ID } from '../../codec/testing/conformance.ts'
import { answers, failures, streams } from './__fixtures__/wire.ts'
import { aiProxyLibraryCodec } from './codec.ts'

const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'What is it?' },
]

function call(parts: Partial<ProviderCall> = {}): ProviderCall {
  return {
    endpoint: 'chat',
    request: { model: 'gpt-4o', messages },
    model: 'gpt-4o',
    stream: false,
    channel: { baseUrl: '', key: 'key-1', other: ' 123456 ' },
    now: 1_700_000_000_000,
    id: MADE_ID,
    ...parts,
  }
}

conformance('ai-proxy-library', {
  codec: aiProxyLibraryCodec,
  call,
  answers,
  streams,
  failures,
  lacks: ['usage', 'length'],
})

describe('a question', () => {
  const encode = (request: object) =>
    aiProxyLibraryCodec.encode(call({ request: { model: 'gpt-4o', ...request } }))

  test('is the last message, to the knowledge base of the channel', () => {
    const { url, headers, body } = encode({ messages, max_tokens: 5, temperature: 1 })
    expect(url).toBe('https://api.aiproxy.io/api/library/ask')
    expect(headers).toMatchObject({ authorization: 'Bearer key-1', accept: 'application/json' })
    expect(JSON.parse(body.toString())).toEqual({
      model: 'gpt-4o',
      query: 'What is it?',
      libraryId: '123456',
      stream: false,
    })
    const parts = [
      { type: 'text', text: 'What' },
      { type: 'text', text: 'is it?' },
    ]
    const question = encode({ messages: [{ role: 'user', content: parts }] })
    expect(JSON.parse(question.body.toString()).query).toBe('What\nis it?')
  })

  const image = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }
  test.each<[object, string]>([
    [{ messages, n: 2 }, 'n'],
    [{ messages, logprobs: true }, 'logprobs'],
    [{ messages, stop: ['END'] }, 'stop'],
    [{ messages, response_format: { type: 'json_object' } }, 'response_format'],
    [{ messages, tools: [{ type: 'function', function: { name: 'f' } }] }, 'tools'],
    [{ messages: [{ role: 'user', content: [image] }] }, 'messages.0.content'],
  ])('cannot be %j', (request, param) => {
    expect(() => encode(request)).toThrow(
      expect.objectContaining({ name: 'Untranslatable', param }),
    )
  })
})
