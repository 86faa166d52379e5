import { parseJson, textOf } from '../../src/bytes/json-value.ts'
import {
  argumentsOf,
  callIds,
  documentedChat,
  follows,
  HI,
  inMessages,
  isGiven,
  isOutside,
  loop,
  messagesOf,
  ONE_TOOL,
  roleOf,
  says,
  SYSTEM,
  TEXT,
} from './chat-requests.ts'
import { strictVendor } from './strict-vendor.ts'

/*
 * A server with the template of Mistral, which is among the strictest, or of Qwen 3.5 and later,
 * which demands nothing but that the message of the system is the first.
 */

const isMistral = (model: string) => /mistral/.test(model)

export const vllm = strictVendor({
  name: 'vllm',
  title: 'vLLM with a strict template',
  chatPath: /\/chat\/completions$/,
  documented: documentedChat('mistral-7b-instruct'),
  refusal: ({ text: message, status = 400 }) => ({
    status,
    body: { error: { message, type: 'BadRequestError', param: null, code: status } },
  }),
  rules: [
    {
      id: 'VLLM-007',
      text: '`top_logprobs` above 20, or `stream_options` without a stream',
      sure: 'src',
      source: 'vllm-project/vllm, protocol.py',
      refuses: ({ body }) =>
        isOutside(body['top_logprobs'], 0, 20) ||
        (isGiven(body['stream_options']) && body['stream'] !== true),
      example: { stream_options: { include_usage: true } },
    },
    {
      id: 'VLLM-001',
      text: 'Tools, at a server without --enable-auto-tool-choice',
      sure: 'guess',
      source: 'mike-nott/mcp-assist#21',
      refuses: ({ body }) => isGiven(body['tools']),
      example: ONE_TOOL,
    },
    {
      id: 'VLLM-002',
      text: "Mistral's template: user and assistant that do not alternate",
      sure: 'issue',
      source: 'microsoft/autogen#1037, charmbracelet/crush#279',
      refuses: ({ model, body }) =>
        isMistral(model) &&
        (follows(body, 'user', 'user') || follows(body, 'assistant', 'assistant')),
      example: says(HI, HI),
    },
    {
      id: 'VLLM-003',
      text: 'A system message that is not the first',
      sure: 'issue',
      source: 'vllm-project/vllm#41114, intuitem/ciso-assistant-community#4679',
      refuses: ({ body }) =>
        messagesOf(body)
          .slice(1)
          .some((message) => ['system', 'developer'].includes(roleOf(message))),
      example: says(HI, SYSTEM),
    },
    {
      id: 'VLLM-004',
      text: "Mistral's template: content that is a list of texts",
      sure: 'issue',
      source: 'vllm-project/vllm',
      refuses: ({ model, body }) =>
        isMistral(model) &&
        inMessages(
          body,
          ({ content }) =>
            Array.isArray(content) &&
            content.every((part) => JSON.stringify(part).includes('"type":"text"')),
        ),
      example: says({ role: 'user', content: [TEXT] }),
    },
    {
      id: 'VLLM-005',
      text: "Mistral's tokenizer: the id of a call is not `^[a-zA-Z0-9]{9}$`",
      sure: 'issue',
      source: 'vllm-project/vllm#10821',
      refuses: ({ model, body }) =>
        isMistral(model) && callIds(body).some((id) => !/^[a-zA-Z0-9]{9}$/.test(textOf(id))),
      example: loop(),
    },
    {
      id: 'VLLM-010',
      text: 'Arguments in the history that are not JSON',
      sure: 'issue',
      source: 'vllm-project/vllm',
      refuses: ({ body }) =>
        argumentsOf(body).some((given) => parseJson(textOf(given)) === undefined),
      example: loop({}, { arguments: '{"city":' }),
    },
  ],
})
