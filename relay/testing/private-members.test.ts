import { expect, test } from 'vitest'
import { parseJson } from '../src/bytes/json-value.ts'
import { catalogue } from '../src/catalogue.ts'
import { isRequestProblem } from '../src/errors/request-problem.ts'
import { anthropicDialect } from '../src/wires/anthropic-messages/dialect.ts'
import { openaiDialect } from '../src/wires/openai-chat/dialect.ts'
import { cipherFor } from '../src/wires/openai-responses/testing/readable-cipher.ts'
import { encodeChat } from './client-request.ts'
import { cohere } from './vendors/cohere.rules.ts'
import { mistral } from './vendors/mistral.rules.ts'
import { providerAt, requestTo, type Target, TARGETS } from './vendors/sent-requests.ts'
import { brokenRules } from './vendors/strict-vendor.ts'

/* Clients send back members of other vendors, which mean something to these alone. */

const MARK = { cache_control: { type: 'ephemeral' } }
const SIGNED = { type: 'thinking', thinking: 'Hm.', signature: 'EqoBCkgIARAB' }

const body = {
  model: 'm',
  max_tokens: 100,
  system: [{ type: 'text', text: 'Be brief.', ...MARK }],
  messages: [
    { role: 'user', content: [{ type: 'text', text: 'hi', ...MARK }] },
    { role: 'assistant', content: [SIGNED, { type: 'text', text: 'Hello.' }] },
    { role: 'user', content: 'And now?' },
  ],
}

/** Alibaba's own API has the same marks. */
const MARKING = ['ali', 'anthropic']

const types = catalogue
  .filter(({ dialect, supports }) => supports.includes('chat') && !MARKING.includes(dialect))
  .map((descriptor) => [descriptor.name.en, descriptor] as const)

const KEY = 'id|secret|third'
/** Keys that select the vendor's API in OpenAI's form. */
const OTHER_KEYS: Readonly<Record<string, string>> = { baidu: 'bce-v3/ALTAK-x/y', tencent: 'sk-x' }

test.each(types)('%s gets no members of Anthropic', (_name, descriptor) => {
  for (const key of [KEY, OTHER_KEYS[descriptor.dialect] ?? KEY]) {
    const channel = { baseUrl: descriptor.baseUrl || 'https://a.example', key, other: '' }
    const model = descriptor.models?.[0] ?? 'm'
    const sent = encodeChat(anthropicDialect(cipherFor), { descriptor, channel }, { model, body })
    if (isRequestProblem(sent)) continue
    const text = sent.body.toString()
    expect(text).toContain('And now?')
    expect(text).not.toMatch(/cache_control|thinking_blocks|signature|EqoBCkgIARAB/)
  }
})

/** Members of answers, as LiteLLM and clients of several vendors keep them. */
const KEPT = {
  refusal: null,
  annotations: [],
  audio: null,
  function_call: null,
  reasoning: 'Hm.',
  reasoning_content: 'Hm.',
  reasoning_details: [{ type: 'reasoning.text', text: 'Hm.' }],
  thinking_blocks: [SIGNED],
  images: [],
  provider_specific_fields: {},
  ...MARK,
}
const SIGNATURE = { extra_content: { google: { thought_signature: 'EqoB' } } }
const CALLED = { name: 'weather', arguments: '{}' }
const CALL = { id: 'abcDEF123', type: 'function', function: CALLED, ...SIGNATURE, ...MARK }
const DECLARED = { name: 'weather', parameters: { type: 'object', properties: {} }, ...MARK }

const chat = {
  model: 'm',
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'Be brief.', ...MARK }] },
    { role: 'user', content: [{ type: 'text', text: 'hi', ...MARK }], ...MARK },
    { role: 'assistant', content: [{ type: 'text', text: 'So', ...MARK }], ...KEPT },
    { role: 'user', content: 'And now?' },
    { role: 'assistant', content: null, tool_calls: [CALL], ...KEPT, ...SIGNATURE },
    { role: 'tool', tool_call_id: 'abcDEF123', content: '7 degrees', name: 'weather', ...MARK },
  ],
  tools: [{ type: 'function', function: DECLARED, ...MARK }],
}

const MISTRAL: Target = { vendor: mistral, type: 8, model: 'zai-glm-5-2' }
const strict: Target[] = [
  ...TARGETS.filter(({ type }) => [1, 3, 28, 29].includes(type)),
  { ...MISTRAL, baseUrl: 'https://api.mistral.ai' },
  { vendor: cohere, type: 35, model: 'command-a-03-2025' },
]

test.each(strict.map((target) => [target.vendor.name, target.model, target] as const))(
  '%s gets no members of other vendors for %s',
  (_name, model, target) => {
    const sent = encodeChat(openaiDialect, providerAt(target), { model, body: chat })
    if (isRequestProblem(sent)) expect.fail(sent.message)
    const request = requestTo(target.vendor, { ...sent, body: parseJson(sent.body.toString()) })
    expect(brokenRules(target.vendor, request ?? expect.fail(sent.url))).toEqual([])
    expect(sent.body.toString()).toContain('7 degrees')
  },
)
