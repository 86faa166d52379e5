import { expect, test } from 'vitest'
import { descriptorOf } from '../../catalogue.ts'
import type { RelayRequest } from '../../relay-request.ts'
import { isRequestProblem, type RequestProblem } from '../../request-problem.ts'
import { finish } from '../../steps.ts'
import { encodeRequest, requestForCodec } from '../openai/request.ts'
import { readInputTokensRequest } from './request.ts'
import { seal } from './sealed.ts'

const ASKED = { model: 'gpt-4o', input: 'hi' }

const read = (parts: object = {}) =>
  finish(readInputTokensRequest(Buffer.from(JSON.stringify({ ...ASKED, ...parts }))))

function accepted(result: RelayRequest | RequestProblem): RelayRequest {
  if (isRequestProblem(result)) throw new Error(result.message)
  return result
}

const chat = (parts: object = {}) => accepted(read(parts)).json()
const messages = (...input: object[]) => chat({ input })['messages']
const text = (said: string) => ({ type: 'text', text: said })

test('a question in OpenAI’s older form', () => {
  expect(chat({ instructions: 'Be short.', temperature: 0.5, top_p: 0.9 })).toEqual({
    model: 'gpt-4o',
    messages: [
      { role: 'system', content: 'Be short.' },
      { role: 'user', content: [text('hi')] },
    ],
    temperature: 0.5,
    top_p: 0.9,
  })
  expect(
    chat({
      stream: true,
      max_output_tokens: 100,
      reasoning: { effort: 'low', summary: 'auto' },
      text: { verbosity: 'low', format: { type: 'json_object' } },
      safety_identifier: 'someone',
      prompt_cache_key: 'key',
      top_logprobs: 3,
      store: true,
      metadata: { a: 'b' },
      service_tier: 'flex',
      truncation: 'auto',
      background: false,
      previous_response_id: null,
    }),
  ).toEqual({
    model: 'gpt-4o',
    messages: [{ role: 'user', content: [text('hi')] }],
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 100,
    reasoning_effort: 'low',
    verbosity: 'low',
    response_format: { type: 'json_object' },
    user: 'someone',
    prompt_cache_key: 'key',
    logprobs: true,
    top_logprobs: 3,
  })
  expect(chat({ include: ['message.output_text.logprobs'] })).toMatchObject({ logprobs: true })
})

test('a schema for the answer', () => {
  const schema = { type: 'object' }
  const format = {
    type: 'json_schema',
    name: 'place',
    schema,
    strict: true,
    description: 'A place',
  }
  expect(chat({ text: { format } })['response_format']).toEqual({
    type: 'json_schema',
    json_schema: { name: 'place', schema, strict: true, description: 'A place' },
  })
  expect(chat({ text: { format: { type: 'text' } } })).not.toHaveProperty('response_format')
})

test('what the user shows', () => {
  const address = 'data:image/png;base64,AAAA'
  const input_audio = { data: 'AAAA', format: 'wav' }
  const content = [
    { type: 'input_text', text: 'Look' },
    { type: 'input_text', text: '' },
    { type: 'input_image', image_url: address, detail: 'auto' },
    { type: 'input_image', image_url: 'https://a.example/b.png', detail: 'original' },
    { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
    { type: 'input_audio', input_audio },
  ]
  expect(messages({ role: 'user', content })).toEqual([
    {
      role: 'user',
      content: [
        text('Look'),
        { type: 'image_url', image_url: { url: address } },
        { type: 'image_url', image_url: { url: 'https://a.example/b.png', detail: 'high' } },
        {
          type: 'file',
          file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' },
        },
        { type: 'input_audio', input_audio },
      ],
    },
  ])
})

test('calls that follow each other are one message, and their results come behind it', () => {
  const call = (call_id: string) => ({
    type: 'function_call',
    call_id,
    name: 'see',
    arguments: '{"x":1}',
  })
  const image = { type: 'input_image', image_url: 'https://a.example/b.png' }
  const input = [
    { role: 'developer', content: 'D' },
    { role: 'system', content: [{ type: 'input_text', text: 'S' }] },
    { role: 'user', content: 'hi' },
    { type: 'reasoning', id: 'rs', summary: [{ type: 'summary_text', text: 'Hm.' }] },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Let me see.' }] },
    call('a'),
    { type: 'custom_tool_call', call_id: 'b', name: 'patch', input: '"x"' },
    { type: 'web_search_call', id: 'ws', status: 'completed' },
    {
      type: 'function_call_output',
      call_id: 'a',
      output: [{ type: 'input_text', text: 'one' }, image, { type: 'input_text', text: 'two' }],
    },
    { type: 'custom_tool_call_output', call_id: 'b', output: 'done' },
    call('c'),
    { type: 'function_call_output', call_id: 'c', output: '' },
  ]
  const called = (id: string, name: string, args: string) => ({
    id,
    type: 'function',
    function: { name, arguments: args },
  })
  expect(messages(...input)).toEqual([
    { role: 'system', content: 'D\n\nS' },
    { role: 'user', content: [text('hi')] },
    {
      role: 'assistant',
      content: 'Let me see.',
      reasoning_content: 'Hm.',
      tool_calls: [called('a', 'see', '{"x":1}'), called('b', 'patch', '{"input":"\\"x\\""}')],
    },
    { role: 'tool', tool_call_id: 'a', content: 'one\ntwo' },
    { role: 'tool', tool_call_id: 'b', content: 'done' },
    { role: 'user', content: [{ type: 'image_url', image_url: { url: image.image_url } }] },
    { role: 'assistant', content: null, tool_calls: [called('c', 'see', '{"x":1}')] },
    { role: 'tool', tool_call_id: 'c', content: '' },
  ])
  const twice = ['A', 'B'].map((content) => ({ role: 'assistant', content }))
  expect(messages(...twice)).toEqual([{ role: 'assistant', content: 'A\n\nB' }])
  const said = { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] }
  expect(messages(said)).toEqual([{ role: 'assistant', content: 'No.' }])
})

test('what was sealed goes back to where it was', () => {
  const thought = { type: 'thinking', thinking: 'Hm', signature: 's', model: 'claude-x' }
  const hidden = { type: 'redacted_thinking', data: 'd' }
  const signature = { google: { thought_signature: 't' } }
  const reasoning = (...entries: object[]) => ({
    type: 'reasoning',
    id: 'rs',
    summary: [],
    encrypted_content: seal(entries.map((entry) => ({ ...entry }))),
  })
  const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }
  const said = { role: 'assistant', content: 'So' }
  expect(
    messages(
      reasoning(thought),
      said,
      reasoning(hidden, { type: 'tool_call', id: 'a', extra_content: signature }),
      call,
      reasoning({ type: 'message', extra_content: signature }),
    ),
  ).toEqual([
    {
      role: 'assistant',
      content: 'So',
      tool_calls: [
        {
          id: 'a',
          type: 'function',
          function: { name: 'f', arguments: '{}' },
          extra_content: signature,
        },
      ],
      thinking_blocks: [thought, { ...hidden, after: { text: 2, tool_calls: 0 } }],
      extra_content: signature,
    },
  ])
  const foreign = { type: 'reasoning', id: 'rs', summary: [], encrypted_content: 'gAAAAABo' }
  expect(messages(foreign, said)).toEqual([{ role: 'assistant', content: 'So' }])
})

test('pictures that the model has drawn go back to it, with what signs them', () => {
  const extra_content = { google: { thought_signature: 't' } }
  const picture = { type: 'image_generation_call', id: 'ig_1', status: 'completed', result: 'aGk=' }
  const sealed = seal([{ type: 'image', id: 'ig_1', extra_content }])
  const image = (format: string) => ({
    type: 'image_url',
    image_url: { url: `data:image/${format};base64,aGk=` },
  })
  expect(
    messages(
      { type: 'reasoning', id: 'rs', summary: [], encrypted_content: sealed },
      { ...picture, output_format: 'webp' },
      { ...picture, id: 'ig_2' },
      { ...picture, id: 'ig_3', result: null },
    ),
  ).toEqual([
    {
      role: 'assistant',
      content: null,
      images: [{ ...image('webp'), extra_content }, image('png')],
    },
  ])
})

test('tools of all kinds are functions, and the provider’s own are left out', () => {
  const parameters = { type: 'object', properties: {} }
  const grammar = { type: 'grammar', syntax: 'lark', definition: 'start: "x"' }
  const tools = [
    { type: 'function', name: 'time', description: 'The time', parameters, strict: true },
    { type: 'custom', name: 'patch', description: 'Edits', format: grammar },
    { type: 'web_search' },
    { type: 'mcp', server_label: 's' },
    { type: 'namespace', name: 'crm', tools: [{ type: 'function', name: 'find' }] },
  ]
  const time = {
    type: 'function',
    function: { name: 'time', description: 'The time', parameters, strict: true },
  }
  const find = { type: 'function', function: { name: 'find' } }
  const asked = chat({ tools, tool_choice: 'required', parallel_tool_calls: false })
  expect(asked).toMatchObject({
    tools: [
      time,
      {
        type: 'function',
        function: {
          name: 'patch',
          description: 'Edits',
          parameters: {
            type: 'object',
            properties: {
              input: {
                type: 'string',
                description: 'It must match this grammar (lark):\nstart: "x"',
              },
            },
            required: ['input'],
          },
        },
      },
      find,
    ],
    tool_choice: 'required',
    parallel_tool_calls: false,
  })
  expect(chat({ tools, tool_choice: { type: 'custom', name: 'patch' } })['tool_choice']).toEqual({
    type: 'function',
    function: { name: 'patch' },
  })
  const allowed = [
    { type: 'function', name: 'time' },
    { type: 'function', name: 'find' },
  ]
  const choice = { type: 'allowed_tools', mode: 'required', tools: allowed }
  expect(chat({ tools, tool_choice: choice })).toMatchObject({
    tools: [time, find],
    tool_choice: 'required',
  })
  expect(chat({ tools: [{ type: 'web_search' }], tool_choice: 'auto' })).not.toHaveProperty('tools')
})

test.each([
  ['model', { model: '' }],
  ['input', { input: null }],
  ['input', { input: [] }],
  ['max_output_tokens', { max_output_tokens: 0 }],
  ['previous_response_id', { previous_response_id: 'resp_1' }],
  ['conversation', { conversation: 'conv_1' }],
  ['prompt', { prompt: { id: 'pmpt_1' } }],
  ['background', { background: true }],
  ['input[0]', { input: ['hi'] }],
  ['input[0]', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
  ['input[0].type', { input: [{ type: 'compaction', encrypted_content: 'x' }] }],
  ['input[0].type', { input: [{ type: 'shell_call', call_id: 'a' }] }],
  ['input[0].role', { input: [{ role: 'tool', content: 'x' }] }],
  ['input[0].content', { input: [{ role: 'user', content: 1 }] }],
  ['input[0].content[0].type', { input: [{ role: 'user', content: [{ type: 'video' }] }] }],
  [
    'input[0].content[0]',
    { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file_1' }] }] },
  ],
  [
    'input[0].content[0]',
    { input: [{ role: 'user', content: [{ type: 'input_file', file_url: 'https://a.example' }] }] },
  ],
  [
    'input[0].content[0].type',
    { input: [{ role: 'system', content: [{ type: 'input_image', image_url: 'x' }] }] },
  ],
  ['input[0]', { input: [{ type: 'function_call', name: 'f' }] }],
  ['input[0].call_id', { input: [{ type: 'function_call_output', output: 'x' }] }],
  ['tools', { tools: {} }],
  ['tools[0].name', { tools: [{ type: 'function' }] }],
  ['tools[0].type', { tools: [{ type: 'shell' }] }],
  ['tools', { tools: ['custom', 'function'].map((type) => ({ type, name: 'f' })) }],
  ['tool_choice', { tools: [{ type: 'web_search' }], tool_choice: 'required' }],
  ['tool_choice', { tool_choice: { type: 'web_search' } }],
  ['tool_choice.name', { tool_choice: { type: 'function', name: 'f' } }],
  ['tool_choice', { tool_choice: { type: 'allowed_tools', mode: 'required', tools: [] } }],
  ['text.format.schema', { text: { format: { type: 'json_schema', name: 'x' } } }],
  ['text.format.type', { text: { format: { type: 'grammar' } } }],
])('%s is named when it is wrong: %o', (param, parts) => {
  expect(read(parts)).toMatchObject({ type: 'invalid_request_error', param })
})

test.each([
  ['is no object', '[]'],
  ['is no JSON', '{"model":'],
  ['is no UTF-8', Buffer.from([0x22, 0xff])],
  ['is nested too deeply', `{"metadata":${'['.repeat(50_000)}${']'.repeat(50_000)}}`],
])('a body that %s is refused', (_, body) => {
  expect(finish(readInputTokensRequest(Buffer.from(body)))).toMatchObject({
    type: 'invalid_request_error',
    param: null,
  })
})

test('providers that speak OpenAI’s dialect get none of the members that only others know', () => {
  const call = { type: 'function_call', call_id: 'a', name: 'f', arguments: '{}' }
  const entries = [
    { type: 'thinking', thinking: 'Hm', signature: 's' },
    { type: 'tool_call', id: 'a', extra_content: { google: { thought_signature: 't' } } },
  ]
  const summary = [{ type: 'summary_text', text: 'Hm' }]
  const input = [{ type: 'reasoning', summary, encrypted_content: seal(entries) }, call]
  const request = accepted(read({ input, prompt_cache_key: 'key', text: { verbosity: 'low' } }))
  const descriptor = descriptorOf(1)
  if (descriptor === undefined) throw new Error('there is no type 1')
  const sent = (model: string) => encodeRequest(request, { model, descriptor }).toString()
  expect(sent('gpt-4o')).not.toMatch(/thinking_blocks|reasoning_content|extra_content/)
  expect(sent('gpt-4o')).toMatch(/prompt_cache_key.*verbosity|verbosity.*prompt_cache_key/)
  expect(sent('gpt-5')).not.toContain('max_')
  expect(sent('mistral-x')).not.toMatch(/prompt_cache_key|verbosity/)
  expect(sent('deepseek-x')).toContain('"reasoning_content":"Hm"')
  expect(sent('gemini-x')).toContain('thought_signature')
  const forCodec = requestForCodec(request, { model: 'claude-x', descriptor })
  expect(JSON.stringify(forCodec)).toMatch(/extra_content.*thinking_blocks/)
})
