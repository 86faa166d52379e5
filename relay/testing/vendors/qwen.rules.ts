import { type JsonRecord, member } from '../../src/bytes/json-value.ts'
import {
  calling,
  documentedChat,
  hasStrayResult,
  hasUnansweredCall,
  HI,
  inMessages,
  isEmptyContent,
  isForced,
  isOutside,
  ONE_TOOL,
  roleOf,
  says,
} from './chat-requests.ts'
import { strictVendor } from './strict-vendor.ts'

/** Open models that think unless told otherwise. */
const HYBRID = /^qwen3-\d+b/
const ALWAYS_THINKS = /^qwq|-thinking/

const thinks = (model: string, body: JsonRecord) => {
  const wish = body['enable_thinking']
  return wish === true || (wish !== false && (HYBRID.test(model) || ALWAYS_THINKS.test(model)))
}

/** The most output tokens, by model; the first match counts. */
const OUTPUT_MOST: readonly (readonly [RegExp, number])[] = [
  [/qwen3\.8/, 131_072],
  [/coder|qwen3-max|qwen3\.[57]/, 65_536],
  [/plus|flash|turbo/, 32_768],
  [/qwen-max/, 8192],
]

export const qwen = strictVendor({
  name: 'qwen',
  title: 'Qwen (DashScope, compatible mode)',
  chatPath: /\/chat\/completions$/,
  documented: documentedChat('qwen-plus', '/compatible-mode/v1/chat/completions'),
  refusal: ({ text }) => ({
    status: 400,
    body: {
      error: {
        code: 'invalid_parameter_error',
        message: `<400> InternalError.Algo.InvalidParameter: ${text}`,
        type: 'invalid_request_error',
        param: null,
      },
      request_id: '1',
    },
  }),
  rules: [
    {
      id: 'QWN-002',
      text: 'A model that always thinks with `enable_thinking` false',
      sure: 'issue',
      source: 'QwenLM/qwen-code#7659',
      refuses: ({ model, body }) => ALWAYS_THINKS.test(model) && body['enable_thinking'] === false,
      with: { model: 'qwq-32b' },
      example: { enable_thinking: false },
    },
    {
      id: 'QWN-001',
      text: 'Open hybrid models: thinking without a stream',
      sure: 'issue',
      source: 'langchain4j/langchain4j#3974, infiniflow/ragflow#8972',
      refuses: ({ model, body }) =>
        (HYBRID.test(model) || ALWAYS_THINKS.test(model)) &&
        thinks(model, body) &&
        body['stream'] !== true,
      with: { model: 'qwen3-32b' },
    },
    {
      id: 'QWN-003',
      text: 'Thinking together with a forced tool',
      sure: 'issue',
      source: 'cloudwego/eino#994, QwenLM/qwen-code#7659',
      refuses: ({ model, body }) => thinks(model, body) && isForced(body['tool_choice']),
      example: { ...ONE_TOOL, enable_thinking: true, tool_choice: 'required' },
    },
    {
      id: 'QWN-005',
      text: '`max_tokens` beyond the model',
      sure: 'src',
      source: 'BerriAI/litellm 1.110, map of models',
      refuses: ({ model, body }) =>
        isOutside(
          body['max_tokens'],
          1,
          OUTPUT_MOST.find(([name]) => name.test(model))?.[1] ?? Infinity,
        ),
      example: { max_tokens: 64_000 },
    },
    {
      id: 'QWN-007',
      text: 'The format `json_object` while thinking, or without the word "json" in the messages',
      sure: 'issue',
      source: 'help.aliyun.com, structured output',
      refuses: ({ model, body }) =>
        member(body['response_format'], 'type') === 'json_object' &&
        (thinks(model, body) || !/json/i.test(JSON.stringify(body['messages']))),
      example: { response_format: { type: 'json_object' } },
    },
    {
      id: 'QWN-009',
      text: 'Empty content of the user',
      sure: 'guess',
      source: 'unconfirmed',
      refuses: ({ body }) =>
        inMessages(body, (message) => roleOf(message) === 'user' && isEmptyContent(message)),
      example: says({ role: 'user', content: '' }),
    },
    {
      id: 'QWN-004',
      text: 'Calls and results that do not follow each other',
      sure: 'issue',
      source: 'QwenLM/qwen-code#2360, google-gemini/gemini-cli#5031',
      refuses: ({ body }) => hasUnansweredCall(body) || hasStrayResult(body),
      example: { ...ONE_TOOL, ...says(HI, calling(), HI) },
    },
  ],
})
