import { z } from 'zod'
import { type JsonRecord, listOf, member, textOf } from '../../src/bytes/json-value.ts'
import {
  areGiven,
  calling,
  documentedChat,
  hasCalls,
  hasTools,
  hasUnansweredCall,
  HI,
  inMessages,
  isEmptyContent,
  isGiven,
  isOutside,
  messagesOf,
  ONE_TOOL,
  repeated,
  roleOf,
  says,
  tools,
} from './chat-requests.ts'
import { hasAny, someSchema } from './json-schemas.ts'
import { hasUnknownMember, strictVendor } from './strict-vendor.ts'

const REFERENCE = 'docs.cohere.com, reference of chat v2'
const BOUNDS: readonly (readonly [string, number, number])[] = [
  ['temperature', 0, 1],
  ['p', 0.01, 0.99],
  ['top_p', 0.01, 0.99],
  ['k', 0, 500],
  ['presence_penalty', 0, 1],
  ['frequency_penalty', 0, 1],
]

const COMPATIBILITY = 'docs.cohere.com/docs/compatibility-api'
const COMPATIBLE = { path: '/compatibility/v1/chat/completions' }
const isCompatible = (path: string) => path.startsWith('/compatibility/')
const UNSUPPORTED = (
  'store metadata logit_bias top_logprobs n modalities prediction audio service_tier ' +
  'parallel_tool_calls'
).split(' ')

const free = z.looseObject({})
const part = z.looseObject({ type: z.string(), cache_control: z.undefined().optional() })
const content = z.union([z.string(), z.array(part)]).nullish()

/** cohere-ai 8.1. The API with OpenAI's form takes two members more, as its page shows. */
const chatWith = (more: { tool?: object; definition?: object }) =>
  z.object({
    messages: z.array(
      z.discriminatedUnion('role', [
        z.strictObject({ role: z.enum(['system', 'developer', 'user']), content }),
        z.strictObject({
          role: z.literal('assistant'),
          content,
          tool_calls: z
            .array(
              z.strictObject({
                id: z.string(),
                type: z.literal('function'),
                function: z.strictObject({ name: z.string(), arguments: z.string() }),
              }),
            )
            .nullish(),
          tool_plan: z.string().nullish(),
          citations: z.array(free).nullish(),
        }),
        z.strictObject({
          role: z.literal('tool'),
          content,
          tool_call_id: z.string(),
          ...more.tool,
        }),
      ]),
    ),
    tools: z
      .array(
        z.strictObject({
          type: z.literal('function'),
          function: z.strictObject({
            name: z.string(),
            description: z.string().optional(),
            parameters: free,
            ...more.definition,
          }),
        }),
      )
      .optional(),
  })

const ownChat = chatWith({})
const compatibleChat = chatWith({
  tool: { name: z.string().optional() },
  definition: { strict: z.boolean().nullish() },
})

const REFUSED_KEYWORDS = ['$schema', 'additionalProperties'] as const
const toolSchemas = (body: JsonRecord) =>
  listOf(body['tools']).map((tool) => member(member(tool, 'function'), 'parameters'))

const outputMost = (model: string) => {
  if (model.startsWith('command-r')) return 4096
  return /^command-a(?:-03|-vision|-translate|$)/.test(model) ? 8000 : 64_000
}

const isJson = (body: JsonRecord) => member(body['response_format'], 'type') === 'json_object'

export const cohere = strictVendor({
  name: 'cohere',
  title: 'Cohere v2',
  chatPath: /\/v2\/chat$|\/compatibility\/v1\/chat\/completions$/,
  documented: documentedChat('command-a-03-2025', '/v2/chat'),
  refusal: ({ text, status = 400 }) => ({
    status,
    body: { id: '1', message: `invalid request: ${text}` },
  }),
  rules: [
    {
      id: 'COH-008',
      text: 'API with the form of OpenAI: a parameter that it does not support',
      sure: 'doc',
      source: `${COMPATIBILITY}; davidmigloz/ai_clients_dart#26`,
      status: 422,
      refuses: ({ path, body }) =>
        isCompatible(path) && UNSUPPORTED.some((name) => Object.hasOwn(body, name)),
      with: COMPATIBLE,
      example: { service_tier: 'auto' },
    },
    {
      id: 'COH-011',
      text: 'API with the form of OpenAI: an effort other than none and high',
      sure: 'doc',
      source: COMPATIBILITY,
      refuses: ({ path, body: { reasoning_effort: effort } }) =>
        isCompatible(path) && isGiven(effort) && !['none', 'high'].includes(textOf(effort)),
      with: COMPATIBLE,
      example: { reasoning_effort: 'low' },
    },
    {
      id: 'COH-012',
      text: 'An unknown member of a message, a call or a function, such as `index` or `strict`',
      sure: 'issue',
      source: 'BerriAI/litellm#24031, OpenRouterTeam/openrouter-examples#71, agno-agi/agno#3503',
      refuses: ({ path, body: { messages, tools } }) =>
        hasUnknownMember(isCompatible(path) ? compatibleChat : ownChat, { messages, tools }),
      status: 422,
      example: tools({ strict: true }),
    },
    {
      id: 'COH-013',
      text: 'API with the form of OpenAI: `$schema` or `additionalProperties` in the schema of a tool',
      sure: 'src',
      source: 'tashfeenahmed/freellmapi, server/src/providers/cohere.ts',
      refuses: ({ path, body }) =>
        isCompatible(path) &&
        someSchema(toolSchemas(body), (one) => hasAny(one, ...REFUSED_KEYWORDS)),
      with: COMPATIBLE,
      example: tools({ parameters: { type: 'object', additionalProperties: false } }),
    },
    {
      id: 'COH-004',
      text: 'A `tool_choice` other than REQUIRED and NONE',
      sure: 'src',
      source: 'cohere-ai/cohere-python 5',
      refuses: ({ path, body: { tool_choice: choice } }) =>
        !isCompatible(path) && isGiven(choice) && !['REQUIRED', 'NONE'].includes(textOf(choice)),
      status: 422,
      example: { ...ONE_TOOL, tool_choice: 'auto' },
    },
    {
      id: 'COH-005',
      text: 'Temperature and penalties outside 0 to 1, `p` outside 0.01 to 0.99, `k` above 500',
      sure: 'doc',
      source: REFERENCE,
      refuses: ({ body }) =>
        BOUNDS.some(([name, least, most]) => isOutside(body[name], least, most)),
      example: { temperature: 1.5 },
    },
    {
      id: 'COH-010',
      text: 'More than 5 stop sequences',
      sure: 'doc',
      source: REFERENCE,
      refuses: ({ body }) =>
        [body['stop_sequences'], body['stop']].some((stop) => listOf(stop).length > 5),
      example: { stop_sequences: repeated(6, String) },
    },
    {
      id: 'COH-006',
      text: 'JSON output together with tools or documents',
      sure: 'doc',
      source: REFERENCE,
      refuses: ({ body }) => isJson(body) && (hasTools(body) || areGiven(body, 'documents')),
      example: { ...ONE_TOOL, response_format: { type: 'json_object' } },
    },
    {
      id: 'COH-007',
      text: '`max_tokens` above 4096 (R), 8000 (A), 64 000 (A+)',
      sure: 'src',
      source: 'BerriAI/litellm 1.110, map of models',
      refuses: ({ model, body }) => isOutside(body['max_tokens'], 0, outputMost(model)),
      example: { max_tokens: 16_000 },
    },
    {
      id: 'COH-009',
      text: 'A `thinking.token_budget` that is not above 0',
      sure: 'src',
      source: 'vercel/ai',
      refuses: ({ body }) => isOutside(member(body['thinking'], 'token_budget'), 1, Infinity),
      example: { thinking: { type: 'enabled', token_budget: 0 } },
    },
    {
      id: 'COH-001',
      text: 'An empty last text of the user',
      sure: 'issue',
      source: 'kwaroran/Risuai#504',
      refuses: ({ body }) => {
        const last = messagesOf(body).at(-1)
        return last !== undefined && roleOf(last) === 'user' && isEmptyContent(last)
      },
      example: says({ role: 'user', content: '' }),
    },
    {
      id: 'COH-002',
      text: 'A message with neither content nor calls',
      sure: 'issue',
      source: 'langchain-ai/langchain-cohere#15',
      refuses: ({ body }) =>
        inMessages(
          body,
          (message) => roleOf(message) !== 'tool' && isEmptyContent(message) && !hasCalls(message),
        ),
      example: says(HI, { role: 'assistant', content: '' }, HI),
    },
    {
      id: 'COH-003',
      text: 'Command A: calls without results',
      sure: 'issue',
      source: 'oracle/langchain-oracle#10',
      refuses: ({ model, body }) => model.startsWith('command-a') && hasUnansweredCall(body),
      example: { ...ONE_TOOL, ...says(HI, calling(), HI) },
    },
  ],
})
