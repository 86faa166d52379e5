import { describe, expect, test } from 'vitest'
import { CALL, encoded, QUESTION, refusal, TOOLS } from './testing/encoded.ts'

const PNG = 'data:image/png;base64,iVBORw0KGgo='
const PDF = 'data:application/pdf;base64,JVBERi0='

describe('the address', () => {
  test.each([
    ['', 'https://api.anthropic.com/v1/messages'],
    ['https://proxy.example/', 'https://proxy.example/v1/messages'],
    ['https://proxy.example/v1/', 'https://proxy.example/v1/messages'],
    ['https://proxy.example/v1/messages', 'https://proxy.example/v1/messages'],
    ['https://proxy.example/anthropic?a=b', 'https://proxy.example/anthropic/v1/messages?a=b'],
  ])('of the base %j is %s', (baseUrl, url) => {
    expect(encoded({}, { channel: { baseUrl } }).url).toBe(url)
  })
})

describe('headers', () => {
  test('have the key and the version', () => {
    expect(encoded({}).headers).toEqual({
      'x-api-key': 'sk-ant-api03-x',
      'anthropic-version': '2023-06-01',
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
    })
  })

  test('have the token of a subscription as one', () => {
    const { headers } = encoded({}, { stream: true, channel: { key: 'sk-ant-oat01-y' } })
    expect(headers).toMatchObject({
      authorization: 'Bearer sk-ant-oat01-y',
      'anthropic-beta': 'oauth-2025-04-20',
      accept: 'text/event-stream',
    })
    expect(headers).not.toHaveProperty('x-api-key')
  })
})

test('a text with a system prompt', () => {
  const request = {
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'developer', content: [{ type: 'text', text: 'In French.' }] },
      ...QUESTION,
    ],
    temperature: 1.4,
    top_p: 0.5,
    stop: ['END', ' '],
    user: 'u1',
    seed: 7,
    max_tokens: 10,
    max_completion_tokens: 20,
  }
  expect(encoded(request).json).toEqual({
    model: 'claude-opus-4-6',
    max_tokens: 20,
    system: [
      { type: 'text', text: 'Be short.' },
      { type: 'text', text: 'In French.' },
    ],
    messages: [{ role: 'user', content: [{ type: 'text', text: 'What time is it?' }] }],
    temperature: 1,
    stop_sequences: ['END'],
    metadata: { user_id: 'u1' },
    stream: false,
  })
})

test('a conversation with images, files, parallel tools and their results', () => {
  const messages = [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Compare.' },
        { type: 'image_url', image_url: { url: 'https://pictures.example/a.png' } },
        { type: 'image_url', image_url: { url: PNG, detail: 'low' } },
        { type: 'file', file: { filename: 'a.pdf', file_data: PDF } },
        { type: 'file', file: { file_data: 'data:text/plain;charset=utf-8;base64,aMOp' } },
      ],
    },
    {
      role: 'assistant',
      content: '',
      tool_calls: [
        CALL,
        { id: 'functions.get_date:1', type: 'function', function: { name: 'get_date' } },
      ],
    },
    { role: 'tool', tool_call_id: 'toolu_1', content: '12:00' },
    { role: 'system', content: 'Hurry.' },
    {
      role: 'tool',
      tool_call_id: 'functions.get_date:1',
      content: [
        { type: 'text', text: 'Monday' },
        { type: 'image_url', image_url: { url: PNG } },
      ],
    },
    { role: 'user', content: 'So?' },
  ]
  const image = {
    type: 'image',
    source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' },
  }
  const { json } = encoded({ messages, tools: TOOLS, parallel_tool_calls: false })
  expect(json['messages']).toEqual([
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Compare.' },
        { type: 'image', source: { type: 'url', url: 'https://pictures.example/a.png' } },
        image,
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
          title: 'a.pdf',
        },
        { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hé' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'tool_use', id: 'toolu_1', name: 'get_time', input: { tz: 'UTC' } },
        { type: 'tool_use', id: 'functions_get_date_1', name: 'get_date', input: {} },
      ],
    },
    {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 'toolu_1',
          content: [{ type: 'text', text: '12:00' }],
        },
        {
          type: 'tool_result',
          tool_use_id: 'functions_get_date_1',
          content: [{ type: 'text', text: 'Monday' }, image],
        },
        { type: 'text', text: 'Hurry.' },
        { type: 'text', text: 'So?' },
      ],
    },
  ])
  expect(json['tool_choice']).toEqual({ type: 'auto', disable_parallel_tool_use: true })
})

describe('the order of a conversation', () => {
  const said = { role: 'assistant', content: 'One, two, ' }

  test('begins with the user', () => {
    const turns = encoded({ messages: [{ role: 'system', content: 'Go.' }] }).json['messages']
    expect(turns).toEqual([{ role: 'user', content: [{ type: 'text', text: 'Continue.' }] }])
  })

  test('ends with the beginning of an answer where the model goes on from it', () => {
    const model = 'claude-sonnet-4-5'
    const { json } = encoded({ messages: [...QUESTION, said] }, { model })
    expect(json['messages']).toMatchObject([{}, { content: [{ text: 'One, two,' }] }])
  })

  test('ends with the user where it does not', () => {
    const messages = [...QUESTION, said]
    const spoken = [{}, {}, { role: 'user', content: [{ text: 'Continue.' }] }]
    expect(encoded({ messages }).json['messages']).toMatchObject(spoken)
    const request = { messages, reasoning_effort: 'high' }
    const { json } = encoded(request, { model: 'claude-sonnet-4-5' })
    expect(json['messages']).toMatchObject(spoken)
  })

  test('has no empty texts', () => {
    const messages = [{ role: 'user', content: ' \n' }, ...QUESTION, { role: 'user', content: [] }]
    expect(encoded({ messages }).json['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'What time is it?' }] },
    ])
  })
})

describe('refused is', () => {
  const part = (value: unknown) => ({ messages: [{ role: 'user', content: [value] }] })
  const PART = 'messages.0.content.0'

  test.each<[Record<string, unknown>, string]>([
    [{ n: 2 }, 'n'],
    [{ logprobs: true }, 'logprobs'],
    [{ modalities: ['text', 'audio'] }, 'modalities'],
    [{ audio: { voice: 'x' } }, 'audio'],
    [{ web_search_options: {} }, 'web_search_options'],
    [{ functions: [{ name: 'f' }] }, 'functions'],
    [{ tools: [{ type: 'custom', custom: { name: 'x' } }] }, 'tools.0'],
    [{ tools: [{ type: 'web_search_20250305', name: 'web_search' }] }, 'tools.0'],
    [{ tools: TOOLS, tool_choice: { type: 'custom' } }, 'tool_choice'],
    [part({ type: 'input_audio', input_audio: { data: '', format: 'wav' } }), PART],
    [part({ type: 'file', file: { file_id: 'file-1' } }), `${PART}.file`],
    [part({ type: 'image_url', image_url: { url: 'ftp://x' } }), `${PART}.image_url`],
    [part({ type: 'image_url', image_url: 'data:image/bmp;base64,QQ==' }), `${PART}.image_url`],
    [{ messages: [{ role: 'user', content: 7 }] }, 'messages.0.content'],
    [{ messages: [{ role: 'function', content: '' }] }, 'messages.0.role'],
    [{ messages: [{ role: 'tool', content: '' }] }, 'messages.0.tool_call_id'],
    [
      { messages: [{ role: 'assistant', function_call: { name: 'x' } }] },
      'messages.0.function_call',
    ],
    [{ messages: [{ role: 'assistant', tool_calls: [7] }] }, 'messages.0.tool_calls.0'],
    [
      { messages: [{ role: 'assistant', tool_calls: [{ ...CALL, id: null }] }] },
      'messages.0.tool_calls.0.id',
    ],
  ])('%j', (request, param) => {
    expect(refusal(request)).toBe(param)
  })
})
