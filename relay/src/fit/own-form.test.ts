import { expect, test } from 'vitest'
import { omit } from '../bytes/json-value.ts'
import { azureOpenai } from '../providers/azure-openai/descriptor.ts'
import { custom } from '../providers/generic/descriptor.ts'
import { mistral } from '../providers/mistral/descriptor.ts'
import { moonshot, openai, openrouter } from '../providers/openai-compatible/descriptor.ts'
import { encodeRequest } from '../wires/openai-chat/encode-request.ts'
import { requestIn } from '../wires/openai-chat/testing/chat.ts'

type Channel = Omit<Parameters<typeof encodeRequest>[1], 'model'>
type Target = readonly [channel: Channel, model: string]

const HI = { role: 'user', content: 'hi' }
const CALL = { id: 'a12345678', type: 'function', function: { name: 'f', arguments: '{}' } }
const RESULT = { role: 'tool', tool_call_id: 'a12345678', content: 'done' }
const at = (host: string): Channel => ({ descriptor: custom, baseUrl: `https://${host}` })
const OPENAI: Channel = { descriptor: openai }
const RESELLER = at('llm.example.com')
const GPT_41: Target = [OPENAI, 'gpt-4.1']
const GPT_54: Target = [OPENAI, 'gpt-5.4']
const MOONSHOT: Target = [{ descriptor: moonshot }, 'moonshot-v1-8k']
const KIMI: Target = [{ descriptor: moonshot }, 'kimi-k3']
const MISTRAL: Target = [{ descriptor: mistral }, 'mistral-large-latest']
const MIMO: Target = [at('api.xiaomimimo.com/v1'), 'mimo-v2.5-pro']
const DEEPSEEK: Target = [at('api.deepseek.com'), 'deepseek-v4-pro']
const OLD_DEEPSEEK: Target = [at('api.deepseek.com'), 'deepseek-chat']

function sent([channel, model]: Target, own: Record<string, unknown>): unknown {
  const request = requestIn({ model, messages: [HI], ...own })
  const encoded = encodeRequest(request, { ...channel, model })
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
const PATCH_CALL = {
  id: 'c',
  type: 'function',
  function: { name: 'patch', arguments: '{"input":"***"}' },
}
const PATCHED = { ...RESULT, tool_call_id: 'c' }
const patching = (call: object) =>
  told({ role: 'assistant', content: 'so', tool_calls: [call] }, PATCHED)
const REASONED = { content: 'so', reasoning_content: 'Hm.' }
const texts = (...all: string[]) => all.map((text) => ({ type: 'text', text }))
const instructed = (role: string) => ({ messages: [{ role, content: 'Be brief.' }, HI] })

test.each<[string, Target, Record<string, unknown>, Record<string, unknown>]>([
  ['a call that was aborted', GPT_41, ending(HI), ending(ABORTED, HI)],
  ['a last call', MOONSHOT, ending(), ending(ABORTED)],
  [
    'a result without a call',
    GPT_41,
    told(RESULT),
    told({ role: 'user', content: 'Result of a12345678:\ndone' }),
  ],
  [
    'reasoning that Claude has signed',
    GPT_41,
    told({ role: 'assistant', content: 'Hi.', thinking_blocks: [{ type: 'thinking' }] }),
    told({ role: 'assistant', content: 'Hi.' }),
  ],
  ['a call of a custom tool', MOONSHOT, patching(PATCH), patching(PATCH_CALL)],
  ['the older output limit', GPT_54, { max_tokens: 50 }, { max_completion_tokens: 50 }],
  ['a limit above that of the model', GPT_41, { max_tokens: 64_000 }, { max_tokens: 32_768 }],
  ['a temperature of a model that has one only', KIMI, { temperature: 0 }, {}],
  ['a temperature above the range', MOONSHOT, { temperature: 2 }, { temperature: 1 }],
  ['penalties', GPT_54, { presence_penalty: 1 }, {}],
  [
    'the id of an end user that is too long',
    OLD_DEEPSEEK,
    { user: '你好' },
    { user: 'u_670d9743542cae3ea7ebe36af56bd536' },
  ],
  ['an effort of a model without reasoning', GPT_41, { reasoning_effort: 'low' }, {}],
  [
    "Alibaba's switch",
    [OPENAI, 'gpt-5'],
    { enable_thinking: false },
    { reasoning_effort: 'minimal' },
  ],
  ['a budget where the vendor knows no effort', GPT_41, { reasoning: { max_tokens: 2000 } }, {}],
  [
    "OpenRouter's effort for a vendor with a member of its own",
    KIMI,
    { reasoning: { effort: 'high' } },
    { reasoning_effort: 'high' },
  ],
  [
    'the effort none, where another member switches reasoning off',
    DEEPSEEK,
    { reasoning_effort: 'none' },
    { thinking: { type: 'disabled' } },
  ],
  [
    'a call that has lost its reasoning, also at a reseller',
    [RESELLER, 'deepseek-v4-pro'],
    calling({ content: 'so' }),
    calling({ content: 'so', reasoning_content: ' ' }),
  ],
  [
    'an effort that the model lacks',
    KIMI,
    { reasoning_effort: 'medium' },
    { reasoning_effort: 'high' },
  ],
  ['the role of developers', OLD_DEEPSEEK, instructed('developer'), instructed('system')],
  [
    'a call without content',
    MIMO,
    calling({ ...REASONED, content: null }),
    calling({ ...REASONED, content: '' }),
  ],
  [
    'a call whose reasoning is empty',
    DEEPSEEK,
    calling({ content: 'so', reasoning_content: '' }),
    calling({ content: 'so', reasoning_content: ' ' }),
  ],
  [
    'a result of several texts',
    MIMO,
    calling(REASONED, { ...RESULT, content: texts('a', 'b') }),
    calling(REASONED, { ...RESULT, content: 'a\n\nb' }),
  ],
  [
    'a tool without parameters',
    MISTRAL,
    tool({ name: 'f' }),
    tool({ name: 'f', parameters: { type: 'object', properties: {} } }),
  ],
])('a vendor gets an accepted form of %s', (_what, target, own, changed) => {
  expect(sent(target, own)).toEqual({ messages: [HI], ...changed })
})

test.each<[string, Target, Record<string, unknown>]>([
  ['a vendor that is not known', [RESELLER, 'gpt-4.1'], ending(HI)],
  ['a vendor that takes custom tools', GPT_54, patching(PATCH)],
  ['a vendor that accepts it', GPT_41, { max_tokens: 50, temperature: 2 }],
  ['an unknown model', [OPENAI, 'my-model'], { max_tokens: 50, temperature: 0 }],
  ['a reseller', [RESELLER, 'kimi-k3'], { temperature: 0, ...tool({ name: 'f' }) }],
  [
    'reasoning that is off',
    DEEPSEEK,
    { thinking: { type: 'disabled' }, ...calling({ content: null }) },
  ],
  [
    'reasoning of any length',
    DEEPSEEK,
    calling({ content: null, reasoning_content: 'Hm. '.repeat(500) }),
  ],
  ['two output limits', GPT_54, { max_tokens: 5, max_completion_tokens: 5 }],
  [
    "OpenRouter's own reasoning",
    [{ descriptor: openrouter }, 'openrouter/auto'],
    { reasoning: { max_tokens: 2000, exclude: true } },
  ],
  [
    "OpenRouter's own reasoning in a channel of OpenAI",
    [{ descriptor: openai, baseUrl: 'https://openrouter.ai/api' }, 'openai/gpt-5'],
    { reasoning: { effort: 'high', exclude: true } },
  ],
  ['an effort with a name of its own', KIMI, { reasoning_effort: 'default' }],
  ['stop sequences, without which the answer differs', GPT_54, { stop: ['END'] }],
])('a request to %s stays as it is', (_what, target, own) => {
  expect(sent(target, own)).toEqual({ messages: [HI], ...own })
})

test('a hold limits the output under the newer name', () => {
  const limited: Target = [{ ...OPENAI, outputLimit: 20 }, 'gpt-5.4']
  const expected = { messages: [HI], max_completion_tokens: 20 }
  expect(sent(limited, { max_tokens: 50 })).toEqual(expected)
})

test("a deployment of Azure is known by the client's name of the model", () => {
  const request = requestIn({ model: 'gpt-5.4', messages: [HI], max_tokens: 50 })
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
  expect(sent(DEEPSEEK, given)).toMatchObject(calling({ content: long, reasoning_content: ' ' }))
})
