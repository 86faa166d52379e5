import { z } from 'zod'
import { type JsonRecord, listOf, member } from '../../src/bytes/json-value.ts'
import {
  areGiven,
  calling,
  callsOf,
  documentedChat,
  functionsOf,
  hasStrayResult,
  hasTools,
  hasUnansweredCall,
  HI,
  inMessages,
  isAssistant,
  isGiven,
  isOutside,
  loop,
  messagesOf,
  ONE_TOOL,
  says,
} from './chat-requests.ts'
import { openaiChat } from './openai-schema.ts'
import { openaiRefusal } from './openai.rules.ts'
import { hasUnknownMember, strictVendor } from './strict-vendor.ts'

const REFERENCE = 'console.groq.com, reference of chat'
const OWN = (
  'citation_options compound_custom disable_tool_validation documents exclude_domains ' +
  'include_domains include_reasoning reasoning_format search_settings'
).split(' ')
const UNSUPPORTED = ['logit_bias', 'logprobs', 'top_logprobs']
const REASONS = /gpt-oss|qwen3|deepseek-r1/
const TAKES_SCHEMA = /gpt-oss|qwen3\.8|llama-4|kimi-k2/
const NULLS = ['function_call', 'tool_calls', 'refusal', 'audio']

const content = openaiChat.shape.messages.element.options[1].shape.content
const calls = openaiChat.shape.messages.element.options[2].shape.tool_calls
const name = z.string().optional()

/** groq-sdk 1.6 */
const chat = z.object({
  messages: z.array(
    z.discriminatedUnion('role', [
      z.strictObject({ role: z.enum(['system', 'developer', 'user']), content, name }),
      z.strictObject({
        role: z.literal('assistant'),
        content: content.nullish(),
        name,
        function_call: z.unknown(),
        reasoning: z.string().nullish(),
        // Has a rule of its own.
        reasoning_content: z.unknown(),
        tool_calls: calls,
      }),
      z.strictObject({ role: z.literal('tool'), content, tool_call_id: z.string(), name }),
      z.looseObject({ role: z.literal('function') }),
    ]),
  ),
  tools: openaiChat.shape.tools,
})

const formatOf = (body: JsonRecord) => member(body['response_format'], 'type')
const outputMost = (model: string) => (model.includes('gpt-oss') ? 65_536 : Infinity)

export const groq = strictVendor({
  name: 'groq',
  title: 'Groq',
  chatPath: /\/chat\/completions$/,
  documented: documentedChat('openai/gpt-oss-120b', '/openai/v1/chat/completions'),
  refusal: openaiRefusal,
  rules: [
    {
      id: 'GRQ-003',
      text: 'An unknown member at the top',
      sure: 'issue',
      source: 'musistudio/llms#64',
      refuses: ({ body }) =>
        Object.keys(body).some(
          (name) => !Object.hasOwn(openaiChat.shape, name) && !OWN.includes(name),
        ),
      example: { thinking: { type: 'disabled' } },
    },
    {
      id: 'GRQ-014',
      text: 'An unknown member of a message, a part, a call or a tool, such as `cache_control`',
      sure: 'issue',
      source: 'ServiceStack/llms#17, run-llama/llama_index#14701, chatboxai/chatbox#2081',
      refuses: ({ body: { messages, tools } }) => hasUnknownMember(chat, { messages, tools }),
      example: says({ ...HI, cache_control: { type: 'ephemeral' } }),
    },
    {
      id: 'GRQ-001',
      text: '`reasoning_content` of the assistant',
      sure: 'issue',
      source: 'janhq/jan#8136, tashfeenahmed/freellmapi#1070',
      refuses: ({ body }) =>
        inMessages(body, (message) => Object.hasOwn(message, 'reasoning_content')),
      example: says(HI, { role: 'assistant', content: 'hi', reasoning_content: 'Hm.' }, HI),
    },
    {
      id: 'GRQ-002',
      text: 'Models without reasoning: `reasoning` of the assistant',
      sure: 'issue',
      source: 'vercel/ai#8057',
      refuses: ({ model, body }) =>
        !REASONS.test(model) && inMessages(body, (message) => isGiven(message['reasoning'])),
      with: { model: 'llama-3.3-70b-versatile' },
      example: says(HI, { role: 'assistant', content: 'hi', reasoning: 'Hm.' }, HI),
    },
    {
      id: 'GRQ-004',
      text: 'A member of the assistant that is null, other than content',
      sure: 'src',
      source: 'BerriAI/litellm#5839',
      refuses: ({ body }) =>
        inMessages(
          body,
          (message) => isAssistant(message) && NULLS.some((name) => message[name] === null),
        ),
      example: says(HI, { role: 'assistant', content: 'hi', function_call: null }, HI),
    },
    {
      id: 'GRQ-005',
      text: '`reasoning_format` raw with tools or JSON, or together with `include_reasoning`',
      sure: 'doc',
      source: 'console.groq.com, reasoning',
      refuses: ({ body }) =>
        (body['reasoning_format'] === 'raw' && (hasTools(body) || isGiven(formatOf(body)))) ||
        (isGiven(body['reasoning_format']) && isGiven(body['include_reasoning'])),
      example: { ...ONE_TOOL, reasoning_format: 'raw' },
    },
    {
      id: 'GRQ-006',
      text: 'The format `json_schema` for models without it, or with a stream or tools',
      sure: 'src',
      source: 'BerriAI/litellm 1.110',
      refuses: ({ model, body }) =>
        formatOf(body) === 'json_schema' &&
        (!TAKES_SCHEMA.test(model) || body['stream'] === true || hasTools(body)),
      with: { model: 'llama-3.3-70b-versatile' },
      example: { response_format: { type: 'json_schema', json_schema: { name: 'a' } } },
    },
    {
      id: 'GRQ-009',
      text: '`n` other than 1, `logprobs`, `logit_bias`, `top_logprobs`, names of messages',
      sure: 'doc',
      source: REFERENCE,
      refuses: ({ body }) =>
        areGiven(body, ...UNSUPPORTED) ||
        isOutside(body['n'], 1, 1) ||
        inMessages(body, (message) => message['role'] === 'user' && isGiven(message['name'])),
      example: { n: 2 },
    },
    {
      id: 'GRQ-011',
      text: 'gpt-oss: an output limit above 65 536',
      sure: 'src',
      source: 'BerriAI/litellm 1.110, map of models',
      refuses: ({ model, body }) =>
        [body['max_tokens'], body['max_completion_tokens']].some((limit) =>
          isOutside(limit, 1, outputMost(model)),
        ),
      example: { max_tokens: 100_000 },
    },
    {
      id: 'GRQ-007',
      text: 'A call in the history of a tool that is not among the tools',
      sure: 'issue',
      source: 'BerriAI/litellm#11001',
      refuses: ({ body }) => {
        const known = functionsOf(body).map(({ name }) => name)
        return messagesOf(body)
          .flatMap(callsOf)
          .some((call) => !known.includes(member(call['function'], 'name')))
      },
      example: { ...loop(), tools: undefined },
    },
    {
      id: 'GRQ-012',
      text: 'Calls and results that do not follow each other',
      sure: 'guess',
      source: 'unconfirmed',
      refuses: ({ body }) => hasUnansweredCall(body) || hasStrayResult(body),
      example: { ...ONE_TOOL, ...says(HI, calling(), HI) },
    },
    {
      id: 'GRQ-013',
      text: 'More than 4 stop sequences',
      sure: 'doc',
      source: REFERENCE,
      refuses: ({ body }) => listOf(body['stop']).length > 4,
      example: { stop: ['a', 'b', 'c', 'd', 'e'] },
    },
  ],
})
