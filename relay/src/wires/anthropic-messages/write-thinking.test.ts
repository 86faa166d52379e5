import { describe, expect, test } from 'vitest'
import { isRecord, member, parseJson, type JsonRecord } from '../../bytes/json-value.ts'
import { blockData, SseSplitter } from '../../bytes/sse.ts'
import { anthropicCodec } from '../../providers/anthropic/codec.ts'
import { callTo } from '../../streams/testing/call-to.ts'
import { decodeWhole } from '../../streams/testing/decode-whole.ts'
import { ChunkEncoder } from '../openai-chat/stream-encoder.ts'

/** One assistant turn with reasoning before, between and after its tool calls. */
const CONTENT = [
  { type: 'thinking', thinking: 'First.', signature: 'sig-1' },
  { type: 'text', text: 'I look.' },
  { type: 'thinking', thinking: '', signature: 'sig-2' },
  { type: 'tool_use', id: 'toolu_1', name: 'get_time', input: { tz: 'UTC' } },
  { type: 'redacted_thinking', data: 'hidden' },
  { type: 'tool_use', id: 'toolu_2', name: 'get_date', input: {} },
]

const callOf = (request: JsonRecord, model = 'claude-opus-4-6') =>
  callTo({ key: 'k', model }, { request })

function wholeMessage(): JsonRecord {
  const answer = { content: CONTENT, stop_reason: 'tool_use', usage: { output_tokens: 9 } }
  const body = decodeWhole(anthropicCodec.answers, Buffer.from(JSON.stringify(answer)), callOf({}))
  return recordOf(member(firstOf(member(parseJson(body.toString()), 'choices')), 'message'))
}

/** Merges deltas like a client that knows nothing of Anthropic: lists grow, texts are joined. */
function streamedMessage(): JsonRecord {
  const events = [
    { type: 'message_start', message: {} },
    ...CONTENT.flatMap((block, index) => [
      { type: 'content_block_start', index, content_block: emptied(block) },
      ...deltasOf(block).map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ]),
    { type: 'message_delta', delta: { stop_reason: 'tool_use' } },
    { type: 'message_stop' },
  ]
  const decoder = anthropicCodec.answers.decoder(callOf({}))
  const bytes = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('')
  if (decoder.form !== 'events') throw new Error('the codec reads no events')
  const chunks = new ChunkEncoder().write(decoder.push(Buffer.from(bytes)))
  const deltas = new SseSplitter()
    .push(Buffer.from(chunks))
    .map((block) => parseJson(blockData(block)?.toString() ?? ''))
    .map((event) => member(firstOf(member(event, 'choices')), 'delta'))
  const listed = (name: string) => deltas.flatMap((delta) => member(delta, name) ?? [])
  const calls = listed('tool_calls')
  return {
    role: 'assistant',
    content: listed('content').map(String).join(''),
    thinking_blocks: listed('thinking_blocks'),
    tool_calls: calls
      .filter((call) => member(call, 'id') !== undefined)
      .map((call) => ({ id: member(call, 'id'), function: gathered(calls, call) })),
  }
}

function gathered(calls: readonly unknown[], begun: unknown) {
  const pieces = calls
    .filter((call) => member(call, 'index') === member(begun, 'index'))
    .map((call) => member(member(call, 'function'), 'arguments'))
  return { name: member(member(begun, 'function'), 'name'), arguments: pieces.join('') }
}

function emptied(block: JsonRecord): JsonRecord {
  if (block['type'] === 'thinking') return { ...block, thinking: '', signature: '' }
  if (block['type'] === 'text') return { ...block, text: '' }
  return block['type'] === 'tool_use' ? { ...block, input: {} } : block
}

function deltasOf(block: JsonRecord): JsonRecord[] {
  switch (block['type']) {
    case 'thinking':
      return [
        { type: 'thinking_delta', thinking: block['thinking'] },
        { type: 'signature_delta', signature: block['signature'] },
      ]
    case 'text':
      return [{ type: 'text_delta', text: block['text'] }]
    case 'tool_use':
      return [{ type: 'input_json_delta', partial_json: JSON.stringify(block['input']) }]
    default:
      return []
  }
}

/** The assistant turn as the model receives it when the client sends tool results. */
function returned(message: JsonRecord, model?: string): unknown {
  const resultOf = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'x' })
  const results = ['toolu_1', 'toolu_2'].map(resultOf)
  const request = { messages: [{ role: 'user', content: 'q' }, message, ...results] }
  const { body } = anthropicCodec.encode(callOf(request, model))
  const turns = member(parseJson(body.toString()), 'messages')
  return member(Array.isArray(turns) ? turns[1] : undefined, 'content')
}

const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : undefined)
const recordOf = (value: unknown): JsonRecord => (isRecord(value) ? value : {})

describe('reasoning is returned unchanged and in its place', () => {
  test.each([
    ['a non-streamed answer', wholeMessage, undefined],
    ['a stream', streamedMessage, undefined],
    ['an answer of the same model under its other name', wholeMessage, 'claude-opus-4-6-20260204'],
  ])('after %s', (_what, message, model) => {
    expect(returned(message(), model)).toEqual(CONTENT)
  })

  test('also in a second turn', () => {
    const message = wholeMessage()
    const messages = [
      { role: 'user', content: 'q' },
      message,
      { role: 'tool', tool_call_id: 'toolu_1', content: 'x' },
      message,
      { role: 'user', content: 'And?' },
    ]
    const { body } = anthropicCodec.encode(callOf({ messages }))
    expect(parseJson(body.toString())).toMatchObject({
      messages: [{}, { content: CONTENT }, {}, { content: CONTENT }, {}],
    })
  })
})

describe('reasoning is not returned', () => {
  const unthought = CONTENT.filter(({ type }) => !type.includes('thinking'))

  test('to another model, which would refuse it', () => {
    expect(returned(wholeMessage(), 'claude-opus-5')).toEqual(unthought)
  })

  test.each([
    [[{ type: 'thinking', thinking: 'x', signature: '' }]],
    [[{ type: 'thinking', thinking: 'x' }]],
    [[{ type: 'text', text: 'x' }]],
    [[7, null]],
    ['x'],
  ])('without a signature: %j', (thinking_blocks) => {
    expect(returned({ ...wholeMessage(), thinking_blocks })).toEqual(unthought)
  })
})

describe('reasoning requested through members of other APIs', () => {
  const sent = (model: string, request: JsonRecord) => {
    const messages = [{ role: 'user', content: 'hi' }]
    const call = callOf({ messages, max_tokens: 8000, ...request }, model)
    const body = parseJson(anthropicCodec.encode(call).body.toString())
    const effort = member(member(body, 'output_config'), 'effort')
    return { thinking: member(body, 'thinking'), effort }
  }
  const enabled = (budget_tokens: number) => ({ type: 'enabled', budget_tokens })
  const DISABLED = { thinking: { type: 'disabled' } }

  test.each([
    ['thinking', { thinking: enabled(5000) }, enabled(5000)],
    ['a budget beyond the limit', { thinking: enabled(9000) }, enabled(2400)],
    ['reasoning, tokens', { reasoning: { max_tokens: 2000 } }, enabled(2000)],
    ['reasoning, effort', { reasoning: { effort: 'high' } }, enabled(4800)],
    ['reasoning, enabled', { reasoning: { enabled: true } }, enabled(2400)],
    ['enable_thinking', { enable_thinking: true }, enabled(2400)],
    ['thinking that is off', { ...DISABLED, reasoning_effort: 'high' }, undefined],
    ['none of them', {}, undefined],
  ])('%s becomes a budget', (_name, request, thinking) => {
    expect(sent('claude-sonnet-4-5', request).thinking).toEqual(thinking)
  })

  test('becomes an effort for newer models', () => {
    const adaptive = { type: 'adaptive', display: 'summarized' }
    const model = 'claude-opus-4-6'
    const asked = [{ thinking: enabled(20_000) }, { reasoning: { effort: 'low' } }]
    expect(asked.map((request) => sent(model, request))).toEqual([
      { thinking: adaptive, effort: 'high' },
      { thinking: adaptive, effort: 'low' },
    ])
    expect(sent(model, { reasoning: { enabled: false } })).toEqual({
      ...DISABLED,
      effort: undefined,
    })
  })
})
