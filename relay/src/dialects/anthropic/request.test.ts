import { expect, test } from 'vitest'
import { descriptorOf } from '../../catalogue.ts'
import type { RelayRequest } from '../../relay-request.ts'
import { isRequestProblem, type RequestProblem } from '../../request-problem.ts'
import { finish } from '../../steps.ts'
import { encodeRequest, requestForCodec } from '../openai/request.ts'
import { readCountRequest, readMessagesRequest } from './request.ts'

const ASKED = { model: 'claude-x', max_tokens: 100, messages: [{ role: 'user', content: 'hi' }] }

const read = (parts: object = {}) =>
  finish(readMessagesRequest('chat', Buffer.from(JSON.stringify({ ...ASKED, ...parts }))))

function accepted(result: RelayRequest | RequestProblem): RelayRequest {
  if (isRequestProblem(result)) throw new Error(result.message)
  return result
}

const chat = (parts: object = {}) => accepted(read(parts)).json()
const messages = (...given: object[]) => chat({ messages: given })['messages']

test('a question in OpenAI’s form', () => {
  expect(
    chat({ system: 'Be short.', temperature: 0.5, top_p: 0.9, stop_sequences: ['x'] }),
  ).toEqual({
    model: 'claude-x',
    max_tokens: 100,
    messages: [
      { role: 'system', content: [{ type: 'text', text: 'Be short.' }] },
      { role: 'user', content: [{ type: 'text', text: 'hi' }] },
    ],
    temperature: 0.5,
    top_p: 0.9,
    stop: ['x'],
  })
  expect(chat({ stream: true, metadata: { user_id: 'u' } })).toMatchObject({
    stream: true,
    stream_options: { include_usage: true },
    user: 'u',
  })
})

test('tools, their calls and their results', () => {
  const schema = { type: 'object', properties: { tz: { type: 'string' } } }
  const tools = [
    {
      name: 'get_time',
      description: 'The time',
      input_schema: schema,
      cache_control: { type: 'ephemeral' },
    },
    { type: 'web_search_20250305', name: 'web_search' },
  ]
  const named = { name: 'get_time', description: 'The time', parameters: schema }
  expect(
    chat({ tools, tool_choice: { type: 'any', disable_parallel_tool_use: true } }),
  ).toMatchObject({
    tools: [{ type: 'function', function: named, cache_control: { type: 'ephemeral' } }],
    tool_choice: 'required',
    parallel_tool_calls: false,
  })
  expect(chat({ tools, tool_choice: { type: 'tool', name: 'get_time' } })['tool_choice']).toEqual({
    type: 'function',
    function: { name: 'get_time' },
  })
  const image = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA' } }
  const shown = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
  expect(
    messages(
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Let me see.' },
          { type: 'tool_use', id: 't1', name: 'get_time', input: { tz: 'UTC' } },
          { type: 'tool_use', id: 't2', name: 'get_time', input: {} },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'And?' },
          {
            type: 'tool_result',
            tool_use_id: 't1',
            content: [{ type: 'text', text: 'noon' }, image],
          },
          { type: 'tool_result', tool_use_id: 't2', content: 'no such zone', is_error: true },
        ],
      },
    ),
  ).toEqual([
    {
      role: 'assistant',
      content: 'Let me see.',
      tool_calls: [
        { id: 't1', type: 'function', function: { name: 'get_time', arguments: '{"tz":"UTC"}' } },
        { id: 't2', type: 'function', function: { name: 'get_time', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 't1', content: 'noon' },
    { role: 'tool', tool_call_id: 't2', content: 'Error: no such zone' },
    { role: 'user', content: [{ type: 'text', text: 'And?' }, shown] },
  ])
})

test('images and documents', () => {
  const pdf = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' }
  const content = [
    { type: 'image', source: { type: 'url', url: 'https://pictures.test/a.png' } },
    { type: 'document', title: 'report.pdf', source: pdf },
    {
      type: 'document',
      title: 'Notes',
      source: { type: 'text', media_type: 'text/plain', data: 'one' },
    },
    {
      type: 'search_result',
      title: 'Found',
      source: 'https://x.test',
      content: [{ type: 'text', text: 'two' }],
    },
  ]
  expect(messages({ role: 'user', content })).toEqual([
    {
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'https://pictures.test/a.png' } },
        {
          type: 'file',
          file: { filename: 'report.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
        },
        { type: 'text', text: 'Notes\n\none' },
        { type: 'text', text: 'Found (https://x.test)\n\ntwo' },
      ],
    },
  ])
})

test('thoughts that are signed stay where they were had, others go', () => {
  const content = [
    { type: 'thinking', thinking: 'Hm.', signature: 's1' },
    { type: 'thinking', thinking: 'unsigned', signature: '' },
    { type: 'text', text: 'Wait' },
    { type: 'redacted_thinking', data: 'xyz' },
    { type: 'tool_use', id: 't', name: 'f', input: {} },
  ]
  expect(messages({ role: 'assistant', content })).toMatchObject([
    {
      content: 'Wait',
      thinking_blocks: [
        { type: 'thinking', thinking: 'Hm.', signature: 's1' },
        { type: 'redacted_thinking', data: 'xyz', after: { text: 4, tool_calls: 0 } },
      ],
    },
  ])
})

test('how hard to think, and in which form to answer', () => {
  const effortOf = (parts: object) => chat(parts)['reasoning_effort']
  const budget = (tokens: number) => ({ thinking: { type: 'enabled', budget_tokens: tokens } })
  expect([1024, 4095, 4096, 16_383, 16_384].map((tokens) => effortOf(budget(tokens)))).toEqual([
    'low',
    'low',
    'medium',
    'medium',
    'high',
  ])
  expect(effortOf({ thinking: { type: 'adaptive' } })).toBe('medium')
  expect(effortOf({ thinking: { type: 'disabled' } })).toBe('none')
  expect(effortOf({ ...budget(1024), output_config: { effort: 'max' } })).toBe('xhigh')
  expect(effortOf({})).toBeUndefined()
  const schema = { type: 'object' }
  const format = { type: 'json_schema', schema }
  const older = { type: 'json_schema', schema: { type: 'string' } }
  const told = { type: 'json_schema', json_schema: { name: 'answer', schema, strict: true } }
  for (const parts of [
    { output_config: { format } },
    { output_format: format },
    { output_config: { format }, output_format: older },
    { output_config: { effort: 'low' }, output_format: format },
  ]) {
    expect(chat(parts)['response_format']).toEqual(told)
  }
  for (const output_format of [null, 'json', { type: 'text' }]) {
    expect(chat({ output_format })).not.toHaveProperty('response_format')
  }
})

test.each([
  [{ model: undefined }, 'model'],
  [{ model: 7 }, 'model'],
  [{ max_tokens: undefined }, 'max_tokens'],
  [{ max_tokens: 0 }, 'max_tokens'],
  [{ max_tokens: 1.5 }, 'max_tokens'],
  [{ messages: undefined }, 'messages'],
  [{ messages: [] }, 'messages'],
  [{ messages: [null] }, 'messages.0.content'],
  [{ messages: [{ role: 'tool', content: 'x' }] }, 'messages.0.role'],
  [{ messages: [{ role: 'user', content: 7 }] }, 'messages.0.content'],
  [{ messages: [{ role: 'user', content: [{ type: 'video' }] }] }, 'messages.0.content.0.type'],
  [
    { messages: [{ role: 'user', content: [{ type: 'text', text: 7 }] }] },
    'messages.0.content.0.text',
  ],
  [
    {
      messages: [
        { role: 'user', content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] },
      ],
    },
    'messages.0.content.0.source.type',
  ],
  [
    { messages: [{ role: 'user', content: [{ type: 'tool_result', content: 'x' }] }] },
    'messages.0.content.0.tool_use_id',
  ],
  [{ messages: [{ role: 'assistant', content: [{ type: 'tool_use' }] }] }, 'messages.0.content.0'],
  [{ system: 7 }, 'system'],
])('%j is refused, or only Anthropic can be asked, and %s is named', (parts, param) => {
  const result = read(parts)
  const refusal = isRequestProblem(result) ? result : result.native?.obstacle
  expect(refusal).toMatchObject({ type: 'invalid_request_error', param })
})

test('what is no JSON is refused', () => {
  for (const body of ['', '[]', '{', '"x"', '\u0000']) {
    expect(finish(readMessagesRequest('chat', Buffer.from(body)))).toHaveProperty('message')
    expect(finish(readCountRequest(Buffer.from(body)))).toHaveProperty('message')
  }
})

test('who speaks OpenAI’s dialect gets nothing that only codecs know', () => {
  const request = accepted(
    read({
      system: [{ type: 'text', text: 'S', cache_control: { type: 'ephemeral' } }],
      thinking: { type: 'enabled', budget_tokens: 2000 },
      tools: [{ name: 'f', input_schema: {}, cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'user', content: 'hi' },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 's' },
            {
              type: 'tool_use',
              id: 't',
              name: 'f',
              input: {},
              cache_control: { type: 'ephemeral' },
            },
          ],
        },
      ],
    }),
  )
  const descriptor = descriptorOf(1)
  if (descriptor === undefined) throw new Error('there is no type 1')
  const sent = (model: string): unknown =>
    JSON.parse(encodeRequest(request, { model, descriptor }).toString())
  const plain = JSON.stringify(sent('gpt-4o'))
  expect(plain).not.toMatch(/cache_control|thinking_blocks|reasoning_effort/)
  expect(sent('gpt-4o')).toMatchObject({
    max_tokens: 100,
    messages: [{ role: 'system', content: 'S' }, { role: 'user', content: 'hi' }, {}],
  })
  expect(sent('gpt-5')).toMatchObject({ max_completion_tokens: 100, reasoning_effort: 'low' })
  expect(sent('gpt-5')).not.toHaveProperty('max_tokens')
  const limited = encodeRequest(request, { model: 'gpt-5', descriptor, outputLimit: 50 }).toString()
  expect(JSON.parse(limited)).toMatchObject({ max_completion_tokens: 50 })
  const forCodec = JSON.stringify(requestForCodec(request, { model: 'claude-x', descriptor }))
  expect(forCodec).toMatch(/cache_control.*thinking_blocks/)
})
