import { isRecord, type JsonRecord, listOf, member, textOf } from '../../src/bytes/json-value.ts'
import {
  areGiven,
  functionsOf,
  hasTools,
  HI,
  inMessages,
  isGiven,
  ONE_TOOL,
  says,
  schemaFormat,
} from './chat-requests.ts'
import {
  depthOf,
  LOOKAROUND,
  hasAny,
  hasMistypedEnum,
  isOfType,
  propertiesOf,
  schemasIn,
} from './json-schemas.ts'
import type { RuleRow } from './strict-vendor.ts'

/* OpenAI's rules for families of models, on chat completions. */

const MAP = 'BerriAI/litellm 1.110, map of models'
const GUIDE = 'OpenAI, guide to structured outputs'

export const reasons = (model: string) =>
  /^(?:o1|o3|o4|gpt-[56])/.test(model) && !/-chat/.test(model)
const isOf = (model: string, family: RegExp) => reasons(model) && family.test(model)
const DEFAULTS_TO_NONE = /^gpt-5\.[124](?!\d)(?!-pro)/
const SINCE_5_1 = /^gpt-(?:5\.\d|6)/
const RESPONSES_ONLY = /^(?:gpt-.*codex|codex-|(?:o1|o3|gpt-5(?:\.\d)?)-pro|o\d.*deep-research)/
const SEARCHES = /search-(?:preview|api)/

/** Efforts that chat completions take, by model; the first match counts. */
const EFFORTS: readonly (readonly [RegExp, string])[] = [
  [/^o\d/, 'low medium high'],
  [/^gpt-5-pro/, 'high'],
  [/^gpt-5\.1/, 'none low medium high'],
  [/^gpt-5\.[24]-pro/, 'low medium high xhigh'],
  [/^gpt-5\.5-pro/, 'medium high xhigh'],
  [/^gpt-5\.\d/, 'none low medium high xhigh'],
  [/^gpt-5(?!\.)/, 'minimal low medium high'],
  [/^gpt-6-(?:sol|luna)|^gpt-6\.1-terra/, 'none low medium high xhigh'],
  [/^gpt-6/, 'low medium high xhigh'],
]

/** The most output tokens, by model; the first match counts. */
const OUTPUT_MOST: readonly (readonly [RegExp, number])[] = [
  [/^gpt-4o-2024-05-13/, 4096],
  [/^gpt-4o|-chat/, 16_384],
  [/^gpt-4\.1/, 32_768],
  [/^o[134]/, 100_000],
  [/^gpt-5-pro/, 272_000],
  [/^gpt-[56]/, 128_000],
]

const firstMatch = <Value>(table: readonly (readonly [RegExp, Value])[], model: string) =>
  table.find(([family]) => family.test(model))?.[1]

const effortOf = (body: JsonRecord) => body['reasoning_effort'] ?? undefined

/** Sampling is free where the model does not reason. */
const samplesFreely = (model: string, body: JsonRecord) =>
  SINCE_5_1.test(model) &&
  (effortOf(body) === 'none' || (effortOf(body) === undefined && DEFAULTS_TO_NONE.test(model)))

export const OPENAI_MODEL_ROWS: readonly RuleRow[] = [
  {
    id: 'OAI-110',
    text: 'A chat with a model that only Responses offers: codex, pro, deep-research',
    sure: 'issue',
    source: 'Portkey-AI/gateway#1445',
    refuses: ({ model }) => RESPONSES_ONLY.test(model),
    status: 404,
    with: { model: 'gpt-5.3-codex' },
  },
  {
    id: 'OAI-101',
    text: 'Reasoning models: `max_tokens`',
    sure: 'src',
    source: 'openai/openai-openapi 2.3.0',
    refuses: ({ model, body }) => reasons(model) && isGiven(body['max_tokens']),
    code: 'unsupported_parameter',
    with: { model: 'o3-mini' },
    example: { max_tokens: 100 },
  },
  {
    id: 'OAI-102',
    text: 'Reasoning models: a temperature other than 1',
    sure: 'issue',
    source: 'musistudio/claude-code-router#849, cline/cline#7224',
    refuses: ({ model, body }) =>
      reasons(model) &&
      !samplesFreely(model, body) &&
      isGiven(body['temperature']) &&
      body['temperature'] !== 1,
    code: 'unsupported_value',
    with: { model: 'gpt-5-mini' },
    example: { temperature: 0.2 },
  },
  {
    id: 'OAI-103',
    text: 'Reasoning models: `top_p`, `logprobs`, `top_logprobs`',
    sure: 'src',
    source: MAP,
    refuses: ({ model, body }) =>
      reasons(model) &&
      !samplesFreely(model, body) &&
      areGiven(body, 'top_p', 'logprobs', 'top_logprobs'),
    code: 'unsupported_parameter',
    with: { model: 'gpt-5-mini' },
    example: { top_p: 0.5 },
  },
  {
    id: 'OAI-104',
    text: 'gpt-5.5 and later take sampling only with the explicit effort none',
    sure: 'src',
    source: MAP,
    refuses: ({ model, body }) =>
      isOf(model, /^gpt-(?:5\.[5-9]|6)/) &&
      effortOf(body) !== 'none' &&
      areGiven(body, 'temperature', 'top_p', 'logprobs') &&
      body['temperature'] !== 1,
    code: 'unsupported_value',
    with: { model: 'gpt-5.5' },
    example: { temperature: 0.2 },
  },
  {
    id: 'OAI-105',
    text: 'Reasoning models: `stop`, penalties, `logit_bias`, `prediction`, audio',
    sure: 'issue',
    source: 'FlowiseAI/Flowise#5046, crewAIInc/crewAI#4149',
    refuses: ({ model, body }) =>
      reasons(model) &&
      areGiven(
        body,
        'stop',
        'presence_penalty',
        'frequency_penalty',
        'logit_bias',
        'prediction',
        'audio',
      ),
    code: 'unsupported_parameter',
    with: { model: 'gpt-5-mini' },
    example: { stop: ['END'] },
  },
  {
    id: 'OAI-106',
    text: 'An effort that the model does not have',
    sure: 'issue',
    source: `livekit/agents#7169; ${MAP}`,
    refuses: ({ model, body }) => {
      const efforts = firstMatch(EFFORTS, model)
      if (efforts === undefined || !isGiven(body['reasoning_effort'])) return false
      return reasons(model) && !efforts.split(' ').includes(textOf(body['reasoning_effort']))
    },
    code: 'unsupported_value',
    with: { model: 'gpt-5-mini' },
    example: { reasoning_effort: 'none' },
  },
  {
    id: 'OAI-115',
    text: 'gpt-3.5 and the first gpt-4 models: `parsed` or `refusal` in a message',
    sure: 'issue',
    source: 'openai/openai-node#1161',
    refuses: ({ model, body }) =>
      /^gpt-(?:3\.5|4(?:-|$))/.test(model) &&
      inMessages(body, (message) => 'parsed' in message || 'refusal' in message),
    code: 'invalid_request_error',
    with: { model: 'gpt-4-turbo' },
    example: says(HI, { role: 'assistant', content: 'hi', refusal: null }, HI),
  },
  {
    id: 'OAI-107',
    text: 'gpt-4 models and chat models: `reasoning_effort`',
    sure: 'issue',
    source: 'OpenAI, reference of chat completions',
    refuses: ({ model, body }) =>
      /^(?:gpt-4|chatgpt|gpt-\d.*-chat)/.test(model) && isGiven(body['reasoning_effort']),
    code: 'unsupported_parameter',
    with: { model: 'gpt-4.1' },
    example: { reasoning_effort: 'low' },
  },
  {
    id: 'OAI-108',
    text: 'gpt-5.2, gpt-5.4 and gpt-5.5: tools together with an effort other than none',
    sure: 'issue',
    source: 'pipecat-ai/pipecat#4043, openai/openai-openapi#541',
    refuses: ({ model, body }) =>
      /^gpt-5\.[245](?!\d)/.test(model) &&
      hasTools(body) &&
      !['none', undefined].includes(textOf(effortOf(body)) || undefined),
    with: { model: 'gpt-5.4' },
    example: { ...ONE_TOOL, reasoning_effort: 'low' },
  },
  {
    id: 'OAI-109',
    text: 'gpt-5.6: tools without the explicit effort none',
    sure: 'issue',
    source: 'BerriAI/litellm#34569',
    refuses: ({ model, body }) =>
      model.startsWith('gpt-5.6') && hasTools(body) && effortOf(body) !== 'none',
    with: { model: 'gpt-5.6-terra' },
    example: ONE_TOOL,
  },
  {
    id: 'OAI-111',
    text: 'Search models: sampling, `n`, penalties, `stop`, tools and `reasoning_effort`',
    sure: 'src',
    source: MAP,
    refuses: ({ model, body }) =>
      SEARCHES.test(model) &&
      areGiven(
        body,
        'temperature',
        'top_p',
        'n',
        'presence_penalty',
        'frequency_penalty',
        'stop',
        'tools',
        'reasoning_effort',
      ),
    with: { model: 'gpt-4o-search-preview' },
    example: { temperature: 0.5 },
  },
  {
    id: 'OAI-113',
    text: 'o1 and o3-mini: `parallel_tool_calls`',
    sure: 'src',
    source: MAP,
    refuses: ({ model, body }) =>
      /^(?:o1|o3-mini)/.test(model) && isGiven(body['parallel_tool_calls']),
    code: 'unsupported_parameter',
    with: { model: 'o3-mini' },
    example: { ...ONE_TOOL, parallel_tool_calls: false },
  },
  {
    id: 'OAI-029',
    text: 'An output limit above the most that the model writes',
    sure: 'issue',
    source: MAP,
    refuses: ({ model, body }) => {
      const most = firstMatch(OUTPUT_MOST, model) ?? Infinity
      return [body['max_tokens'], body['max_completion_tokens']].some(
        (limit) => Number(limit) > most,
      )
    },
    code: 'invalid_value',
    with: { model: 'gpt-4o-mini' },
    example: { max_tokens: 64_000 },
  },
]

const strictRow = (
  id: string,
  text: string,
  refuses: (schema: JsonRecord) => boolean,
  schema: JsonRecord,
  more: Pick<RuleRow, 'sure' | 'source'> = { sure: 'doc', source: GUIDE },
): RuleRow => ({
  id,
  text: `Strict schemas: ${text}`,
  ...more,
  refuses: ({ body }) => strictSchemas(body).some(refuses),
  code: 'invalid_json_schema',
  example: schemaFormat(schema, { strict: true }),
})

/** Schemas of strict tools and of a strict format of the answer. */
function strictSchemas(body: JsonRecord): JsonRecord[] {
  const format = member(body['response_format'], 'json_schema')
  const strict = [
    ...functionsOf(body).map(({ strict: isStrict, parameters }) => isStrict === true && parameters),
    isRecord(format) && format['strict'] === true && format['schema'],
  ]
  return strict.filter(isRecord)
}

const within = (isFound: (schema: JsonRecord) => boolean) => (root: JsonRecord) =>
  schemasIn(root).some(isFound)
const objectOf = (properties: JsonRecord) => ({
  type: 'object',
  properties,
  required: Object.keys(properties),
  additionalProperties: false,
})
const nested = (depth: number): JsonRecord =>
  depth === 0 ? { type: 'string' } : objectOf({ a: nested(depth - 1) })
const enumSizes = (root: JsonRecord) =>
  schemasIn(root).map(({ enum: values }) => (Array.isArray(values) ? values.length : 0))

export const STRICT_SCHEMA_ROWS: readonly RuleRow[] = [
  strictRow(
    'OAI-201',
    'the root is not an object, or has anyOf',
    (root) => root['type'] !== 'object' || hasAny(root, 'anyOf'),
    { anyOf: [{ type: 'string' }] },
  ),
  strictRow(
    'OAI-202',
    'an object without `additionalProperties: false`',
    within((schema) => isOfType(schema, 'object') && schema['additionalProperties'] !== false),
    { type: 'object', properties: {}, required: [] },
  ),
  strictRow(
    'OAI-203',
    '`required` does not name all properties',
    within((schema) => {
      const names = Object.keys(propertiesOf(schema)).toSorted()
      const required = listOf(schema['required']).map(textOf).toSorted()
      return isOfType(schema, 'object') && JSON.stringify(names) !== JSON.stringify(required)
    }),
    { ...objectOf({ a: { type: 'string' } }), required: [] },
  ),
  strictRow('OAI-204', 'more than 10 levels', (root) => depthOf(root) > 10, nested(11)),
  strictRow(
    'OAI-205',
    'more than 5000 properties or 1000 values of enums',
    (root) =>
      schemasIn(root).flatMap((schema) => Object.keys(propertiesOf(schema))).length > 5000 ||
      enumSizes(root).reduce((sum, size) => sum + size, 0) > 1000,
    objectOf({
      a: { type: 'string', enum: Array.from({ length: 1001 }, (_none, at) => `v${at}`) },
    }),
  ),
  strictRow(
    'OAI-211',
    'an enum of another type than its schema, or lookaround in a pattern',
    within((schema) => hasMistypedEnum(schema) || LOOKAROUND.test(textOf(schema['pattern']))),
    objectOf({ a: { type: 'string', enum: [1] } }),
    { sure: 'guess', source: 'unconfirmed' },
  ),
]
