import { expect, test } from 'vitest'
import { kimiSchema } from './kimi-schema.ts'
import { inCurrentDraft, objectSchema, withoutTopUnion, withPlainProperties } from './schema.ts'

const STRING = { type: 'string' }
const NUMBER = { type: 'number' }

test('keeps a schema without a union at its top', () => {
  const schema = { type: 'object', properties: { a: { anyOf: [STRING, NUMBER] } } }
  expect(withoutTopUnion(schema)).toEqual({ schema, note: '' })
})

test('describes alternatives that only require', () => {
  const own = { type: 'object', properties: { route: STRING, file: STRING } }
  const anyOf = [{ required: ['route'] }, { required: ['file'] }]
  expect(withoutTopUnion({ ...own, anyOf })).toEqual({
    schema: own,
    note: `The input must match at least one of these JSON schemas: ${JSON.stringify(anyOf)}`,
  })
})

test('merges the properties of alternatives, and requires what all of them require', () => {
  const oneOf = [
    { type: 'object', properties: { kind: { const: 'a' }, x: STRING }, required: ['kind', 'x'] },
    { type: 'object', properties: { kind: { const: 'b' }, y: NUMBER }, required: ['kind'] },
    { $ref: '#/$defs/c' },
  ]
  const $defs = { c: { properties: { kind: { const: 'a' } }, required: ['kind'] } }
  const { schema, note } = withoutTopUnion({ type: 'object', oneOf, $defs })
  expect(schema).toEqual({
    type: 'object',
    $defs,
    properties: { kind: { anyOf: [{ const: 'a' }, { const: 'b' }] }, x: STRING, y: NUMBER },
    required: ['kind'],
  })
  expect(note).toContain('exactly one')
})

test('joins schemas that hold at once', () => {
  const allOf = [
    { properties: { a: STRING }, required: ['a'] },
    { properties: { b: STRING }, required: ['b'] },
  ]
  expect(withoutTopUnion({ type: 'object', allOf })).toEqual({
    schema: { type: 'object', properties: { a: STRING, b: STRING }, required: ['a', 'b'] },
    note: '',
  })
})

test('every list has items, at any depth', () => {
  const list = { type: 'array' }
  const tuple = { type: ['array', 'null'], prefixItems: [list] }
  const schema = { type: 'object', properties: { a: list, b: { anyOf: [tuple] } }, $defs: { list } }
  const fitted = { ...list, items: {} }
  expect(objectSchema(schema).schema).toEqual({
    type: 'object',
    properties: { a: fitted, b: { anyOf: [{ ...tuple, prefixItems: [fitted], items: {} }] } },
    $defs: { list: fitted },
  })
  const complete = { type: 'object', properties: { a: { type: 'array', items: STRING } } }
  expect(objectSchema(complete).schema).toEqual(complete)
})

test('leaves out a long note', () => {
  const anyOf = [{ description: 'x'.repeat(3000) }]
  expect(withoutTopUnion({ anyOf }).note).toBe('')
})

const NAMED_REQUIRED = { properties: { required: STRING }, enum: [null] }

test.each([
  [{ required: null, properties: null, default: null }, { default: null }],
  [{ items: [] }, {}],
  [{ items: [STRING, { required: null }] }, { prefixItems: [STRING, {}] }],
  [{ minimum: 1, exclusiveMinimum: true }, { exclusiveMinimum: 1 }],
  [
    { maximum: 9, exclusiveMaximum: false, properties: { a: { type: null } } },
    { maximum: 9, properties: { a: {} } },
  ],
  [NAMED_REQUIRED, NAMED_REQUIRED],
])('writes %j in the current draft', (given, current) => {
  expect(inCurrentDraft(given)).toEqual(current)
})

test.each([
  [{}, { type: 'object', properties: {} }],
  [
    { type: 'object', properties: { a: { type: 'object', anyOf: [{ required: ['x'] }, STRING] } } },
    {
      type: 'object',
      properties: { a: { anyOf: [{ type: 'object', required: ['x'] }, STRING] } },
    },
  ],
  [
    {
      type: 'object',
      properties: { a: { $ref: '#/definitions/b', description: 'd' }, c: { enum: ['x'] } },
      definitions: { b: { items: STRING } },
    },
    {
      type: 'object',
      properties: { a: { $ref: '#/$defs/b' }, c: { type: 'string', enum: ['x'] } },
      $defs: { b: { type: 'array', items: STRING } },
    },
  ],
  [
    { $ref: '#/definitions/a', definitions: { a: { type: 'object', properties: { b: STRING } } } },
    {
      type: 'object',
      properties: { b: STRING },
      $defs: { a: { type: 'object', properties: { b: STRING } } },
    },
  ],
])('writes %j as Kimi wants it', (given, wanted) => {
  expect(kimiSchema(given).schema).toEqual(wanted)
})

test('properties under names that Anthropic refuses become patterns, at any depth', () => {
  const schema = {
    type: 'object',
    properties: { a: { type: 'object', properties: { 'x y': NUMBER } }, '价格 (¥)': STRING },
    patternProperties: { '^x-': NUMBER },
    required: ['价格 (¥)'],
  }
  expect(withPlainProperties(schema)).toEqual({
    type: 'object',
    properties: { a: { type: 'object', properties: {}, patternProperties: { '^x y$': NUMBER } } },
    patternProperties: { '^x-': NUMBER, '^价格 \\(¥\\)$': STRING },
    required: ['价格 (¥)'],
  })
  const plain = { type: 'object', properties: { 'a.b-c_1': STRING } }
  expect(withPlainProperties(plain)).toBe(plain)
})
