import { describe, expect, test } from 'vitest'
import { decodeWhole } from '../../codec/testing/decode-whole.ts'
import { member, parseJson } from '../../json-value.ts'
import { anthropicCodec } from './codec.ts'
import { CALL, encoded, functionTool, QUESTION, TOOLS } from './testing/encoded.ts'

describe('tools', () => {
  const schema = { type: 'object', properties: { tz: { type: 'string', maxLength: 9 } } }
  const tools = [functionTool('get_time', { description: 'd', parameters: schema, strict: true })]

  test('have a schema of an object, and are strict where the model knows it', () => {
    expect(encoded({ tools }).json['tools']).toEqual([
      {
        name: 'get_time',
        description: 'd',
        strict: true,
        input_schema: {
          type: 'object',
          additionalProperties: false,
          properties: { tz: { type: 'string', description: '{maxLength: 9}' } },
        },
      },
    ])
    expect(encoded({ tools }, { model: 'claude-3-7-sonnet-latest' }).json['tools']).toEqual([
      { name: 'get_time', description: 'd', input_schema: schema },
    ])
    expect(encoded({ tools: [functionTool('get_time')] }).json['tools']).toEqual([
      { name: 'get_time', input_schema: { type: 'object', properties: {} } },
    ])
  })

  test.each([
    ['auto', { type: 'auto' }],
    ['none', { type: 'none' }],
    ['required', { type: 'any' }],
    [
      { type: 'function', function: { name: 'get_date' } },
      { type: 'tool', name: 'get_date' },
    ],
  ])('the choice %j', (choice, said) => {
    expect(encoded({ tools: TOOLS, tool_choice: choice }).json['tool_choice']).toEqual(said)
  })

  test('only the allowed ones are told', () => {
    const allowed = { mode: 'required', tools: [functionTool('get_date')] }
    const choice = { type: 'allowed_tools', allowed_tools: allowed }
    const { json } = encoded({ tools: TOOLS, tool_choice: choice })
    expect(json['tools']).toMatchObject([{ name: 'get_date' }])
    expect(json['tool_choice']).toEqual({ type: 'any' })
  })

  test('that must be called switch thinking off', () => {
    const request = { tools: TOOLS, tool_choice: 'required', reasoning_effort: 'high' }
    expect(encoded(request).json).toMatchObject({
      thinking: { type: 'disabled' },
      tool_choice: { type: 'any' },
    })
    expect(encoded(request, { model: 'claude-sonnet-4-5' }).json).not.toHaveProperty('thinking')
  })

  test('are asked for in words where thinking cannot be switched off', () => {
    const tool_choice = { type: 'function', function: { name: 'get_date' } }
    const request = { tools: TOOLS, tool_choice, parallel_tool_calls: false }
    expect(encoded(request, { model: 'claude-opus-5-5' }).json).toMatchObject({
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
      system: [{ type: 'text', text: 'Answer by calling the tool get_date.' }],
    })
  })
})

describe('a form of the answer', () => {
  const schema = {
    type: 'object',
    properties: { age: { oneOf: [{ type: 'integer', minimum: 0 }, { type: 'null' }] } },
    required: ['age'],
  }
  const response_format = { type: 'json_schema', json_schema: { name: 'person', schema } }

  test('is told as it is where the model knows it', () => {
    expect(encoded({ response_format, reasoning_effort: 'low' }).json['output_config']).toEqual({
      effort: 'low',
      format: {
        type: 'json_schema',
        schema: {
          type: 'object',
          additionalProperties: false,
          properties: {
            age: { anyOf: [{ type: 'integer', description: '{minimum: 0}' }, { type: 'null' }] },
          },
          required: ['age'],
        },
      },
    })
  })

  test('is the input of a tool for older models, and its input is the text', () => {
    const model = 'claude-3-7-sonnet-latest'
    expect(encoded({ response_format }, { model }).json).toMatchObject({
      tools: [{ name: 'answer_in_json', input_schema: schema }],
      tool_choice: { type: 'any' },
    })
    const answer = {
      content: [{ type: 'tool_use', id: 't', name: 'answer_in_json', input: { age: 7 } }],
      stop_reason: 'tool_use',
    }
    const body = decodeWhole(anthropicCodec.answers, Buffer.from(JSON.stringify(answer)), {
      endpoint: 'chat',
      request: { response_format },
      model,
      stream: false,
      channel: { baseUrl: '', key: '', other: '' },
      now: 0,
      id: 'request-7',
    })
    expect(parseJson(body.toString())).toMatchObject({
      choices: [{ message: { content: '{"age":7}' }, finish_reason: 'stop' }],
    })
  })

  test('that is any JSON is asked for in words', () => {
    const { json } = encoded({ response_format: { type: 'json_object' } })
    expect(json['system']).toEqual([
      { type: 'text', text: 'Answer with one JSON object and nothing else.' },
    ])
  })
})

describe('thinking', () => {
  const settings = (model: string, reasoning_effort: string, max_tokens = 20_000) => {
    const { json } = encoded({ reasoning_effort, max_tokens, temperature: 0.5 }, { model })
    return [json['thinking'], member(json['output_config'], 'effort'), json['temperature']]
  }
  const shown = { type: 'adaptive', display: 'summarized' }

  test.each([
    ['claude-opus-5-5', 'none', [undefined, 'low', undefined]],
    ['claude-opus-5-5', 'high', [shown, 'high', undefined]],
    ['claude-fable-5-1', 'xhigh', [shown, 'xhigh', undefined]],
    ['claude-opus-5', 'none', [{ type: 'disabled' }, undefined, undefined]],
    ['claude-opus-5', 'minimal', [shown, 'low', undefined]],
    ['claude-sonnet-5-5', 'medium', [shown, 'medium', undefined]],
    ['claude-opus-4-6', 'xhigh', [shown, 'max', undefined]],
    ['claude-opus-4-6', 'none', [{ type: 'disabled' }, undefined, 0.5]],
    ['claude-sonnet-4-5', 'low', [{ type: 'enabled', budget_tokens: 2000 }, undefined, undefined]],
    [
      'claude-haiku-4-5',
      'minimal',
      [{ type: 'enabled', budget_tokens: 1024 }, undefined, undefined],
    ],
    [
      'claude-opus-4-1',
      'xhigh',
      [{ type: 'enabled', budget_tokens: 18_000 }, undefined, undefined],
    ],
    ['claude-sonnet-4-5', 'none', [undefined, undefined, 0.5]],
    ['claude-sonnet-4-5', 'whatever', [undefined, undefined, 0.5]],
    ['claude-3-haiku-20240307', 'high', [undefined, undefined, 0.5]],
    [
      'another-vendor-model',
      'low',
      [{ type: 'enabled', budget_tokens: 2000 }, undefined, undefined],
    ],
  ])('of %s with effort %s', (model, effort, said) => {
    expect(settings(model, effort)).toEqual(said)
  })

  test('has its tokens within the limit of the client, or does not take place', () => {
    expect(settings('claude-sonnet-4-5', 'high', 1024)[0]).toBeUndefined()
    expect(settings('claude-sonnet-4-5', 'high', 1025)[0]).toMatchObject({ budget_tokens: 1024 })
  })

  test('does not go on after tools whose thoughts are lost', () => {
    const messages = [
      ...QUESTION,
      { role: 'assistant', tool_calls: [CALL] },
      { role: 'tool', tool_call_id: 'toolu_1', content: '12:00' },
    ]
    const request = { messages, tools: TOOLS, reasoning_effort: 'high' }
    expect(encoded(request, { model: 'claude-sonnet-4-5' }).json).not.toHaveProperty('thinking')
    expect(encoded(request).json).toHaveProperty('thinking')
  })
})

describe('marks for the cache', () => {
  const cache_control = { type: 'ephemeral', ttl: '1h' }
  const kept = { cache_control: { type: 'ephemeral' } }

  test('are kept on the request, parts, messages, results and tools', () => {
    const { json } = encoded({
      cache_control,
      tools: [{ ...functionTool('get_time'), cache_control }],
      messages: [
        { role: 'system', content: [{ type: 'text', text: 'Long.', cache_control }] },
        { role: 'user', content: 'A', cache_control },
        { role: 'assistant', content: null, tool_calls: [CALL], cache_control },
        { role: 'tool', tool_call_id: 'toolu_1', content: 'B', cache_control },
      ],
    })
    expect(json).toMatchObject({
      ...kept,
      tools: [kept],
      system: [{ text: 'Long.', ...kept }],
      messages: [{ content: [kept] }, { content: [kept] }, { content: [kept] }],
    })
  })

  test('of another kind are left out', () => {
    const messages = [{ role: 'user', content: 'A', cache_control: { type: 'for-ever' } }]
    expect(encoded({ messages }).json['messages']).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'A' }] },
    ])
  })
})

describe('limits of output', () => {
  test.each([
    ['claude-sonnet-4-5', {}, 64_000],
    ['claude-3-haiku-20240307', { max_tokens: 90_000 }, 4096],
    ['another-vendor-model', {}, 4096],
    ['another-vendor-model', { max_tokens: 90_000 }, 90_000],
    ['claude-opus-5', { max_tokens: 0 }, 128_000],
  ])('of %s for %j', (model, request, most) => {
    expect(encoded(request, { model }).json['max_tokens']).toBe(most)
  })
})
