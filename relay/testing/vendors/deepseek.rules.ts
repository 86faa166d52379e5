import { type JsonRecord, listOf, member, textOf } from '../../src/bytes/json-value.ts'
import {
  areGiven,
  documentedChat,
  hasCalls,
  hasPart,
  hasStrayResult,
  hasTools,
  hasUnansweredCall,
  HI,
  IMAGE,
  inMessages,
  isAssistant,
  isForced,
  isGiven,
  isOutside,
  loop,
  ONE_TOOL,
  roleOf,
  says,
  calling,
} from './chat-requests.ts'
import { openaiRefusal } from './openai.rules.ts'
import { strictVendor } from './strict-vendor.ts'

const DOCS = 'api-docs.deepseek.com, thinking mode'
const EFFORTS = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max', 'ultra']
const ROLES = ['system', 'user', 'assistant', 'tool']
const V4 = 'deepseek-v4-pro'

const isV4 = (model: string) => /deepseek-(?:v4|flash)/.test(model)
const isR1 = (model: string) => /deepseek-(?:reasoner|r1)/.test(model)
/** On unless it is switched off. */
const thinks = (model: string, body: JsonRecord) =>
  (isV4(model) && member(body['thinking'], 'type') !== 'disabled') || isR1(model)

const outputMost = (model: string) => {
  if (isV4(model)) return 393_216
  return isR1(model) ? 65_536 : 8192
}

export const deepseek = strictVendor({
  name: 'deepseek',
  title: 'DeepSeek',
  chatPath: /\/chat\/completions$/,
  documented: documentedChat(V4, '/chat/completions'),
  refusal: (row) => openaiRefusal({ ...row, code: 'invalid_request_error' }),
  rules: [
    {
      id: 'DS-012',
      text: '`max_tokens` that is not a whole number',
      sure: 'issue',
      source: 'keephq/keep#3767',
      refuses: ({ body }) => isGiven(body['max_tokens']) && !Number.isInteger(body['max_tokens']),
      example: { max_tokens: '' },
    },
    {
      id: 'DS-008',
      text: 'The role developer, or tools of another type than function',
      sure: 'src',
      source: 'BerriAI/litellm#30722',
      refuses: ({ body }) =>
        inMessages(body, (message) => !ROLES.includes(roleOf(message))) ||
        listOf(body['tools']).some((tool) => member(tool, 'type') !== 'function'),
      example: says({ role: 'developer', content: 'Be brief.' }, HI),
    },
    {
      id: 'DS-009',
      text: 'A part other than text',
      sure: 'issue',
      source: 'chatboxai/chatbox#1740, browser-use/web-ui#163',
      refuses: ({ body }) =>
        inMessages(body, (message) => hasPart(message, 'image_url', 'input_audio', 'file')),
      example: says({ role: 'user', content: [IMAGE] }),
    },
    {
      id: 'DS-006',
      text: 'A `thinking.type` other than enabled and disabled',
      sure: 'doc',
      source: DOCS,
      refuses: ({ body }) =>
        isGiven(body['thinking']) &&
        !['enabled', 'disabled'].includes(textOf(member(body['thinking'], 'type'))),
      example: { thinking: { type: 'adaptive' } },
    },
    {
      id: 'DS-007',
      text: 'An unknown effort, such as none',
      sure: 'doc',
      source: DOCS,
      refuses: ({ body }) =>
        isGiven(body['reasoning_effort']) && !EFFORTS.includes(textOf(body['reasoning_effort'])),
      example: { reasoning_effort: 'none' },
    },
    {
      id: 'DS-010',
      text: 'A `user_id` that is not `^[a-zA-Z0-9_-]+$`',
      sure: 'issue',
      source: 'claude-code-best/claude-code#420',
      refuses: ({ body }) =>
        isGiven(body['user_id']) && !/^[a-zA-Z0-9_-]+$/.test(textOf(body['user_id'])),
      example: { user_id: 'a@b' },
    },
    {
      id: 'DS-011',
      text: '`max_tokens` beyond the model: 8192, 65 536 (R1), 393 216 (V4)',
      sure: 'issue',
      source: 'Gitlawb/openclaude#35, Aider-AI/aider#4125',
      refuses: ({ model, body }) => isOutside(body['max_tokens'], 1, outputMost(model)),
      with: { model: 'deepseek-chat' },
      example: { max_tokens: 64_000 },
    },
    {
      id: 'DS-014',
      text: 'The format `json_schema`',
      sure: 'src',
      source: 'vercel/ai',
      refuses: ({ body }) => member(body['response_format'], 'type') === 'json_schema',
      example: { response_format: { type: 'json_schema', json_schema: { name: 'a' } } },
    },
    {
      id: 'DS-016',
      text: 'More than 16 stop sequences',
      sure: 'guess',
      source: 'unconfirmed',
      refuses: ({ body }) => listOf(body['stop']).length > 16,
      example: { stop: 'abcdefghijklmnopq'.split('') },
    },
    {
      id: 'DS-004',
      text: 'Thinking together with a forced tool',
      sure: 'issue',
      source: 'deepseek-ai/DeepSeek-V3#1376, tickernelz/opencode-mem#253',
      refuses: ({ model, body }) => thinks(model, body) && isForced(body['tool_choice']),
      example: { ...ONE_TOOL, tool_choice: 'required' },
    },
    {
      id: 'DS-005',
      text: 'R1: `logprobs` and `top_logprobs`',
      sure: 'doc',
      source: 'api-docs.deepseek.com, deepseek-reasoner',
      refuses: ({ model, body }) => isR1(model) && areGiven(body, 'logprobs', 'top_logprobs'),
      with: { model: 'deepseek-reasoner' },
      example: { logprobs: true },
    },
    {
      id: 'DS-003',
      text: 'R1: `reasoning_content` in the history',
      sure: 'doc',
      source: 'api-docs.deepseek.com, deepseek-reasoner',
      refuses: ({ model, body }) =>
        isR1(model) && inMessages(body, (message) => isGiven(message['reasoning_content'])),
      with: { model: 'deepseek-reasoner' },
      example: says(HI, { role: 'assistant', content: 'hi', reasoning_content: 'Hm.' }, HI),
    },
    {
      id: 'DS-001',
      text: 'V4, thinking with tools: a call in the history without `reasoning_content`',
      sure: 'doc',
      source: `${DOCS}; anomalyco/opencode#24722`,
      refuses: ({ model, body }) =>
        isV4(model) &&
        thinks(model, body) &&
        hasTools(body) &&
        inMessages(
          body,
          (message) =>
            isAssistant(message) &&
            hasCalls(message) &&
            textOf(message['reasoning_content']) === '',
        ),
      example: loop(),
    },
    {
      id: 'DS-013',
      text: 'Calls and results that do not follow each other',
      sure: 'issue',
      source: 'deepseek-ai/DeepSeek-V3',
      refuses: ({ body }) => hasUnansweredCall(body) || hasStrayResult(body),
      example: { ...ONE_TOOL, ...says(HI, calling('call_1', { reasoning_content: 'Hm.' }), HI) },
    },
  ],
})
