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
} from './chat-requests.ts'
import { strictVendor } from './strict-vendor.ts'

const REFERENCE = 'docs.cohere.com, reference of chat v2'
const BOUNDS: readonly (readonly [string, number, number])[] = [
  ['temperature', 0, 1],
  ['p', 0.01, 0.99],
  ['k', 0, 500],
  ['presence_penalty', 0, 1],
  ['frequency_penalty', 0, 1],
]

const outputMost = (model: string) => {
  if (model.startsWith('command-r')) return 4096
  return model.startsWith('command-a-') ? 8000 : 64_000
}

const isJson = (body: JsonRecord) => member(body['response_format'], 'type') === 'json_object'

export const cohere = strictVendor({
  name: 'cohere',
  title: 'Cohere v2',
  chatPath: /\/v2\/chat$/,
  documented: documentedChat('command-a-03-2025', '/v2/chat'),
  refusal: ({ text, status = 400 }) => ({
    status,
    body: { id: '1', message: `invalid request: ${text}` },
  }),
  rules: [
    {
      id: 'COH-004',
      text: 'A `tool_choice` other than REQUIRED and NONE',
      sure: 'src',
      source: 'cohere-ai/cohere-python 5',
      refuses: ({ body: { tool_choice: choice } }) =>
        isGiven(choice) && !['REQUIRED', 'NONE'].includes(textOf(choice)),
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
      refuses: ({ body }) => listOf(body['stop_sequences']).length > 5,
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
        inMessages(body, (message) => isEmptyContent(message) && !hasCalls(message)),
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
