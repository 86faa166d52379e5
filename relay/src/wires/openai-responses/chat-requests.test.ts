import { expect, test } from 'vitest'
import type { JsonRecord } from '../../bytes/json-value.ts'
import { finish } from '../../bytes/steps.ts'
import { isRequestProblem } from '../../errors/request-problem.ts'
import type { ToolCallEvent } from '../../form/events.ts'
import { chatDialect, textToolsDialect } from './chat-dialect.ts'

const PATCH = '*** Begin Patch\n+"a"\n*** End Patch'
const GRAMMAR = { type: 'grammar', syntax: 'lark', definition: 'start: x' }
const APPLY = { type: 'custom', name: 'ApplyPatch', description: 'Edits.', format: GRAMMAR }
const PARAMETERS = { type: 'object', properties: { path: { type: 'string' } } }
const SHELL = { type: 'function', name: 'Shell', parameters: PARAMETERS }
const NESTED = { type: 'function', function: { name: 'Shell', parameters: PARAMETERS } }
const FUNCTIONS = [
  {
    type: 'function',
    function: {
      name: 'ApplyPatch',
      description: 'Edits.',
      parameters: {
        type: 'object',
        properties: {
          input: { type: 'string', description: 'It must match this grammar (lark):\nstart: x' },
        },
        required: ['input'],
        additionalProperties: false,
      },
    },
  },
  NESTED,
]
const HI = { role: 'user', content: 'Fix it.' }
const functionCall = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
})
const textCall = (id: string) => functionCall(id, 'ApplyPatch', JSON.stringify({ input: PATCH }))
const told = (id: string, content = 'Done.') => ({ role: 'tool', tool_call_id: id, content })
const outputOf = (id: string) => ({ type: 'custom_tool_call_output', call_id: id, output: 'Done.' })
const TEXT_TOOLS = new Set(['ApplyPatch'])
const NESTED_CHOICE = { type: 'function', function: { name: 'ApplyPatch' } }
const SHELL_CHOICE = { type: 'function', function: { name: 'Shell' } }

const read = (body: JsonRecord) =>
  finish(chatDialect.readRequest('chat', Buffer.from(JSON.stringify(body)), {}))

function chatOf(body: JsonRecord) {
  const request = read(body)
  if (isRequestProblem(request)) expect.fail(request.message)
  return { chat: request.json(), request }
}

test('a body of Responses is read as chat completions', () => {
  const { chat, request } = chatOf({
    model: 'm',
    instructions: 'Be brief.',
    input: [
      { role: 'system', content: 'You are an agent.' },
      { role: 'user', content: [{ type: 'input_text', text: 'Fix it.' }] },
      { type: 'reasoning', id: 'rs_1', summary: [], encrypted_content: 'gAAA' },
      { type: 'function_call', call_id: 'call_1', name: 'Shell', arguments: '{"path":"a"}' },
      { type: 'function_call', call_id: 'call_2', name: 'ApplyPatch', arguments: PATCH },
      { type: 'custom_tool_call', call_id: 'call_3', name: 'ApplyPatch', input: PATCH },
      { type: 'function_call_output', call_id: 'call_1', output: 'a' },
      outputOf('call_2'),
      outputOf('call_3'),
    ],
    tools: [APPLY, SHELL],
    tool_choice: { type: 'custom', name: 'ApplyPatch' },
    stream: true,
    stream_options: { include_usage: true },
    include: ['reasoning.encrypted_content'],
    reasoning: { effort: 'medium', summary: 'auto' },
    text: { verbosity: 'low' },
    max_output_tokens: 50,
    user: 'ann',
    store: false,
    previous_response_id: null,
    prompt_cache_retention: '24h',
    truncation: 'auto',
    metadata: {},
  })
  expect(chat).toEqual({
    model: 'm',
    messages: [
      { role: 'system', content: 'Be brief.\n\nYou are an agent.' },
      HI,
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          functionCall('call_1', 'Shell', '{"path":"a"}'),
          textCall('call_2'),
          textCall('call_3'),
        ],
      },
      told('call_1', 'a'),
      told('call_2'),
      told('call_3'),
    ],
    tools: FUNCTIONS,
    tool_choice: NESTED_CHOICE,
    stream: true,
    stream_options: { include_usage: true },
    reasoning_effort: 'medium',
    verbosity: 'low',
    max_tokens: 50,
    user: 'ann',
  })
  expect(request).toMatchObject({ stream: true, includeUsage: true, outputLimit: 50 })
  expect(request.textTools).toEqual(TEXT_TOOLS)
})

test('a text, nested tools and the limit of chat completions are read too', () => {
  const limit = { max_completion_tokens: 9 }
  const body = { model: 'm', messages: [], input: 'Fix it.', tools: [NESTED], ...limit }
  const { chat, request } = chatOf(body)
  expect(chat).toEqual({ model: 'm', messages: [HI], tools: [NESTED], max_tokens: 9 })
  expect(request.outputLimit).toBe(9)
  expect(request.textTools).toBeUndefined()
})

const SCHEMA = { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } }

test.each<[JsonRecord, JsonRecord]>([
  ...[
    { n: 2 },
    { stop: ['END'] },
    { seed: 7 },
    { top_k: 40 },
    { presence_penalty: 0.5, frequency_penalty: -0.5 },
    { logit_bias: { 1: 2 } },
    { logprobs: true, top_logprobs: 2 },
    { modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } },
    { prediction: { type: 'content', content: 'x' } },
    { web_search_options: {} },
    { functions: [{ name: 'f' }], function_call: 'auto' },
    { thinking: { type: 'enabled', budget_tokens: 1024 } },
    { enable_thinking: false },
    { temperature: 0.5, top_p: 0.9 },
    { user: 'ann' },
    { prompt_cache_key: 'key' },
    { max_tokens: 9 },
    { response_format: SCHEMA },
    { response_format: { type: 'json_object' } },
    { reasoning_effort: 'low' },
    { verbosity: 'high' },
    { stream: true, stream_options: { include_usage: true } },
  ].map((setting): [JsonRecord, JsonRecord] => [setting, setting]),
  [{ stop: 'END' }, { stop: ['END'] }],
  [{ max_completion_tokens: 9 }, { max_tokens: 9 }],
  [{ max_tokens: 8, max_output_tokens: 9 }, { max_tokens: 9 }],
  [{ reasoning_effort: 'low', reasoning: { effort: 'high' } }, { reasoning_effort: 'high' }],
  [{ verbosity: 'low', text: { verbosity: 'high' } }, { verbosity: 'high' }],
  [{ response_format: { type: 'text' } }, {}],
  [{ stop: null, seed: null, n: null, response_format: null, max_tokens: null }, {}],
  [{ top_logprobs: 2 }, { logprobs: true, top_logprobs: 2 }],
  [{ parallel_tool_calls: false }, {}],
  [{ parallel_tool_calls: false, tools: [NESTED] }, { parallel_tool_calls: false }],
  [{ parallel_tool_calls: true, tools: [NESTED] }, {}],
  [{ tool_choice: 'required', tools: [NESTED] }, { tool_choice: 'required' }],
  [{ tool_choice: SHELL_CHOICE, tools: [NESTED] }, { tool_choice: SHELL_CHOICE }],
  [
    { tool_choice: { type: 'any', disable_parallel_tool_use: true }, tools: [NESTED] },
    { tool_choice: 'required', parallel_tool_calls: false },
  ],
  [{ stream_options: { include_usage: true } }, {}],
  // What the model answers does not depend on these, and vendors refuse what they do not know.
  [{ metadata: { a: 'b' }, service_tier: 'flex', store: true, truncation: 'auto' }, {}],
])('of a body with `input`, the settings %j become %j', (given, expected) => {
  const { chat } = chatOf({ model: 'm', input: 'Fix it.', ...given })
  const { messages, tools, ...settings } = chat
  expect(messages).toEqual([HI])
  expect(tools).toEqual(given['tools'])
  const usage = given['stream'] === true ? { stream_options: { include_usage: true } } : {}
  expect(settings).toEqual({ model: 'm', ...usage, ...expected })
})

test('flat tools among those of chat completions become functions, and so do their calls', () => {
  const calls = [
    functionCall('call_1', 'ApplyPatch', PATCH),
    { id: 'call_2', type: 'custom', custom: { name: 'ApplyPatch', input: PATCH } },
    functionCall('call_3', 'Shell', '{}'),
  ]
  const results = calls.map(({ id }) => told(id))
  const body = { model: 'm', messages: [HI, { role: 'assistant', tool_calls: calls }, ...results] }
  const choices = [
    { type: 'custom', name: 'ApplyPatch' },
    { type: 'custom', custom: { name: 'ApplyPatch' } },
  ]
  for (const tool_choice of choices) {
    const { chat, request } = chatOf({ ...body, n: 2, tools: [APPLY, NESTED], tool_choice })
    expect(chat).toEqual({
      model: 'm',
      messages: [
        HI,
        { role: 'assistant', tool_calls: [textCall('call_1'), textCall('call_2'), calls[2]] },
        ...results,
      ],
      n: 2,
      tools: FUNCTIONS,
      tool_choice: NESTED_CHOICE,
    })
    expect(request.textTools).toEqual(TEXT_TOOLS)
  }
})

const MODE = { mode: 'required' }

test.each([
  { tools: [{ type: 'custom', name: 'ApplyPatch' }, SHELL], ...MODE },
  {
    allowed_tools: {
      ...MODE,
      tools: [{ type: 'custom', custom: { name: 'ApplyPatch' } }, SHELL_CHOICE],
    },
  },
])('the allowed tools %j are those of the request', (allowed) => {
  const tool_choice = { type: 'allowed_tools', ...allowed }
  const body = { model: 'm', tools: [APPLY, NESTED], tool_choice }
  const { chat } = chatOf({ ...body, messages: [HI] })
  const tools = [NESTED_CHOICE, SHELL_CHOICE]
  expect(chat['tool_choice']).toEqual({ type: 'allowed_tools', allowed_tools: { ...MODE, tools } })
  const { chat: own } = chatOf({ ...body, input: 'Fix it.' })
  expect(own).toMatchObject({ tools: FUNCTIONS, tool_choice: 'required' })
})

test('arguments that are an object stay in the history', () => {
  const call = { name: 'ApplyPatch', arguments: { input: PATCH } }
  const item = { type: 'function_call', call_id: 'call_1', ...call }
  const tool_calls = [{ id: 'call_1', type: 'function', function: call }]
  const messages = [{ role: 'assistant', tool_calls }, told('call_1')]
  for (const body of [{ input: [item, outputOf('call_1')] }, { messages }]) {
    const { chat } = chatOf({ model: 'm', tools: [APPLY], ...body })
    expect(JSON.stringify(chat['messages'])).toContain('Begin Patch')
  }
})

test('thousands of system messages are joined in linear time', () => {
  const content = 'x'.repeat(400)
  const input = Array.from({ length: 20_000 }, () => ({ role: 'system', content }))
  const { chat } = chatOf({ model: 'm', input })
  const joined = input.map(() => content).join('\n\n')
  expect(chat['messages']).toEqual([{ role: 'system', content: joined }])
})

test.each([
  [{ input: 5 }, 'input', "'input' must be a string or an array of items."],
  [{ input: [] }, 'input', "'input' must say something."],
  [{ input: [5] }, 'input[0]', "'input[0]' must be an item."],
  [{ input: 'x', n: 0 }, 'n', /integer from 1/],
  [{ input: 'x', model: '' }, 'model', "'model' is missing."],
  [{ input: 'x', max_output_tokens: -1 }, 'max_output_tokens', /integer from 1/],
  [{ input: 'x', previous_response_id: 'resp_1' }, 'previous_response_id', /are not stored here/],
  [{ input: 'x', tools: [SHELL, SHELL] }, 'tools', /names that differ/],
  [{ messages: [HI], instructions: [HI] }, 'instructions', /instructions/],
])('%j is refused', (body, param, message) => {
  expect(read({ model: 'm', ...body })).toMatchObject({
    type: 'invalid_request_error',
    param,
    message: typeof message === 'string' ? message : expect.stringMatching(message),
  })
})

const FINISH = { type: 'finish', choice: 0, reason: 'tool_calls', stopSequence: null } as const
const piece = (index: number, input: string, name = ''): ToolCallEvent => {
  const id = name === '' ? '' : `call_${index}`
  const call = { index, id, name, input, isCustom: false, signature: undefined }
  return { type: 'tool-call', choice: 0, ...call }
}

test('a stream has the text of each such call, in pieces, before the choice ends', () => {
  const encoder = textToolsDialect(TEXT_TOOLS).createEncoder()
  const events = [
    piece(0, '', 'ApplyPatch'),
    piece(0, '{"input": "*** Begin'),
    piece(1, '{"path":', 'Shell'),
    piece(0, ' Patch\\n'),
    piece(1, '"a"}'),
    piece(0, '"}'),
    piece(2, PATCH, 'ApplyPatch'),
  ]
  const text = encoder.write([...events, FINISH])
  const deltas = [...text.matchAll(/"tool_calls":(\[.*?\])\}/g)].map(([, calls]) =>
    JSON.parse(String(calls)).map((call: JsonRecord) => [call['index'], call['function']]),
  )
  expect(deltas.flat()).toEqual([
    [0, { name: 'ApplyPatch', arguments: '' }],
    [0, { arguments: '*** Begin' }],
    [1, { name: 'Shell', arguments: '{"path":' }],
    [0, { arguments: ' Patch\n' }],
    [1, { arguments: '"a"}' }],
    [2, { name: 'ApplyPatch', arguments: '' }],
    [2, { arguments: PATCH }],
  ])
  expect(text.indexOf('End Patch')).toBeLessThan(text.indexOf('"finish_reason":"tool_calls"'))
})

test('calls stay apart whose pieces repeat the name, share an index or have none', () => {
  const encoder = textToolsDialect(TEXT_TOOLS).createEncoder()
  const [first, second] = [
    { ...piece(0, '', 'ApplyPatch'), id: 'call_a' },
    { ...piece(0, '', 'ApplyPatch'), id: 'call_b', index: null },
  ]
  const encoded = JSON.stringify(JSON.stringify({ input: 'd' }))
  const text =
    encoder.write([
      { ...first, input: '{"input":"a' },
      { ...first, input: '\\ud83d' },
      { ...first, input: '\\ude00"}' },
      { ...first, id: 'call_c', input: '{"input":"c"}' },
      { ...second, input: '{"input":"b"}' },
      { ...second, id: 'call_d', input: encoded },
    ]) + encoder.write([FINISH])
  const calls: { id: string; name: string; input: string }[] = []
  for (const [, json] of text.matchAll(/"tool_calls":(\[.*?\])\}/g)) {
    const [{ index, id, function: called }] = JSON.parse(String(json))
    calls[index] ??= { id, name: '', input: '' }
    calls[index].name += called.name ?? ''
    calls[index].input += called.arguments
  }
  const name = 'ApplyPatch'
  expect(calls).toEqual([
    { id: 'call_a', name, input: 'a\u{1f600}' },
    { id: 'call_c', name, input: 'c' },
    { id: 'call_b', name, input: 'b' },
    { id: 'call_d', name, input: 'd' },
  ])
})
