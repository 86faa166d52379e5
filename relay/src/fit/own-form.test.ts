import { expect, test } from 'vitest'
import { omit } from '../bytes/json-value.ts'
import { isRequestProblem } from '../errors/request-problem.ts'
import { azureOpenai } from '../providers/azure-openai/descriptor.ts'
import { custom } from '../providers/generic/descriptor.ts'
import { mistral } from '../providers/mistral/descriptor.ts'
import { groq, moonshot, openai, openrouter } from '../providers/openai-compatible/descriptor.ts'
import { encodeRequest } from '../wires/openai-chat/encode-request.ts'
import { readRequest } from '../wires/openai-chat/read-head.ts'

type Target = Omit<Parameters<typeof encodeRequest>[1], 'model'>

const HI = { role: 'user', content: 'hi' }
const CALL = { id: 'a12345678', type: 'function', function: { name: 'f', arguments: '{}' } }
const RESULT = { role: 'tool', tool_call_id: 'a12345678', content: 'done' }
const XIAOMI: Target = { descriptor: custom, baseUrl: 'https://api.xiaomimimo.com/v1' }
const DEEPSEEK: Target = { descriptor: custom, baseUrl: 'https://api.deepseek.com' }
const OPENAI: Target = { descriptor: openai }
const KIMI: Target = { descriptor: moonshot }
const MISTRAL: Target = { descriptor: mistral }
const GROQ: Target = { descriptor: groq }
const OPENROUTER: Target = { descriptor: openrouter }
const XAI: Target = { descriptor: custom, baseUrl: 'https://api.x.ai' }
const RESELLER: Target = { descriptor: custom, baseUrl: 'https://llm.example.com' }

function sent(target: Target, model: string, own: Record<string, unknown>): unknown {
  const body = Buffer.from(JSON.stringify({ model, messages: [HI], ...own }))
  const request = readRequest('chat', body)
  if (isRequestProblem(request)) throw new Error(request.message)
  const encoded = encodeRequest(request, { ...target, model })
  return omit(JSON.parse(encoded.toString()), 'model')
}

const tool = (definition: unknown) => ({ tools: [{ type: 'function', function: definition }] })
const calling = (own: object, result: object = RESULT) => ({
  messages: [HI, { role: 'assistant', tool_calls: [CALL], ...own }, result],
})

const ending = (...results: readonly object[]) => ({
  messages: [HI, { role: 'assistant', content: 'so', tool_calls: [CALL] }, ...results],
})
const told = (...answers: readonly object[]) => ({ messages: [HI, ...answers, HI] })
const ABORTED = { ...RESULT, content: 'The tool call was aborted.' }
const PATCH = { id: 'c', type: 'custom', custom: { name: 'patch', input: '***' } }

test.each<[string, Target, string, Record<string, unknown>, Record<string, unknown>]>([
  ['a call that was aborted', OPENAI, 'gpt-4.1', ending(HI), ending(ABORTED, HI)],
  ['a last call', KIMI, 'moonshot-v1-8k', ending(), ending(ABORTED)],
  [
    'a result without a call',
    OPENAI,
    'gpt-4.1',
    told(RESULT),
    told({ role: 'user', content: 'Result of a12345678:\ndone' }),
  ],
  [
    'reasoning that Claude has signed',
    OPENAI,
    'gpt-4.1',
    told({ role: 'assistant', content: 'Hi.', thinking_blocks: [{ type: 'thinking' }] }),
    told({ role: 'assistant', content: 'Hi.' }),
  ],
  [
    'a call of a custom tool',
    KIMI,
    'moonshot-v1-8k',
    told(
      { role: 'assistant', content: 'so', tool_calls: [PATCH] },
      { ...RESULT, tool_call_id: 'c' },
    ),
    told(
      {
        role: 'assistant',
        content: 'so',
        tool_calls: [
          { id: 'c', type: 'function', function: { name: 'patch', arguments: '{"input":"***"}' } },
        ],
      },
      { ...RESULT, tool_call_id: 'c' },
    ),
  ],
  ['the older output limit', OPENAI, 'gpt-5.4', { max_tokens: 50 }, { max_completion_tokens: 50 }],
  [
    'an output limit above the most of the model',
    OPENAI,
    'gpt-4.1',
    { max_tokens: 64_000 },
    { max_tokens: 32_768 },
  ],
  ['a temperature of a model that has one only', KIMI, 'kimi-k3', { temperature: 0 }, {}],
  ['a temperature above the range', KIMI, 'moonshot-v1-8k', { temperature: 2 }, { temperature: 1 }],
  ['penalties', OPENAI, 'gpt-5.4', { presence_penalty: 1 }, {}],
  [
    'the id of an end user that is too long',
    DEEPSEEK,
    'deepseek-chat',
    { user: '你好' },
    { user: 'u_670d9743542cae3ea7ebe36af56bd536' },
  ],
  ['an effort of a model without reasoning', OPENAI, 'gpt-4.1', { reasoning_effort: 'low' }, {}],
  [
    'an effort of any model that no row of the card names',
    MISTRAL,
    'mistral-large-latest',
    { reasoning_effort: 'low' },
    {},
  ],
  [
    "OpenRouter's effort",
    OPENAI,
    'gpt-5',
    { reasoning: { effort: 'high' } },
    { reasoning_effort: 'high' },
  ],
  [
    "Anthropic's budget",
    OPENAI,
    'gpt-5',
    { thinking: { type: 'enabled', budget_tokens: 2000 } },
    { reasoning_effort: 'low' },
  ],
  [
    "Alibaba's switch",
    OPENAI,
    'gpt-5',
    { enable_thinking: false },
    { reasoning_effort: 'minimal' },
  ],
  [
    'a budget where the vendor knows no effort',
    OPENAI,
    'gpt-4.1',
    { reasoning: { max_tokens: 2000 } },
    {},
  ],
  [
    "OpenRouter's effort for a vendor with a member of its own",
    KIMI,
    'kimi-k3',
    { reasoning: { effort: 'high' } },
    { reasoning_effort: 'high' },
  ],
  [
    'an effort that the vendor of a model lacks',
    GROQ,
    'openai/gpt-oss-120b',
    { reasoning_effort: 'minimal' },
    { reasoning_effort: 'low' },
  ],
  [
    'the effort none, where another member switches reasoning off',
    DEEPSEEK,
    'deepseek-v4-pro',
    { reasoning_effort: 'none' },
    { thinking: { type: 'disabled' } },
  ],
  [
    'a function that is strict',
    XAI,
    'grok-4',
    tool({ name: 'f', parameters: { type: 'object' }, strict: true }),
    tool({ name: 'f', parameters: { type: 'object' } }),
  ],
  [
    'a call that has lost its reasoning, also at a reseller',
    RESELLER,
    'deepseek-v4-pro',
    calling({ content: 'so' }),
    calling({ content: 'so', reasoning_content: ' ' }),
  ],
  [
    'an effort that the model lacks',
    KIMI,
    'kimi-k3',
    { reasoning_effort: 'medium' },
    { reasoning_effort: 'high' },
  ],
  [
    'the role of developers',
    DEEPSEEK,
    'deepseek-chat',
    { messages: [{ role: 'developer', content: 'Be brief.' }, HI] },
    { messages: [{ role: 'system', content: 'Be brief.' }, HI] },
  ],
  [
    'a call without content',
    XIAOMI,
    'mimo-v2.5-pro',
    calling({ content: null, reasoning_content: 'Hm.' }),
    calling({ content: '', reasoning_content: 'Hm.' }),
  ],
  [
    'a call without its reasoning',
    DEEPSEEK,
    'deepseek-v4-pro',
    calling({ content: 'so' }),
    calling({ content: 'so', reasoning_content: ' ' }),
  ],
  [
    'a call whose reasoning is empty',
    DEEPSEEK,
    'deepseek-v4-pro',
    calling({ content: 'so', reasoning_content: '' }),
    calling({ content: 'so', reasoning_content: ' ' }),
  ],
  [
    'a result of several texts',
    XIAOMI,
    'mimo-v2.5-pro',
    calling(
      { content: 'so', reasoning_content: 'Hm.' },
      {
        ...RESULT,
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ),
    calling({ content: 'so', reasoning_content: 'Hm.' }, { ...RESULT, content: 'a\n\nb' }),
  ],
  [
    'a tool without parameters',
    MISTRAL,
    'mistral-large-latest',
    tool({ name: 'f' }),
    tool({ name: 'f', parameters: { type: 'object', properties: {} } }),
  ],
  [
    'the address of a schema',
    MISTRAL,
    'mistral-large-latest',
    tool({ name: 'f', parameters: { $schema: 'https://json-schema.org', type: 'object' } }),
    tool({ name: 'f', parameters: { type: 'object' } }),
  ],
])('a vendor gets an accepted form of %s', (_what, target, model, own, changed) => {
  expect(sent(target, model, own)).toEqual({ messages: [HI], ...changed })
})

test.each<[string, Target, string, Record<string, unknown>]>([
  ['a vendor that is not known', RESELLER, 'gpt-4.1', ending(HI)],
  [
    'a vendor that takes custom tools',
    OPENAI,
    'gpt-5.4',
    told({ role: 'assistant', content: '', tool_calls: [PATCH] }, { ...RESULT, tool_call_id: 'c' }),
  ],
  ['a vendor that accepts it', OPENAI, 'gpt-4.1', { max_tokens: 50, temperature: 2 }],
  ['an unknown model', OPENAI, 'my-model', { max_tokens: 50, temperature: 0 }],
  ['the address of a reseller', RESELLER, 'kimi-k3', { temperature: 0, ...tool({ name: 'f' }) }],
  [
    'reasoning that is off',
    DEEPSEEK,
    'deepseek-v4-pro',
    { thinking: { type: 'disabled' }, ...calling({ content: null }) },
  ],
  [
    'reasoning of any length',
    DEEPSEEK,
    'deepseek-v4-pro',
    calling({ content: null, reasoning_content: 'Hm. '.repeat(500) }),
  ],
  ['two output limits', OPENAI, 'gpt-5.4', { max_tokens: 5, max_completion_tokens: 5 }],
  [
    "OpenRouter's own reasoning",
    OPENROUTER,
    'openrouter/auto',
    { reasoning: { max_tokens: 2000, exclude: true } },
  ],
  [
    "OpenRouter's own reasoning in a channel of OpenAI",
    { descriptor: openai, baseUrl: 'https://openrouter.ai/api' },
    'openai/gpt-5',
    { reasoning: { effort: 'high', exclude: true } },
  ],
  ['an effort with a name of its own', KIMI, 'kimi-k3', { reasoning_effort: 'default' }],
  ['stop sequences, without which the answer differs', OPENAI, 'gpt-5.4', { stop: ['END'] }],
])('a request to %s stays as it is', (_what, target, model, own) => {
  expect(sent(target, model, own)).toEqual({ messages: [HI], ...own })
})

test('a hold limits the output under the newer name', () => {
  const limited = { ...OPENAI, outputLimit: 20 }
  expect(sent(limited, 'gpt-5.4', { max_tokens: 50 })).toEqual({
    messages: [HI],
    max_completion_tokens: 20,
  })
})

test("a deployment of Azure is known by the client's name of the model", () => {
  const body = Buffer.from(JSON.stringify({ model: 'gpt-5.4', messages: [HI], max_tokens: 50 }))
  const request = readRequest('chat', body)
  if (isRequestProblem(request)) throw new Error(request.message)
  const encoded = encodeRequest(request, { descriptor: azureOpenai, model: 'my-deployment' })
  expect(JSON.parse(encoded.toString())).toEqual({
    model: 'my-deployment',
    messages: [HI],
    max_completion_tokens: 50,
  })
})

/** Long texts are not in the outline by which a request is checked. */
test('long texts of a changed request arrive whole', () => {
  const long = 'x'.repeat(2000)
  const given = { ...calling({ content: long }), user: 'y'.repeat(600) }
  expect(sent(DEEPSEEK, 'deepseek-v4-pro', given)).toMatchObject(
    calling({ content: long, reasoning_content: ' ' }),
  )
})
