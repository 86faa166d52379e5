import { describe, expect, test } from 'vitest'
import type { ProviderCall } from '../../codec/provider-codec.ts'
import { conformance, MADE_ID } from '../../codec/testing/conformance.ts'
import { decodeWhole } from '../../codec/testing/decode-whole.ts'
import { answers, failures, streams } from './__fixtures__/wire.ts'
import { minimaxCodec } from './codec.ts'

const messages = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Hi' },
]

function call(parts: Partial<ProviderCall> = {}): ProviderCall {
  return {
    endpoint: 'chat',
    request: { model: 'MiniMax-Text-01', messages },
    model: 'MiniMax-Text-01',
    stream: false,
    channel: { baseUrl: '', key: 'sk-api-1', other: '' },
    now: 1_700_000_000_000,
    id: MADE_ID,
    ...parts,
  }
}

conformance('minimax', { codec: minimaxCodec, call, answers, streams, failures })

function encode(request: object, parts: Partial<ProviderCall> = {}) {
  const { body } = minimaxCodec.encode(call({ ...parts, request: { model: 'x', ...request } }))
  return JSON.parse(body.toString())
}

describe('what is sent', () => {
  test('goes to its own path, with a group behind the address', () => {
    const { url, headers } = minimaxCodec.encode(call({ stream: true }))
    expect(url).toBe('https://api.minimax.chat/v1/text/chatcompletion_v2')
    expect(headers).toEqual({
      authorization: 'Bearer sk-api-1',
      'content-type': 'application/json',
      accept: 'text/event-stream',
      'accept-encoding': 'identity',
    })
    const channel = { baseUrl: 'https://api.minimaxi.com/v1/?GroupId=7', key: 'k', other: '' }
    expect(minimaxCodec.encode(call({ channel })).url).toBe(
      'https://api.minimaxi.com/v1/text/chatcompletion_v2?GroupId=7',
    )
  })

  test('keeps messages, tools and limits, and the settings within what is allowed', () => {
    const turns = [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is it?' },
          { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
        ],
      },
      {
        role: 'assistant',
        content: '',
        reasoning_content: 'hm',
        reasoning_details: [{ type: 'reasoning.text', text: 'hm' }],
        tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ]
    const kept = {
      messages: turns,
      tools: [{ type: 'function', function: { name: 'f' } }],
      tool_choice: 'auto',
      max_completion_tokens: 9,
      response_format: { type: 'json_schema', json_schema: { name: 'a', schema: {} } },
    }
    const request = {
      ...kept,
      temperature: 0,
      top_p: 0.5,
      seed: 7,
      user: 'u',
      n: 1,
      presence_penalty: 1,
      stream_options: { include_usage: true },
    }
    const model = 'MiniMax-M2'
    expect(encode(request, { model, stream: true })).toEqual({
      ...kept,
      model,
      stream: true,
      temperature: 0.01,
      top_p: 0.5,
      reasoning_split: true,
    })
    const plain = [{ role: 'developer', content: 'Be brief.' }, messages[1]]
    expect(encode({ messages: plain, temperature: 1.5 })).toEqual({
      model: 'MiniMax-Text-01',
      stream: false,
      messages,
      temperature: 1,
    })
  })

  test('can search the web', () => {
    expect(encode({ messages, web_search_options: {} }).tools).toEqual([{ type: 'web_search' }])
    const tools = [{ type: 'web_search' }]
    expect(encode({ messages, tools, web_search_options: {} }).tools).toEqual(tools)
    const off = [{ type: 'web_search', web_search: { enable: false } }]
    expect(encode({ messages, tools: off })).not.toHaveProperty('tools')
    expect(encode({ messages, tools: [...off, ...tools] }).tools).toEqual(tools)
    expect(encode({ messages, tools: off, web_search_options: {} }).tools).toEqual(tools)
  })

  test.each<[object, string]>([
    [{ messages, n: 2 }, 'n'],
    [{ messages, audio: { voice: 'a' } }, 'audio'],
    [{ messages, modalities: ['text', 'image'] }, 'audio'],
    [{ messages, tools: [{ type: 'custom' }] }, 'tools.0'],
  ])('cannot be %j', (request, param) => {
    expect(() => encode(request)).toThrow(
      expect.objectContaining({ name: 'Untranslatable', param }),
    )
  })
})

test('embeds texts', () => {
  const one = call({ endpoint: 'embeddings', model: 'embo-01', request: { input: 'a' } })
  const { url, body } = minimaxCodec.encode(one)
  expect(url).toBe('https://api.minimax.chat/v1/embeddings')
  expect(JSON.parse(body.toString())).toEqual({ model: 'embo-01', texts: ['a'], type: 'db' })
  const answered = Buffer.from('{"vectors":[[1,2]],"total_tokens":3,"base_resp":{"status_code":0}}')
  expect(JSON.parse(decodeWhole(minimaxCodec.answers, answered, one).toString())).toEqual({
    object: 'list',
    model: 'embo-01',
    data: [{ object: 'embedding', index: 0, embedding: [1, 2] }],
    usage: { prompt_tokens: 3, total_tokens: 3 },
  })
  const failed = Buffer.from('{"vectors":null,"base_resp":{"status_code":1004}}')
  expect(decodeWhole(minimaxCodec.answers, failed, one)).toBe(failed)
})

test('an error that tells nothing is none', () => {
  const decoder = minimaxCodec.answers.decoder(call({ stream: true }))
  const said = answers[0]?.body.replace('{', '{"error":null,')
  const events = [...decoder.push(Buffer.from(`data: ${said}\n\n`)), ...decoder.end()]
  expect(Buffer.concat(events).toString()).toContain('"content":"Hi 你好"')
})

test('says the whole message where nothing came before it', () => {
  const decoder = minimaxCodec.answers.decoder(call({ stream: true }))
  const [only] = answers
  const events = [...decoder.push(Buffer.from(`data: ${only?.body}\n\n`)), ...decoder.end()]
  expect(Buffer.concat(events).toString()).toContain('"content":"Hi 你好"')
})
