import { describe, expect, test } from 'vitest'
import { blockData } from '../bytes/sse.ts'
import { EventJson } from './event-json.ts'

const event = (json: object) => Buffer.from(`event: x\ndata: ${JSON.stringify(json)}\n\n`)
const messages = (text: string, more = {}) =>
  event({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text }, ...more })
const input = (partial_json: string) => {
  const delta = { type: 'input_json_delta', partial_json }
  return event({ type: 'content_block_delta', index: 1, delta })
}
const responses = (delta: string, sequence_number: number) =>
  event({ type: 'response.output_text.delta', sequence_number, item_id: 'm', delta, logprobs: [] })
/** The last of two members with one name counts. */
const escapedName = (text: string) =>
  Buffer.from(
    `data: {"type":"content_block_delta","delta":{"text":${JSON.stringify(text)},"te\\u0078t":"z"}}\n\n`,
  )
const gemini = (text: string, more = {}) =>
  event({ candidates: [{ content: { parts: [{ text }] }, index: 0 }], ...more })

const countsAt = (n: number) => ({
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: n * 9, totalTokenCount: 7 + n * 9 },
})
const twice = (n: number) => ({
  other: { totalTokenCount: n },
  usageMetadata: { totalTokenCount: n },
})

const parsed = (block: Buffer): unknown => JSON.parse(blockData(block)?.toString() ?? '')

/** What is read of each event, while the caller does not keep it. */
function readAll(blocks: readonly Buffer[]): unknown[] {
  const json = new EventJson()
  return blocks.map((block) => structuredClone(json.read(block)))
}

describe('events are read as if each were parsed', () => {
  const texts = ['Hello', ' wörld', '', 'a "quote"', 'line\n', ' 🎉', '\\', 'text', 'end']
  test.each<[string, Buffer[]]>([
    ['of Messages', texts.map((text) => messages(text))],
    ['of tool input', ['{"a"', ':1', ',"b":', '[]}'].map(input)],
    ['of Gemini', texts.map((text) => gemini(text))],
    ['of Responses', texts.map((text, at) => responses(text, at + 8))],
    ['with another member', [messages('a'), messages('b'), messages('c', { usage: { n: 1 } })]],
    ['with a count that grows', texts.map((text, n) => gemini(text, { usageMetadata: { n } }))],
    ['with counts of Gemini that grow', texts.map((text, n) => gemini(text, countsAt(n)))],
    ['with a count that stands twice', texts.map((text, n) => gemini(text, twice(n)))],
    ['of several kinds', [messages('a'), input('{'), messages('b'), messages('c'), input('}')]],
    ['with a text that stands twice', texts.map((text) => messages(text, { text }))],
    ['with a name spelled with escapes', texts.map((text) => escapedName(text))],
  ])('%s', (_what, blocks) => {
    expect(readAll(blocks)).toEqual(blocks.map(parsed))
  })
})

test('an event that differs only in its text is not parsed', () => {
  const json = new EventJson()
  const first = json.read(messages('a'))
  expect(json.read(messages('b'))).toBe(first)
  expect(first).toMatchObject({ delta: { text: 'b' } })
  expect(json.read(messages('c', { index: 1 }))).not.toBe(first)
})

test('an event that differs only in its text and its counts is not parsed', () => {
  const json = new EventJson()
  const first = json.read(gemini('a', countsAt(1)))
  expect(json.read(gemini('b', countsAt(123)))).toBe(first)
  expect(first).toMatchObject(countsAt(123))
})

test('comments and other data are told apart', () => {
  const texts = [': ping\n\n', 'data: no JSON\n\n', 'data: [DONE]\n\n']
  const blocks = texts.map((text) => Buffer.from(text))
  const told = ['comment', 'unreadable', 'unreadable']
  expect(readAll([messages('a'), ...blocks])).toEqual([parsed(messages('a')), ...told])
})

test('an event whose count falls to 0 is parsed, since reports are joined', () => {
  const json = new EventJson()
  const first = json.read(gemini('a', countsAt(1)))
  const fallen = { usageMetadata: { ...countsAt(1).usageMetadata, candidatesTokenCount: 0 } }
  const second = json.read(gemini('b', fallen))
  expect(second).not.toBe(first)
  expect(second).toMatchObject(fallen)
})
