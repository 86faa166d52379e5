import { expect, test } from 'vitest'
import { NestedJson } from '../../nested-json.ts'
import { isRequestProblem } from '../../request-problem.ts'
import { finish } from '../../steps.ts'
import type { Usage } from '../../usage.ts'
import { createResponsesDialect } from './dialect.ts'
import { seal, unseal } from './sealed.ts'

const METERED: Usage = {
  promptTokens: 10,
  cachedTokens: 4,
  cacheWriteTokens: 1,
  completionTokens: 3,
  reasoningTokens: 2,
}

const TOOLS = [
  { type: 'function', name: 'time' },
  { type: 'custom', name: 'patch' },
  { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find' }] },
]
const SEALED = { include: ['reasoning.encrypted_content'] }

function told(
  message: object,
  asked: object = {},
  rest: { finish_reason?: string; logprobs?: object; usage?: object } = {},
) {
  const dialect = createResponsesDialect()
  const request = JSON.stringify({ model: 'gpt-x', input: 'hi', tools: TOOLS, ...asked })
  const read = finish(dialect.readRequest('chat', Buffer.from(request)))
  if (isRequestProblem(read)) throw new Error(read.message)
  const { usage, ...ofChoice } = rest
  const choices = [{ index: 0, message, finish_reason: 'stop', ...ofChoice }]
  const head = { id: 'chatcmpl-1', created: 1_760_000_000, model: 'gpt-4o' }
  const body = Buffer.from(JSON.stringify({ ...head, choices, usage }))
  const answer: unknown = JSON.parse(finish(dialect.answer(body, METERED)).toString())
  return answer
}

test('a text is a message, beside what was asked and used', () => {
  const usage = {
    prompt_tokens: 20,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 2 },
    completion_tokens_details: { reasoning_tokens: 1 },
  }
  const asked = { instructions: 'Be short.', store: true, metadata: { a: 'b' }, temperature: 0.5 }
  expect(told({ content: 'Hello' }, asked, { usage })).toEqual({
    id: 'resp_chatcmpl-1',
    object: 'response',
    created_at: 1_760_000_000,
    status: 'completed',
    error: null,
    incomplete_details: null,
    model: 'gpt-4o',
    background: false,
    instructions: 'Be short.',
    max_output_tokens: null,
    max_tool_calls: null,
    metadata: { a: 'b' },
    parallel_tool_calls: true,
    previous_response_id: null,
    prompt_cache_key: null,
    reasoning: { effort: null, summary: null },
    safety_identifier: null,
    store: false,
    temperature: 0.5,
    text: { format: { type: 'text' } },
    tool_choice: 'auto',
    tools: TOOLS,
    top_logprobs: 0,
    top_p: null,
    truncation: 'disabled',
    user: null,
    output: [
      {
        id: 'msg_chatcmpl-1_0',
        type: 'message',
        status: 'completed',
        role: 'assistant',
        content: [{ type: 'output_text', text: 'Hello', annotations: [] }],
      },
    ],
    usage: {
      input_tokens: 20,
      input_tokens_details: { cached_tokens: 8, cache_write_tokens: 2 },
      output_tokens: 5,
      output_tokens_details: { reasoning_tokens: 1 },
      total_tokens: 25,
    },
  })
})

test('without reported usage what was metered is told', () => {
  expect(told({ content: 'Hello' })).toMatchObject({
    usage: { input_tokens: 10, output_tokens: 3, total_tokens: 13 },
  })
})

test('calls are of what was defined', () => {
  const call = (id: string, name: string, args: string) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  })
  const tool_calls = [
    call('a', 'time', '{"x":1}'),
    call('b', 'patch', '{"input":"text"}'),
    call('c', 'patch', 'bare text'),
    call('', 'find', '{}'),
  ]
  expect(told({ content: null, reasoning_content: 'Hm.', tool_calls })).toMatchObject({
    output: [
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Hm.' }] },
      { type: 'function_call', call_id: 'a', name: 'time', arguments: '{"x":1}' },
      { type: 'custom_tool_call', call_id: 'b', name: 'patch', input: 'text' },
      { type: 'custom_tool_call', call_id: 'c', name: 'patch', input: 'bare text' },
      {
        type: 'function_call',
        call_id: 'call_chatcmpl-1_3',
        namespace: 'crm',
        name: 'find',
        arguments: '{}',
      },
    ],
  })
})

test('what is cut off is incomplete', () => {
  expect(told({ content: 'Hel' }, {}, { finish_reason: 'length' })).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'max_output_tokens' },
    output: [{ status: 'incomplete' }],
  })
  expect(told({ content: 'Hel' }, {}, { finish_reason: 'model_length' })).toMatchObject({
    incomplete_details: { reason: 'max_output_tokens' },
  })
  expect(told({ content: '' }, {}, { finish_reason: 'content_filter' })).toMatchObject({
    status: 'incomplete',
    incomplete_details: { reason: 'content_filter' },
    output: [],
  })
})

test('a refusal, log probabilities and Magistral’s parts', () => {
  expect(told({ content: null, refusal: 'No.' })).toMatchObject({
    output: [{ content: [{ type: 'refusal', refusal: 'No.' }] }],
  })
  const content = [{ token: 'x', logprob: -1, bytes: [120], top_logprobs: [] }]
  expect(told({ content: 'x' }, {}, { logprobs: { content } })).toMatchObject({
    output: [{ content: [{ type: 'output_text', text: 'x', logprobs: content }] }],
  })
  const parts = [
    { type: 'thinking', thinking: [{ type: 'text', text: 'Hm' }] },
    { type: 'text', text: 'So' },
  ]
  expect(told({ content: parts })).toMatchObject({
    output: [{ summary: [{ text: 'Hm' }] }, { content: [{ text: 'So' }] }],
  })
})

test('pictures are those of a tool, where they come as data', () => {
  const image = (url: unknown) => ({ type: 'image_url', image_url: { url } })
  const images = [
    image('data:image/png;base64,aGk='),
    image('https://example.com/x.png'),
    image('data:text/plain;base64,aGk='),
    image(7),
    null,
  ]
  const item = {
    id: 'ig_chatcmpl-1_1',
    type: 'image_generation_call',
    status: 'completed',
    output_format: 'png',
    result: 'aGk=',
  }
  for (const thinking_blocks of [[], [{ type: 'redacted_thinking', data: 'd' }]]) {
    expect(told({ content: 'Here', images, thinking_blocks })).toMatchObject({
      status: 'completed',
      output: [{ content: [{ text: 'Here' }] }, item],
    })
  }
})

const THOUGHTS = [
  { type: 'thinking', thinking: 'Hm', signature: 's', model: 'm' },
  { type: 'redacted_thinking', data: 'd', after: { text: 2, tool_calls: 1 } },
]
const CALLS = ['a', 'b'].map((id) => ({
  id,
  type: 'function',
  function: { name: 'time', arguments: '{}' },
  extra_content: { google: { thought_signature: id } },
}))

test('signed thoughts are sealed where they were had, if that was asked for', () => {
  const message = { content: 'So', thinking_blocks: THOUGHTS, reasoning_content: 'Hm' }
  const answer = told({ ...message, tool_calls: CALLS }, SEALED)
  expect(answer).toMatchObject({
    output: [
      { type: 'reasoning', summary: [{ text: 'Hm' }] },
      { type: 'message' },
      { type: 'reasoning', summary: [] },
      { type: 'function_call', call_id: 'a' },
      { type: 'reasoning', summary: [] },
      { type: 'reasoning', summary: [] },
      { type: 'function_call', call_id: 'b' },
    ],
  })
  const sealed = JSON.stringify(answer).matchAll(/"encrypted_content":"([^"]+)"/g)
  const signed = (id: string) => ({
    type: 'tool_call',
    id,
    extra_content: { google: { thought_signature: id } },
  })
  expect([...sealed].flatMap(([, text]) => unseal(text, new NestedJson()))).toEqual([
    { type: 'thinking', thinking: 'Hm', signature: 's', model: 'm' },
    signed('a'),
    { type: 'redacted_thinking', data: 'd' },
    signed('b'),
  ])
  expect(told({ ...message, tool_calls: CALLS })).toMatchObject({
    output: [{ type: 'reasoning' }, { type: 'message' }, { call_id: 'a' }, { call_id: 'b' }],
  })
})

test('what signs the whole message comes last', () => {
  const extra_content = { google: { thought_signature: 's' } }
  expect(told({ content: 'So', extra_content }, SEALED)).toMatchObject({
    output: [
      { type: 'message' },
      { type: 'reasoning', encrypted_content: expect.stringMatching(/^[\w+/=]+$/) },
    ],
  })
})

test('the signature of a picture comes before it, if that was asked for', () => {
  const extra_content = { google: { thought_signature: 's' } }
  const url = 'data:image/png;base64,aGk='
  const images = [{ type: 'image_url', image_url: { url }, extra_content }]
  const entries = [{ type: 'image', id: 'ig_chatcmpl-1_2', extra_content }]
  expect(told({ content: 'Here', images }, SEALED)).toMatchObject({
    output: [
      { type: 'message' },
      { type: 'reasoning', summary: [], encrypted_content: seal(entries) },
      { type: 'image_generation_call', id: 'ig_chatcmpl-1_2', result: 'aGk=' },
    ],
  })
  expect(told({ content: null, images })).toMatchObject({
    output: [{ type: 'image_generation_call', id: 'ig_chatcmpl-1_0' }],
  })
})
