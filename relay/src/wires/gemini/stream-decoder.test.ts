import { describe, expect, test } from 'vitest'
import type { JsonRecord } from '../../bytes/json-value.ts'
import { callTo } from '../../streams/testing/call-to.ts'
import { ChunkEncoder } from '../openai-chat/stream-encoder.ts'
import { chunksOf } from '../openai-chat/testing/chat.ts'
import { chatDecoder } from './stream-decoder.ts'

const MODEL = { key: 'AIza-x', model: 'gemini-2.5-flash' }

const event = (json: JsonRecord) => `data: ${JSON.stringify(json)}\r\n\r\n`
const chunk = (parts: JsonRecord[], finishReason?: string) =>
  event({
    candidates: [{ content: { parts }, finishReason, index: 0 }],
    usageMetadata: { promptTokenCount: 22, candidatesTokenCount: 9 },
  })
const CALL = { functionCall: { name: 'get_date' } }

/** Output for each event, and then at the end. */
function saidInSteps(events: readonly string[], request: JsonRecord = {}) {
  const decoder = chatDecoder(callTo(MODEL, { stream: true, request }))
  const steps = events.map((one) => decoder.push(Buffer.from(one)))
  const encoder = new ChunkEncoder()
  return [...steps, decoder.end()].map((step) => chunksOf(step, encoder).toString())
}

describe('a finish reason', () => {
  const reasons = (step = '') =>
    [...step.matchAll(/"index":(\d),"delta":\{\},"finish_reason":"(\w+)"/g)].map(
      ([, index, reason]) => `${index} ${reason}`,
    )

  test('that is followed by others is replaced by the last', () => {
    const steps = saidInSteps([
      chunk([{ text: 'a' }], 'STOP'),
      chunk([{ text: 'b' }], 'STOP'),
      chunk([CALL], 'STOP'),
      chunk([{ text: 'c' }], 'MAX_TOKENS'),
    ])
    expect(steps.map(reasons)).toEqual([['0 stop'], [], [], [], ['0 length']])
    expect(reasons(saidInSteps([chunk([{ text: 'a' }], 'STOP'), chunk([CALL])]).at(-1))).toEqual([
      '0 tool_calls',
    ])
  })

  test('is one for each candidate', () => {
    const of = (index: number, text: string) => ({ index, content: { parts: [{ text }] } })
    const both = (text: string, ...finishReasons: string[]) =>
      event({
        candidates: finishReasons.map((finishReason, index) => ({
          ...of(index, `${text}${index}`),
          ...(finishReason === '' ? {} : { finishReason }),
        })),
      })
    const request = { n: 2, messages: [] }
    const steps = saidInSteps([both('a', 'STOP', ''), both('b', 'STOP', 'MAX_TOKENS')], request)
    expect(steps.map(reasons)).toEqual([['0 stop'], ['1 length'], ['0 stop']])
    expect(steps.join('')).toContain('"content":"b0"')
  })
})

describe('counts that grow with each event', () => {
  const counted = (text: string, tokens: number, finishReason?: string) =>
    event({
      candidates: [{ content: { parts: [{ text }] }, finishReason, index: 0 }],
      usageMetadata: { promptTokenCount: 22, candidatesTokenCount: tokens },
    })
  const tokensIn = (steps: readonly string[]) =>
    [...steps.join('').matchAll(/"completion_tokens":(\d+)/g)].map(([, tokens]) => Number(tokens))
  const last = event({ candidates: [{ content: { parts: [] }, finishReason: 'STOP', index: 0 }] })
  const growing = Array.from({ length: 9 }, (_none, at) => [`word${at}`, at + 1] as const)

  test('are charged as last reported, if the last event has none or every event a reason', () => {
    const ended = [...growing.map(([text, tokens]) => counted(text, tokens)), last]
    const reasoned = growing.map(([text, tokens]) => counted(text, tokens, 'STOP'))
    for (const events of [ended, reasoned]) expect(tokensIn(saidInSteps(events)).at(-1)).toBe(9)
  })

  test('are not lost when a later count is 0', () => {
    const events = [
      ...growing.map(([text, tokens]) => counted(text, tokens)),
      counted('!', 0),
      last,
    ]
    expect(tokensIn(saidInSteps(events)).at(-1)).toBe(9)
  })
})
