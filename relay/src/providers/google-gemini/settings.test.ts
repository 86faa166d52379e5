import { describe, expect, test } from 'vitest'
import { member } from '../../json-value.ts'
import { encoded, functionTool } from './testing/encoded.ts'

const OLD = { model: 'gemini-2.0-flash' }
const schema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object',
  properties: {
    age: { type: ['integer', 'null'], exclusiveMinimum: 0 },
    kind: { const: 'person' },
    one: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    any: { type: ['string', 'number'] },
    parent: { $ref: '#/$defs/parent' },
    lost: { $ref: '#/$defs/nowhere' },
    list: { type: 'array', items: { $ref: '#/$defs/parent' } },
  },
  required: ['age'],
  additionalProperties: false,
  $defs: { parent: { type: 'object', properties: { name: { type: 'string', default: 'x' } } } },
}
const parent = { type: 'object', properties: { name: { type: 'string' } } }
const openApi = {
  type: 'object',
  properties: {
    age: { type: 'integer', nullable: true },
    kind: { type: 'string', enum: ['person'] },
    one: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    any: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    parent,
    lost: {},
    list: { type: 'array', items: parent },
  },
  required: ['age'],
}

describe('tools', () => {
  const tools = [functionTool('get_time', { description: 'd', parameters: schema })]

  test('have their schema as it is, or in the words of older models', () => {
    expect(encoded({ tools }).json['tools']).toEqual([
      {
        functionDeclarations: [
          { name: 'get_time', description: 'd', parametersJsonSchema: schema },
        ],
      },
    ])
    expect(encoded({ tools }, OLD).json['tools']).toEqual([
      { functionDeclarations: [{ name: 'get_time', description: 'd', parameters: openApi }] },
    ])
  })

  test.each([[undefined], [{ type: 'object' }], [{ type: 'object', properties: {} }]])(
    'without any property have no schema: %j',
    (parameters) => {
      const { json } = encoded({ tools: [functionTool('x', { parameters })] })
      expect(json['tools']).toEqual([{ functionDeclarations: [{ name: 'x' }] }])
    },
  )

  test('that refer to themselves have an end', () => {
    const endless = { $ref: '#/$defs/tree', $defs: { tree: { items: { $ref: '#/$defs/tree' } } } }
    const { json } = encoded({ tools: [functionTool('x', { parameters: endless })] }, OLD)
    expect(JSON.stringify(json).match(/items/g)).toHaveLength(5)
  })

  test('cannot be made of any size by references', () => {
    const items = Array.from({ length: 200 }, () => ({ $ref: '#/$defs/many' }))
    const huge = { $ref: '#/$defs/many', $defs: { many: { anyOf: items } } }
    const tool = functionTool('x', { parameters: huge })
    expect(() => encoded({ tools: [tool] }, OLD)).toThrow('The schema is too large')
  })

  test.each([
    ['auto', { mode: 'AUTO' }],
    ['none', { mode: 'NONE' }],
    ['required', { mode: 'ANY' }],
    [functionTool('get_time'), { mode: 'ANY', allowedFunctionNames: ['get_time'] }],
    [
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [functionTool('get_time')] },
      },
      { mode: 'ANY', allowedFunctionNames: ['get_time'] },
    ],
    [undefined, undefined],
  ])('the choice %j', (tool_choice, config) => {
    const { toolConfig } = encoded({ tools, tool_choice }).json
    expect(member(toolConfig, 'functionCallingConfig')).toEqual(config)
  })

  test('that are strict are called as their schema says', () => {
    const strict = [functionTool('x', { strict: true })]
    expect(encoded({ tools: strict }).json['toolConfig']).toEqual({
      functionCallingConfig: { mode: 'VALIDATED' },
    })
    expect(encoded({ tools: strict }, OLD).json).not.toHaveProperty('toolConfig')
  })

  test('one at a time are asked for in words', () => {
    const { json } = encoded({ tools, parallel_tool_calls: false })
    expect(json['systemInstruction']).toEqual({
      parts: [{ text: 'Call at most one tool at a time.' }],
    })
  })
})

describe('a form of the answer', () => {
  const config = (response_format: unknown, options = {}) =>
    encoded({ response_format }, options).json['generationConfig']
  const format = { type: 'json_schema', json_schema: { name: 'person', schema } }
  const responseMimeType = 'application/json'

  test('is a schema or any JSON', () => {
    expect(config(format)).toEqual({ responseMimeType, responseJsonSchema: schema })
    expect(config(format, OLD)).toEqual({ responseMimeType, responseSchema: openApi })
    expect(config({ type: 'json_object' })).toEqual({ responseMimeType })
    expect(config({ type: 'text' })).toEqual({})
  })

  test('may be an image', () => {
    const { json } = encoded(
      { modalities: ['image', 'text'], reasoning_effort: 'low' },
      { model: 'gemini-2.5-flash-image' },
    )
    expect(json['generationConfig']).toEqual({ responseModalities: ['TEXT', 'IMAGE'] })
  })
})

test('a client may have its own settings of safety', () => {
  const safety_settings = [{ category: 'HARM_CATEGORY_HARASSMENT', threshold: 'OFF' }]
  expect(encoded({ safety_settings }).json['safetySettings']).toEqual(safety_settings)
})

describe('thinking', () => {
  const level = (thinkingLevel: string, includeThoughts = true) => ({
    thinkingLevel,
    includeThoughts,
  })
  const budget = (thinkingBudget: number, includeThoughts = true) => ({
    thinkingBudget,
    includeThoughts,
  })

  test.each([
    ['gemini-3.5-flash', 'none', level('minimal', false)],
    ['gemini-3.5-flash', 'minimal', level('minimal')],
    ['gemini-3.7-flash', 'minimal', level('low')],
    ['gemini-4-argon', 'none', level('low', false)],
    ['gemini-3.1-pro-preview', 'medium', level('medium')],
    ['gemini-3-pro-preview', 'medium', level('high')],
    ['gemini-pro-latest', 'xhigh', level('high')],
    ['gemini-2.5-flash', 'none', budget(0, false)],
    ['gemini-2.5-flash-lite', 'low', budget(1024)],
    ['gemini-2.5-flash', 'xhigh', budget(24_576)],
    ['gemini-2.5-pro', 'none', budget(128, false)],
    ['gemini-2.5-pro', 'medium', budget(8192)],
    ['gemini-2.5-pro', 'xhigh', budget(32_768)],
    ['gemini-2.5-pro', 'whatever', undefined],
    ['gemini-2.5-pro', undefined, undefined],
    ['gemini-2.0-flash', 'high', undefined],
    ['gemma-3-27b-it', 'high', undefined],
  ])('of %s with effort %s', (model, reasoning_effort, config) => {
    const { generationConfig } = encoded({ reasoning_effort }, { model }).json
    expect(member(generationConfig, 'thinkingConfig')).toEqual(config)
  })
})
