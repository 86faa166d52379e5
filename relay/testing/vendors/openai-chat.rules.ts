import { isRecord, type JsonRecord, member, textOf } from '../../src/bytes/json-value.ts'
import {
  areGiven,
  callOf,
  calling,
  callsOf,
  hasDuplicates,
  hasPart,
  hasStrayResult,
  hasUnansweredCall,
  HI,
  IMAGE,
  inMessages,
  isAssistant,
  isGiven,
  isOutside,
  loop,
  messagesOf,
  ONE_TOOL,
  partsOf,
  result,
  roleOf,
  says,
  schemaFormat,
  TEXT,
} from './chat-requests.ts'
import { openaiChat } from './openai-schema.ts'
import { OPENAI_TOOL_ROWS, TOOL_NAME } from './openai-tools.rules.ts'
import { hasUnknownMember, hasWrongType, type RuleRow } from './strict-vendor.ts'

const SPEC = 'openai/openai-openapi 2.3.0'
const SDK = 'openai/openai-python 3.54.0'
const ROLES = ['developer', 'system', 'user', 'assistant', 'tool', 'function']

/** Rules for all models, in the order of the checks. */
export const OPENAI_CHAT_ROWS: readonly RuleRow[] = [
  {
    id: 'OAI-001',
    text: 'An unknown member, at the top or within messages and tools',
    sure: 'src',
    source: SPEC,
    refuses: ({ body }) => hasUnknownMember(openaiChat, body),
    code: 'unknown_parameter',
    example: { top_k: 4 },
  },
  {
    id: 'OAI-002',
    text: 'No `messages`, or an empty list',
    sure: 'src',
    source: SPEC,
    refuses: ({ body }) => messagesOf(body).length === 0,
    code: 'empty_array',
    example: { messages: [] },
  },
  {
    id: 'OAI-003',
    text: 'Content that is an empty list',
    sure: 'src',
    source: SPEC,
    refuses: ({ body }) =>
      inMessages(body, ({ content }) => Array.isArray(content) && content.length === 0),
    code: 'empty_array',
    example: says({ role: 'user', content: [] }),
  },
  {
    id: 'OAI-004',
    text: 'A role other than developer, system, user, assistant, tool and function',
    sure: 'src',
    source: SPEC,
    refuses: ({ body }) => inMessages(body, (message) => !ROLES.includes(roleOf(message))),
    code: 'invalid_value',
    example: says({ role: 'model', content: 'hi' }),
  },
  {
    id: 'OAI-005',
    text: 'An assistant message without content, calls, refusal and audio',
    sure: 'src',
    source: SPEC,
    refuses: ({ body }) =>
      inMessages(
        body,
        (message) =>
          isAssistant(message) &&
          !areGiven(message, 'content', 'tool_calls', 'function_call', 'refusal', 'audio'),
      ),
    code: 'invalid_value',
    example: says(HI, { role: 'assistant', content: null }, HI),
  },
  {
    id: 'OAI-006',
    text: 'A part other than text in a message that is not of the user',
    sure: 'src',
    source: SPEC,
    refuses: ({ body }) =>
      inMessages(
        body,
        (message) =>
          roleOf(message) !== 'user' && hasPart(message, 'image_url', 'input_audio', 'file'),
      ),
    code: 'invalid_value',
    example: says(HI, { role: 'assistant', content: [IMAGE] }, HI),
  },
  {
    id: 'OAI-007',
    text: 'An empty list of `tool_calls`',
    sure: 'issue',
    source: SPEC,
    refuses: ({ body }) =>
      inMessages(body, ({ tool_calls: calls }) => Array.isArray(calls) && calls.length === 0),
    code: 'empty_array',
    example: says(HI, { role: 'assistant', content: 'hi', tool_calls: [] }, HI),
  },
  {
    id: 'OAI-034',
    text: 'A member of a wrong type, such as arguments that are an object',
    sure: 'src',
    source: SPEC,
    refuses: ({ body }) => hasWrongType(openaiChat, body),
    code: 'invalid_type',
    example: loop({}, { arguments: {} }),
  },
  ...OPENAI_TOOL_ROWS,
  {
    id: 'OAI-022',
    text: 'An empty list of stop sequences, more than 4, or an empty sequence',
    sure: 'src',
    source: SPEC,
    refuses: ({ body: { stop } }) =>
      Array.isArray(stop) && (stop.length === 0 || stop.length > 4 || stop.includes('')),
    code: 'array_above_max_length',
    example: { stop: ['a', 'b', 'c', 'd', 'e'] },
  },
  {
    id: 'OAI-023',
    text: 'A number beyond its bounds, or `top_logprobs` without `logprobs`',
    sure: 'src',
    source: SPEC,
    refuses: ({ body }) =>
      BOUNDS.some(([name, least, most]) => isOutside(body[name], least, most)) ||
      (isGiven(body['top_logprobs']) && body['logprobs'] !== true),
    code: 'decimal_above_max_value',
    example: { temperature: 2.5 },
  },
  {
    id: 'OAI-024',
    text: '`stream_options` without a stream',
    sure: 'issue',
    source: SPEC,
    refuses: ({ body }) => isGiven(body['stream_options']) && body['stream'] !== true,
    example: { stream_options: { include_usage: true } },
  },
  {
    id: 'OAI-025',
    text: '`user` is longer than 64 characters',
    sure: 'issue',
    source: 'maximhq/bifrost#1000',
    refuses: ({ body }) => textOf(body['user']).length > 64,
    code: 'string_above_max_length',
    example: { user: 'u'.repeat(65) },
  },
  {
    id: 'OAI-026',
    text: '`safety_identifier` is longer than 128 characters (64 until 2026-08)',
    sure: 'src',
    source: SDK,
    refuses: ({ body }) => textOf(body['safety_identifier']).length > 128,
    code: 'string_above_max_length',
    example: { safety_identifier: 'u'.repeat(129) },
  },
  {
    id: 'OAI-027',
    text: '`metadata` with more than 16 pairs, a key above 64 or a value above 512 characters',
    sure: 'src',
    source: SPEC,
    refuses: ({ body: { metadata } }) => isRecord(metadata) && isBadMetadata(metadata),
    code: 'invalid_value',
    example: { metadata: { a: 1 } },
  },
  {
    id: 'OAI-028',
    text: 'An unknown value of `prompt_cache_retention`, `verbosity` or `service_tier`',
    sure: 'src',
    source: SPEC,
    refuses: ({ body }) =>
      WORDS.some(([name, words]) => isGiven(body[name]) && !words.includes(textOf(body[name]))),
    code: 'invalid_value',
    example: { verbosity: 'loud' },
  },
  {
    id: 'OAI-030',
    text: 'Both `max_tokens` and `max_completion_tokens`',
    sure: 'guess',
    source: 'unconfirmed',
    refuses: ({ body }) => isGiven(body['max_tokens']) && isGiven(body['max_completion_tokens']),
    code: 'invalid_parameter_combination',
    example: { max_tokens: 10, max_completion_tokens: 10 },
  },
  {
    id: 'OAI-031',
    text: 'The format `json_object` and no word "json" in the messages',
    sure: 'doc',
    source: 'OpenAI, guide to structured outputs',
    refuses: ({ body }) =>
      member(body['response_format'], 'type') === 'json_object' &&
      !/json/i.test(JSON.stringify(body['messages'])),
    example: { response_format: { type: 'json_object' } },
  },
  {
    id: 'OAI-032',
    text: 'An image that is not PNG, JPEG, WebP or GIF, or whose URL has no scheme',
    sure: 'doc',
    source: 'OpenAI, guide to images and vision',
    refuses: ({ body }) => messagesOf(body).flatMap(partsOf).some(hasOtherImage),
    code: 'invalid_image_format',
    example: says({
      role: 'user',
      content: [TEXT, { type: 'image_url', image_url: { url: 'data:image/tiff;base64,SUkqAA==' } }],
    }),
  },
  {
    id: 'OAI-210',
    text: 'A schema whose name is absent or not `^[a-zA-Z0-9_-]{1,64}$`',
    sure: 'src',
    source: SPEC,
    refuses: ({ body }) => {
      const format = member(body['response_format'], 'json_schema')
      return isRecord(format) && !TOOL_NAME.test(textOf(format['name']))
    },
    code: 'invalid_value',
    example: schemaFormat({ type: 'object' }, { name: 'a weather' }),
  },
]

/** Relations between messages, which are checked last. */
export const OPENAI_PAIRING_ROWS: readonly RuleRow[] = [
  {
    id: 'OAI-008',
    text: 'A call whose result does not follow directly',
    sure: 'issue',
    source: 'farion1231/cc-switch#3047, looplj/axonhub#2220',
    refuses: ({ body }) => hasUnansweredCall(body),
    example: { ...ONE_TOOL, ...says(HI, calling(), HI, result()) },
  },
  {
    id: 'OAI-009',
    text: 'A result that does not follow the message with its call',
    sure: 'issue',
    source: 'BerriAI/litellm#26755',
    refuses: ({ body }) => hasStrayResult(body),
    example: { ...ONE_TOOL, ...says(HI, result()) },
  },
  {
    id: 'OAI-037',
    text: 'Two calls of a message with the same id',
    sure: 'guess',
    source: 'unconfirmed',
    refuses: ({ body }) =>
      inMessages(body, (message) => hasDuplicates(callsOf(message).map(({ id }) => id))),
    example: loop({ tool_calls: [callOf('call_1'), callOf('call_1')] }),
  },
]

const BOUNDS: readonly (readonly [string, number, number])[] = [
  ['n', 1, 128],
  ['temperature', 0, 2],
  ['top_p', 0, 1],
  ['presence_penalty', -2, 2],
  ['frequency_penalty', -2, 2],
  ['top_logprobs', 0, 20],
  ['max_tokens', 1, Infinity],
  ['max_completion_tokens', 1, Infinity],
]

const WORDS: readonly (readonly [string, readonly string[]])[] = [
  ['prompt_cache_retention', ['in_memory', '24h']],
  ['verbosity', ['low', 'medium', 'high']],
  ['service_tier', ['auto', 'default', 'flex', 'scale', 'priority', 'fast']],
]

const isBadMetadata = (metadata: JsonRecord) =>
  Object.keys(metadata).length > 16 ||
  Object.entries(metadata).some(
    ([key, value]) => key.length > 64 || typeof value !== 'string' || value.length > 512,
  )

const OTHER_IMAGE = /^data:image\/(?!(?:png|jpe?g|webp|gif);)|^(?!data:|https?:)./

const hasOtherImage = (part: JsonRecord) =>
  OTHER_IMAGE.test(textOf(member(part['image_url'], 'url')))
