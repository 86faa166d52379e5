import { listOf, member, textOf } from '../../src/bytes/json-value.ts'
import { areGiven, documentedChat, isGiven } from './chat-requests.ts'
import { strictVendor } from './strict-vendor.ts'

export const openrouter = strictVendor({
  name: 'openrouter',
  title: 'OpenRouter',
  chatPath: /\/chat\/completions$/,
  documented: documentedChat('openai/gpt-4o-mini', '/api/v1/chat/completions'),
  refusal: ({ text: message, status = 400 }) => ({
    status,
    body: { error: { code: status, message } },
  }),
  rules: [
    {
      id: 'OR-001',
      text: '`user` is longer than 128 characters',
      sure: 'issue',
      source: 'ujisati/claude-code-provider-proxy#11',
      refuses: ({ body }) => textOf(body['user']).length > 128,
      example: { user: 'u'.repeat(129) },
    },
    {
      id: 'OR-002',
      text: 'Both `reasoning` and `reasoning_effort`',
      sure: 'issue',
      source: 'danny-avila/LibreChat#6076',
      refuses: ({ body }) =>
        areGiven(body, 'reasoning', 'include_reasoning') && areGiven(body, 'reasoning_effort'),
      example: { reasoning: { max_tokens: 2000 }, reasoning_effort: 'low' },
    },
    {
      id: 'OR-003',
      text: 'Both `reasoning.effort` and `reasoning.max_tokens`',
      sure: 'doc',
      source: 'simonw/llm-openrouter#45',
      refuses: ({ body: { reasoning } }) =>
        isGiven(member(reasoning, 'effort')) && isGiven(member(reasoning, 'max_tokens')),
      example: { reasoning: { effort: 'low', max_tokens: 2000 } },
    },
    {
      id: 'OR-011',
      text: 'More than 3 `models`',
      sure: 'guess',
      source: 'unconfirmed',
      refuses: ({ body }) => listOf(body['models']).length > 3,
      example: { models: ['a/a', 'b/b', 'c/c', 'd/d'] },
    },
  ],
})
