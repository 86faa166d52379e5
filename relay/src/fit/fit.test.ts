import { describe, expect, test } from 'vitest'
import { type JsonRecord, listOf, member, omit } from '../bytes/json-value.ts'
import { cardOf } from '../cards/card-of.ts'
import type { Vendor } from '../cards/model-card.ts'
import { UnsupportedParameterError } from '../form/codec-errors.ts'
import { sentChat } from './testing/chats.ts'

const question = { role: 'user', content: 'hi' }
const tools = [{ type: 'function', function: { name: 'f', parameters: { type: 'object' } } }]
const call = { id: 'call00001', type: 'function', function: { name: 'f', arguments: '{}' } }
const IMAGE = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }
const result = { role: 'tool', tool_call_id: 'call00001', content: 'x' }

/** The request that the vendor gets; `at` is the vendor of the channel. */
function sent(model: string, given: JsonRecord, at: Vendor = 'unknown'): JsonRecord {
  return sentChat({ model, messages: [question], ...given }, cardOf(at, model))
}

/** The settings that the vendor gets. */
function settings(model: string, given: JsonRecord, at?: Vendor): JsonRecord {
  return omit(sent(model, given, at), 'model', 'messages', 'tools')
}

function answerSent(model: string, answer: JsonRecord, given: JsonRecord = {}, at?: Vendor) {
  const messages = [question, { role: 'assistant', content: null, ...answer }, result]
  return listOf(sent(model, { messages, tools, ...given }, at)['messages'])[1]
}

describe('sampling', () => {
  const NONE = { reasoning_effort: 'none' }
  const sampling = { temperature: 0, top_p: 0.9, stop: ['a'], presence_penalty: 1 }
  test.each([
    ['gpt-5-mini', {}, {}],
    ['o3', {}, {}],
    // Reasoning is off by default in one, on request in the other.
    ['gpt-5.1', {}, { temperature: 0, top_p: 0.9 }],
    ['gpt-5.1', { reasoning_effort: 'low' }, { reasoning_effort: 'low' }],
    ['gpt-5.5', NONE, { temperature: 0, top_p: 0.9, ...NONE }],
    ['gpt-5.5', {}, {}],
    ['gpt-4o', {}, sampling],
    ['ft:o4-mini-2025-04-16:acme::id', {}, {}],
    ['kimi-k3', {}, { stop: ['a'] }],
    ['grok-4.6', {}, { temperature: 0, top_p: 0.9 }],
    ['gpt-4o-search-preview', {}, {}],
    ['moonshot-v1-8k', { temperature: 1.7 }, { ...sampling, temperature: 1 }],
    ['a-model-of-2027', {}, sampling],
  ])('%s with %j', (model, given, expected) => {
    expect(settings(model, { ...sampling, ...given })).toEqual(expected)
  })

  const logprobs = { logprobs: true, top_logprobs: 3 }
  test.each([
    ['gpt-4o', {}, logprobs],
    ['gpt-5-mini', {}, {}],
    ['gpt-5.1', {}, logprobs],
    ['gpt-5.1', { reasoning_effort: 'low' }, { reasoning_effort: 'low' }],
    ['deepseek-reasoner', {}, {}],
    ['deepseek-chat', {}, logprobs],
    ['a-model-of-2027', {}, logprobs],
  ])('logprobs are left out where they are refused: %s with %j', (model, given, expected) => {
    expect(settings(model, { ...logprobs, ...given })).toEqual(expected)
  })

  test('stop sequences beyond the vendor’s count are left out', () => {
    const stop = ['a', 'b', 'c', 'd', 'e', 'f']
    expect(settings('gpt-4o', { stop })).toEqual({ stop: ['a', 'b', 'c', 'd'] })
    expect(settings('glm-4.6', { stop })).toEqual({ stop: ['a'] })
    expect(settings('a-model-of-2027', { stop })).toEqual({ stop })
    expect(settings('gpt-4o', { stop: 'a' })).toEqual({ stop: ['a'] })
    expect(settings('gpt-oss-120b', { stop }, 'groq')).toEqual({ stop: ['a', 'b', 'c', 'd'] })
  })
})

describe('output limit', () => {
  test.each([
    ['gpt-4o', 'unknown', { max_tokens: 16_384 }],
    ['deepseek-chat', 'unknown', { max_tokens: 8192 }],
    ['gpt-5-mini', 'unknown', { max_completion_tokens: 128_000 }],
    ['openai/gpt-5-mini', 'openrouter', { max_tokens: 128_000 }],
    ['a-model-of-2027', 'unknown', { max_tokens: 1_000_000 }],
  ] as const)('%s at %s', (model, at, expected) => {
    expect(settings(model, { max_tokens: 1_000_000 }, at)).toEqual(expected)
  })
})

describe('effort', () => {
  test.each([
    ['gpt-5', 'none', { reasoning_effort: 'minimal' }],
    ['gpt-5', 'xhigh', { reasoning_effort: 'high' }],
    ['gpt-5.6-sol', 'minimal', { reasoning_effort: 'low' }],
    ['o3', 'none', { reasoning_effort: 'low' }],
    ['gpt-4.1', 'high', {}],
    ['gpt-5-chat-latest', 'high', {}],
    ['gpt-oss-120b', 'high', { reasoning_effort: 'high' }],
    ['kimi-k3', 'medium', { reasoning_effort: 'high' }],
    ['kimi-k3', 'none', { reasoning_effort: 'low' }],
    ['kimi-k2.6', 'none', { thinking: { type: 'disabled' } }],
    ['deepseek-v4-pro', 'none', { thinking: { type: 'disabled' } }],
    ['deepseek-v4-pro', 'xhigh', { reasoning_effort: 'xhigh' }],
    ['deepseek-v3.2', 'high', { reasoning_effort: 'high', thinking: { type: 'enabled' } }],
    ['qwen-plus', 'none', { enable_thinking: false }],
    ['qwen3-235b-a22b-thinking-2507', 'none', {}],
    ['glm-4.6', 'none', { thinking: { type: 'disabled' } }],
    ['mistral-large-2512', 'medium', {}],
    ['mistral-medium-3.5', 'medium', { reasoning_effort: 'high' }],
    ['grok-4.5', 'none', { reasoning_effort: 'low' }],
    ['grok-4', 'high', {}],
    ['gemini-2.5-flash', 'none', { reasoning_effort: 'none' }],
    ['gemini-3-pro-preview', 'none', { reasoning_effort: 'low' }],
    ['a-model-of-2027', 'xhigh', { reasoning_effort: 'xhigh' }],
    ['a-model-of-2027', 'an-effort-of-2027', { reasoning_effort: 'an-effort-of-2027' }],
    ['gpt-5', 'an-effort-of-2027', {}],
  ])('%s with %s', (model, effort, expected) => {
    expect(settings(model, { reasoning_effort: effort })).toEqual(expected)
  })

  test('reasoning is switched off for models whose chat completions need that for tools', () => {
    const low = { reasoning_effort: 'low' }
    const none = { reasoning_effort: 'none' }
    expect(settings('gpt-5.5', { tools, ...low })).toEqual(none)
    expect(settings('gpt-5.5', { tools })).toEqual({})
    expect(settings('gpt-5.5', low)).toEqual(low)
    expect(settings('gpt-5.6-terra', { tools })).toEqual(none)
    expect(settings('gpt-5.6-terra', {})).toEqual({})
    // It cannot be switched off, so the provider decides.
    expect(settings('gpt-6.2-sol', { tools, ...low })).toEqual(low)
    expect(settings('openai/gpt-5.6-terra', { tools }, 'openrouter')).toEqual({})
  })

  test('a model of the Responses API only is refused by its name', () => {
    for (const model of ['gpt-5.3-codex', 'gpt-5.5-pro', 'o3-pro', 'o3-deep-research']) {
      expect(() => sent(model, {})).toThrow(UnsupportedParameterError)
      expect(() => sent(model, {})).toThrow(model)
    }
    expect(settings('openai/gpt-5.3-codex', {}, 'openrouter')).toEqual({})
  })

  test('a forced call switches reasoning off, or is requested in the prompt', () => {
    const named = { type: 'function', function: { name: 'f' } }
    const thinking = { type: 'disabled' }
    const forced = { tools, tool_choice: named }
    expect(settings('deepseek-v4-pro', forced)).toEqual({ tool_choice: named, thinking })
    const required = { tool_choice: 'required' }
    expect(sent('kimi-k3', forced)).toMatchObject({
      ...required,
      messages: [question, { content: 'Answer by calling the tool f.' }],
    })
    expect(settings('kimi-k3', { tools, ...required })).toEqual(required)
    // The effort cannot be none, so the model reasons all the same.
    expect(sent('kimi-k3', { ...forced, reasoning_effort: 'none' })).toMatchObject(required)
    expect(sent('kimi-k2.7-code', { tools, ...required })).toMatchObject({
      tool_choice: 'auto',
      messages: [question, { content: 'Answer by calling one of the tools.' }],
    })
    expect(settings('gpt-5', forced)).toEqual({ tool_choice: named })
  })
})

describe('reasoning of earlier messages', () => {
  const thought = { reasoning_content: 'Hm', tool_calls: [call] }
  test.each([
    ['deepseek-v4-pro', 'unknown', { reasoning_content: 'Hm' }],
    ['kimi-k2-thinking', 'unknown', { reasoning_content: 'Hm' }],
    ['mimo-v2-pro', 'unknown', { content: '', reasoning_content: 'Hm' }],
    ['glm-4.6', 'zhipu', { reasoning_content: 'Hm' }],
    ['MiniMax-M2', 'minimax', { reasoning_content: 'Hm' }],
    ['a-model-of-2027', 'unknown', { reasoning_content: 'Hm' }],
    ['deepseek-reasoner', 'unknown', {}],
    ['gpt-5', 'unknown', {}],
    ['mistral-medium-3.5', 'mistral', {}],
    ['openai/gpt-oss-120b', 'groq', { reasoning: 'Hm' }],
    ['llama-3.3-70b', 'groq', {}],
    ['claude-sonnet-5', 'openrouter', {}],
  ] as const)('%s at %s', (model, at, expected) => {
    const answer = { role: 'assistant', content: null, tool_calls: [call], ...expected }
    expect(answerSent(model, thought, {}, at)).toEqual(answer)
  })

  test('another vendor’s signed reasoning goes back as text', () => {
    const thinking_blocks = [{ type: 'thinking', thinking: 'Hm', signature: 's' }]
    const answer = answerSent('deepseek-v4-pro', { thinking_blocks, tool_calls: [call] })
    expect(answer).toEqual({ role: 'assistant', content: null, ...thought })
  })

  test('a space replaces reasoning that is required and lost', () => {
    const lost = { tool_calls: [call] }
    expect(answerSent('deepseek-v4-pro', lost)).toMatchObject({ reasoning_content: ' ' })
    expect(answerSent('kimi-k3', lost)).toMatchObject({ reasoning_content: ' ' })
    const off = { reasoning_effort: 'none' }
    expect(answerSent('deepseek-v4-pro', lost, off)).not.toHaveProperty('reasoning_content')
    expect(answerSent('glm-4.6', lost)).not.toHaveProperty('reasoning_content')
  })

  test('details return to the vendors that send them', () => {
    const reasoning_details = [{ type: 'reasoning.encrypted', data: 'ENC==', id: 'call00001' }]
    const answer = { tool_calls: [call], reasoning_details }
    const back = (model: string, at?: Vendor) => answerSent(model, answer, {}, at)
    expect(back('google/gemini-3-pro', 'openrouter')).toMatchObject({ reasoning_details })
    expect(back('MiniMax-M3')).toMatchObject({ reasoning_details })
    expect(back('gpt-4o')).not.toHaveProperty('reasoning_details')
  })

  test('the first call of a message to Gemini 3 is signed', () => {
    const google = (thought_signature: string) => ({ google: { thought_signature } })
    const signed = (signature: string) => ({ ...call, extra_content: google(signature) })
    const lost = 'skip_thought_signature_validator'
    const back = (model: string, calls: unknown[]) =>
      member(answerSent(model, { tool_calls: calls }), 'tool_calls')
    expect(back('gemini-3-flash-preview', [call, call])).toEqual([signed(lost), call])
    expect(back('gemini-3-flash-preview', [signed('SIG==')])).toEqual([signed('SIG==')])
    expect(back('gemini-2.5-flash', [call])).toEqual([call])
    expect(back('gpt-4o', [signed('SIG==')])).toEqual([call])
  })
})

describe('ids of end users', () => {
  const long = `{"device_id":"${'a'.repeat(64)}","session_id":"11111111-2222"}`
  const digest = /^u_[0-9a-f]{32}$/
  test.each([
    ['gpt-5-mini', 'unknown', long],
    ['deepseek-v4-pro', 'unknown', 'ann@example.org'],
    ['glm-4.6', 'zhipu', 'ann'],
    ['qwen/qwen3-32b', 'openrouter', long.repeat(2)],
  ] as const)('%s at %s gets a digest', (model, at, user) => {
    const { user: id } = settings(model, { user }, at)
    expect(id).toMatch(digest)
    expect(settings(model, { user }, at)).toEqual({ user: id })
  })

  test('accepted ids stay', () => {
    expect(settings('gpt-5-mini', { user: 'u-1' })).toEqual({ user: 'u-1' })
    expect(settings('a-model-of-2027', { user: long })).toEqual({ user: long })
  })
})

describe('roles and texts', () => {
  const texts = (...list: string[]) => list.map((text) => ({ type: 'text', text }))
  const messages = [
    { role: 'system', content: texts('A', 'B') },
    { role: 'system', content: 'C' },
    { role: 'user', content: texts('hi', 'ho') },
    { role: 'system', content: 'D' },
  ]

  const repeated = [
    { role: 'system', content: 'A' },
    question,
    { role: 'user', content: [{ type: 'text', text: 'B' }, IMAGE] },
    { role: 'assistant', content: 'C' },
    { role: 'assistant', content: null, tool_calls: [call] },
    result,
    question,
    question,
  ]

  test("user and assistant alternate at servers of Mistral's models", () => {
    expect(sent('mistral-7b-instruct', { messages: repeated })['messages']).toEqual([
      { role: 'system', content: 'A' },
      { role: 'user', content: [...texts('hi', 'B'), IMAGE] },
      { role: 'assistant', content: 'C', tool_calls: [call] },
      result,
      { role: 'assistant', content: 'OK.' },
      { role: 'user', content: 'hi\n\nhi' },
    ])
    const unknown = sent('a-model-of-2027', { messages: repeated })
    expect(listOf(unknown['messages'])).toHaveLength(repeated.length)
  })

  test('a system message becomes one of the user where the template has none', () => {
    const messages = [{ role: 'system', content: 'A' }, question]
    expect(sent('google/gemma-2-9b-it', { messages })['messages']).toEqual([
      { role: 'user', content: 'A\n\nhi' },
    ])
    expect(sent('gemini-2.5-flash', { messages })['messages']).toEqual(messages)
  })

  test('a strict template gets strings, and one system message', () => {
    const expected = [
      { role: 'system', content: 'A\n\nB\n\nC' },
      { role: 'user', content: 'hi\n\nho' },
      { role: 'user', content: 'D' },
    ]
    expect(sent('qwen3-coder-local', { messages })['messages']).toEqual(expected)
    expect(sent('MiniMax-M3', { messages })['messages']).toEqual(expected)
    expect(sent('gpt-4o', { messages })['messages']).toEqual(messages)
  })

  test('an image has the type of its bytes', () => {
    const content = (url: string) => [{ type: 'image_url', image_url: { url } }]
    const given = [{ role: 'user', content: content('data:image/jpeg;base64,iVBORw0KGgo=') }]
    expect(sent('gpt-4o', { messages: given })['messages']).toEqual([
      { role: 'user', content: content('data:image/png;base64,iVBORw0KGgo=') },
    ])
  })

  test('an answer of which nothing is left, and an empty stop sequence, are left out', () => {
    const images = [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }]
    const empty = [{ content: '' }, { content: null, images }, { content: [], prefix: true }]
    const given = [question, ...empty.map((one) => ({ role: 'assistant', ...one })), question]
    const { messages: kept, stop } = sent('gpt-4o', { messages: given, stop: ['', 'a'] })
    expect([kept, stop]).toEqual([[question, question], ['a']])
    const reasoned = { role: 'assistant', content: '', reasoning_content: 'Hm.' }
    const told = [question, reasoned, question]
    expect(sent('deepseek-v4-pro', { messages: told })['messages']).toEqual(told)
  })

  test('a function for xAI does not say whether it is strict', () => {
    const strict = [{ type: 'function', function: { name: 'f', strict: true } }]
    expect(sent('grok-4', { tools: strict })['tools']).toEqual([
      { type: 'function', function: { name: 'f' } },
    ])
    expect(sent('gpt-4o', { tools: strict })['tools']).toEqual(strict)
  })

  test('images keep their place between the texts', () => {
    const given = [{ role: 'user', content: [...texts('a'), IMAGE, ...texts('b')] }]
    expect(sent('a-model-of-2027', { messages: given })['messages']).toEqual(given)
  })

  test("for Mistral's models an assistant message follows tool results before a user message", () => {
    const answer = { role: 'assistant', content: null, tool_calls: [call] }
    const given = [question, answer, result, question]
    expect(sent('mistral-large-2512', { messages: given, tools })['messages']).toEqual([
      question,
      answer,
      result,
      { role: 'assistant', content: 'OK.' },
      question,
    ])
    expect(sent('gpt-4o', { messages: given, tools })['messages']).toEqual(given)
  })

  test('schemas for Mistral have no $schema', () => {
    const parameters = { $schema: 'http://json-schema.org/draft-07/schema#', type: 'object' }
    const given = [{ type: 'function', function: { name: 'f', parameters } }]
    expect(sent('mistral-large-2512', { tools: given }, 'mistral')['tools']).toEqual(tools)
    expect(sent('gpt-4o', { tools: given })['tools']).toEqual(given)
  })

  const seen = { role: 'user', content: [{ type: 'text', text: 'What is it?' }, IMAGE] }
  const answer = { role: 'assistant', content: 'A tree.' }

  test.each(['deepseek-v4-pro', 'glm-4.6', 'glm-5.2'])('%s is told what it cannot see', (model) => {
    const told = 'What is it?\n\n[An image that this model cannot read]'
    expect(sent(model, { messages: [seen, answer, question] })['messages']).toEqual([
      { role: 'user', content: told },
      answer,
      question,
    ])
    const ask = () => sent(model, { messages: [question, answer, seen] })
    expect(ask).toThrow(UnsupportedParameterError)
  })

  test.each(['glm-4.6v', 'glm-4.5v', 'deepseek-ocr', 'a-model-of-2027'])('%s sees', (model) => {
    expect(sent(model, { messages: [seen] })['messages']).toEqual([seen])
  })

  test('a request for JSON names JSON', () => {
    const given = { response_format: { type: 'json_object' } }
    const said = { role: 'system', content: 'Answer in JSON.' }
    expect(sent('gpt-4.1', given)['messages']).toEqual([question, said])
    const messages = [{ role: 'user', content: 'hi, in json' }]
    expect(sent('gpt-4.1', { ...given, messages })['messages']).toEqual(messages)
  })

  test('DeepSeek’s own address does not answer in schemas', () => {
    const given = { response_format: { type: 'json_schema', json_schema: { name: 'a' } } }
    expect(() => sent('deepseek-v4-pro', given, 'deepseek')).toThrow(UnsupportedParameterError)
    expect(settings('deepseek-v4-pro', given)).toEqual(given)
    const json = { response_format: { type: 'json_object' } }
    expect(settings('deepseek-v4-pro', json, 'deepseek')).toEqual(json)
  })
})
