import type { JsonRecord } from '../../src/bytes/json-value.ts'
import type { Conversation } from './conversations.ts'

/* Conversations at the edge of what agents send. */

const PLAIN: Conversation = {
  turns: [],
  question: 'And now?',
  system: 'Be brief.',
  limit: 2000,
  temperature: undefined,
  topP: undefined,
  stop: [],
  effort: undefined,
  user: undefined,
  choice: undefined,
  stream: true,
  schema: undefined,
}

/** Three messages a turn: the user's, the assistant's with a call, and the result. */
const MESSAGES_PER_TURN = 3

function turns(count: number, nameOf: (index: number) => string): Conversation['turns'] {
  return Array.from({ length: count }, (_, index) => ({
    asked: 'Go on.',
    hasImage: false,
    thought: index % 2 === 0 ? { text: 'Hm.', seal: '' } : null,
    said: '',
    calls: [{ id: `call_${index}`, name: nameOf(index), result: '7 degrees' }],
  }))
}

/** Names of MCP servers differ in their endings, beyond what most vendors accept. */
const longName = (index: number) => `mcp__server__${'x'.repeat(185)}${index % 2}_`

/** Every keyword of JSON Schema 2020-12 that a tool may declare, and those of earlier drafts. */
const EVERY_KEYWORD: JsonRecord = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  $id: 'https://example.com/search.json',
  $comment: 'For the test.',
  title: 'Search',
  description: 'Arguments',
  type: 'object',
  $defs: { id: { type: 'string', pattern: '^[a-z]+$', minLength: 1, maxLength: 9 } },
  definitions: { old: { type: 'integer' } },
  properties: {
    id: { $ref: '#/$defs/id' },
    old: { $ref: '#/definitions/old' },
    kind: { enum: ['a', 'b', null], default: 'a' },
    fixed: { const: 7 },
    count: { type: ['integer', 'null'], minimum: 0, maximum: 9, multipleOf: 3 },
    share: { type: 'number', exclusiveMinimum: 0, exclusiveMaximum: 1 },
    list: {
      type: 'array',
      items: { type: 'string', format: 'uuid' },
      minItems: 1,
      maxItems: 9,
      uniqueItems: true,
      contains: { type: 'string' },
      minContains: 1,
      maxContains: 2,
    },
    pair: { type: 'array', prefixItems: [{ type: 'string' }, { type: 'number' }], items: false },
    any: { anyOf: [{ type: 'string' }, { type: 'number' }] },
    one: { oneOf: [{ type: 'string' }, { type: 'boolean' }] },
    all: {
      allOf: [{ type: 'object', properties: { x: { type: 'string' } } }, { required: ['x'] }],
    },
    not: { not: { type: 'null' } },
    map: {
      type: 'object',
      patternProperties: { '^x-': { type: 'string' } },
      propertyNames: { maxLength: 9 },
      additionalProperties: { type: 'number' },
      minProperties: 1,
      maxProperties: 3,
    },
    open: true,
    seen: { type: 'string', readOnly: true, deprecated: true, examples: ['x'] },
    sent: {
      type: 'string',
      writeOnly: true,
      contentEncoding: 'base64',
      contentMediaType: 'text/csv',
    },
    maybe: { type: 'string', nullable: true },
  },
  required: ['id'],
  dependentRequired: { list: ['id'] },
  dependentSchemas: { pair: { required: ['id'] } },
  if: { properties: { kind: { const: 'a' } } },
  // oxlint-disable-next-line unicorn/no-thenable -- a keyword of JSON Schema
  then: { required: ['count'] },
  else: { required: ['share'] },
  unevaluatedProperties: false,
  additionalProperties: false,
}

const OTHER_NAMES: JsonRecord = {
  type: 'object',
  properties: {
    'first name': { type: 'string' },
    城市: { type: 'object', properties: { ['long_'.repeat(15)]: { type: 'string' } } },
  },
  required: ['first name', '城市'],
}

export const EXTREME_CONVERSATIONS: Readonly<Record<string, Conversation>> = {
  'a thousand messages': {
    ...PLAIN,
    turns: turns(Math.ceil(1000 / MESSAGES_PER_TURN), () => 'read'),
  },
  'tool names of two hundred characters': { ...PLAIN, turns: turns(4, longName) },
  'a schema with every keyword': { ...PLAIN, schema: EVERY_KEYWORD },
  'names of properties in other alphabets': { ...PLAIN, schema: OTHER_NAMES },
}
