import { isRecord, type JsonRecord, listOf, member, textOf } from '../../src/bytes/json-value.ts'
import {
  areGiven,
  documentedChat,
  functionsOf,
  hasCalls,
  hasStrayResult,
  hasUnansweredCall,
  HI,
  inMessages,
  isEmptyContent,
  isForced,
  isGiven,
  isOutside,
  loop,
  ONE_TOOL,
  parametersOf,
  repeated,
  roleOf,
  says,
  tools,
  calling,
} from './chat-requests.ts'
import { hasAny, schemasIn } from './json-schemas.ts'
import { openaiRefusal } from './openai.rules.ts'
import { type RuleRow, strictVendor } from './strict-vendor.ts'

const K3 = /kimi-k3/
/** The coding route checks schemas; the open platform does not. */
const CODING = '/coding/v1/chat/completions'
/** Models that always think. */
const ALWAYS = /kimi-k(?:2\.7|3)|kimi-k2-thinking/
const THINKS = /kimi-k(?:2\.[5-9]|3)|kimi-k2-thinking/
const FIXED = /kimi-k(?:2\.[5-7]|3)/
const NAME = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/

const thinks = (model: string, body: JsonRecord) =>
  THINKS.test(model) && (ALWAYS.test(model) || member(body['thinking'], 'type') !== 'disabled')

const schemas = (body: JsonRecord) => parametersOf(body).flatMap(schemasIn)
const K2_6 = 'kimi-k2.6'
const property = (schema: JsonRecord) =>
  tools({ parameters: { type: 'object', properties: { a: schema } } })

const SCHEMA_ROWS: readonly RuleRow[] = [
  {
    id: 'KIMI-011',
    text: 'Parameters of a tool without the type object',
    sure: 'issue',
    source: '14790897/MiqroForge-Desktop#1165',
    refuses: ({ body }) => parametersOf(body).some((schema) => member(schema, 'type') !== 'object'),
    example: tools({ parameters: { properties: {} } }),
  },
  {
    id: 'KIMI-012',
    text: 'Coding route: `type` next to anyOf',
    sure: 'issue',
    source: 'MoonshotAI/kimi-cli#2531, nicobailon/pi-subagents#127',
    refuses: ({ path, body }) =>
      path === CODING &&
      schemas(body).some((schema) => hasAny(schema, 'anyOf') && hasAny(schema, 'type')),
    with: { path: CODING },
    example: property({ type: 'string', anyOf: [{ type: 'string' }] }),
  },
  {
    id: 'KIMI-013',
    text: 'Coding route: a `$ref` elsewhere than to `#/$defs/`, or with a sibling',
    sure: 'issue',
    source: 'MoonshotAI/kimi-cli#2061, router-for-me/CLIProxyAPI#5316',
    refuses: ({ path, body }) =>
      path === CODING &&
      schemas(body).some(
        (schema) =>
          isGiven(schema['$ref']) &&
          (!textOf(schema['$ref']).startsWith('#/$defs/') || Object.keys(schema).length > 1),
      ),
    with: { path: CODING },
    example: property({ $ref: '#/definitions/a' }),
  },
  {
    id: 'KIMI-014',
    text: 'Coding route: a property without a type',
    sure: 'issue',
    source: 'earendil-works/pi#4138',
    refuses: ({ path, body }) =>
      path === CODING &&
      schemas(body).some(
        (schema) => !hasAny(schema, 'type', 'anyOf', 'oneOf', 'allOf', '$ref', 'enum', 'const'),
      ),
    with: { path: CODING },
    example: property({ description: 'anything' }),
  },
]

export const moonshot = strictVendor({
  name: 'moonshot',
  title: 'Moonshot (Kimi)',
  chatPath: /\/chat\/completions$/,
  documented: documentedChat(K2_6),
  refusal: openaiRefusal,
  rules: [
    {
      id: 'KIMI-010',
      text: 'The name of a tool is not `^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$`',
      sure: 'issue',
      source: 'MoonshotAI/kimi-cli#2531',
      refuses: ({ body }) => functionsOf(body).some(({ name }) => !NAME.test(textOf(name))),
      example: tools({ name: '1st' }),
    },
    {
      id: 'KIMI-016',
      text: 'More than 128 tools',
      sure: 'doc',
      source: 'platform.moonshot.cn, reference of chat',
      refuses: ({ body }) => listOf(body['tools']).length > 128,
      example: tools(...repeated(129, (index) => ({ name: `tool_${index}` }))),
    },
    {
      id: 'KIMI-019',
      text: 'Empty content of the user',
      sure: 'guess',
      source: 'unconfirmed',
      refuses: ({ body }) =>
        inMessages(body, (message) => roleOf(message) === 'user' && isEmptyContent(message)),
      example: says({ role: 'user', content: '' }),
    },
    ...SCHEMA_ROWS,
    {
      id: 'KIMI-015',
      text: 'More than 5 stop sequences, or one above 32 bytes',
      sure: 'issue',
      source: 'platform.moonshot.cn, reference of chat',
      refuses: ({ body: { stop } }) =>
        listOf(stop).length > 5 ||
        [stop, ...listOf(stop)].some((one) => Buffer.byteLength(textOf(one)) > 32),
      example: { stop: ['x'.repeat(33)] },
    },
    {
      id: 'KIMI-001',
      text: 'K2.5 and later: a temperature other than 1',
      sure: 'issue',
      source: 'getcoherence/studio 0.3.30',
      refuses: ({ model, body }) =>
        FIXED.test(model) &&
        thinks(model, body) &&
        isGiven(body['temperature']) &&
        body['temperature'] !== 1,
      example: { temperature: 0.5 },
    },
    {
      id: 'KIMI-002',
      text: 'K3: `top_p` other than 0.95, `n` other than 1, penalties other than 0',
      sure: 'issue',
      source: 'docs.oxen.ai, Kimi K3',
      refuses: ({ model, body }) =>
        K3.test(model) &&
        [
          ['top_p', 0.95],
          ['n', 1],
          ['presence_penalty', 0],
          ['frequency_penalty', 0],
        ].some(([name = '', only]) => isGiven(body[name]) && body[name] !== only),
      with: { model: 'kimi-k3' },
      example: { top_p: 0.5 },
    },
    {
      id: 'KIMI-009',
      text: 'moonshot-v1: a temperature above 1; several answers below 0.3',
      sure: 'doc',
      source: 'platform.moonshot.cn, reference of chat',
      refuses: ({ model, body }) =>
        model.startsWith('moonshot-v1') &&
        (isOutside(body['temperature'], 0, 1) ||
          (Number(body['n']) > 1 && isOutside(body['temperature'], 0.3, 1))),
      with: { model: 'moonshot-v1-8k' },
      example: { temperature: 1.5 },
    },
    {
      id: 'KIMI-003',
      text: 'K2 that thinks: a forced tool',
      sure: 'issue',
      source: 'UKGovernmentBEIS/inspect_ai#5152, theopenco/llmgateway#2090',
      refuses: ({ model, body }) =>
        thinks(model, body) && !K3.test(model) && isForced(body['tool_choice']),
      example: { ...ONE_TOOL, tool_choice: 'required' },
    },
    {
      id: 'KIMI-004',
      text: 'K3: a forced tool that is named',
      sure: 'issue',
      source: 'UKGovernmentBEIS/inspect_ai#5152',
      refuses: ({ model, body }) => K3.test(model) && isRecord(body['tool_choice']),
      with: { model: 'kimi-k3' },
      example: { ...ONE_TOOL, tool_choice: { type: 'function', function: { name: 'weather' } } },
    },
    {
      id: 'KIMI-005',
      text: 'K2.7 and K3: thinking disabled',
      sure: 'doc',
      source: 'platform.moonshot.cn, Kimi K3',
      refuses: ({ model, body }) =>
        ALWAYS.test(model) && member(body['thinking'], 'type') === 'disabled',
      with: { model: 'kimi-k3' },
      example: { thinking: { type: 'disabled' } },
    },
    {
      id: 'KIMI-006',
      text: 'K2.5 and K2.6: an effort while thinking is disabled',
      sure: 'issue',
      source: 'openclaw/openclaw#47261',
      refuses: ({ body }) =>
        member(body['thinking'], 'type') === 'disabled' && areGiven(body, 'reasoning_effort'),
      example: { thinking: { type: 'disabled' }, reasoning_effort: 'low' },
    },
    {
      id: 'KIMI-007',
      text: 'K3: an effort other than low, medium, high, xhigh and max',
      sure: 'src',
      source: 'BerriAI/litellm 1.110',
      refuses: ({ model, body }) =>
        K3.test(model) &&
        isGiven(body['reasoning_effort']) &&
        !['low', 'medium', 'high', 'xhigh', 'max'].includes(textOf(body['reasoning_effort'])),
      with: { model: 'kimi-k3' },
      example: { reasoning_effort: 'none' },
    },
    {
      id: 'KIMI-008',
      text: 'Thinking: a call in the history without `reasoning_content`',
      sure: 'src',
      source: 'BerriAI/litellm 1.110',
      refuses: ({ model, body }) =>
        thinks(model, body) &&
        inMessages(
          body,
          (message) => hasCalls(message) && textOf(message['reasoning_content']) === '',
        ),
      example: loop(),
    },
    {
      id: 'KIMI-020',
      text: 'Calls and results that do not follow each other',
      sure: 'issue',
      source: 'platform.moonshot.cn, guide to tool calls',
      refuses: ({ body }) => hasUnansweredCall(body) || hasStrayResult(body),
      example: { ...ONE_TOOL, ...says(HI, calling('call_1', { reasoning_content: 'Hm.' }), HI) },
    },
  ],
})
