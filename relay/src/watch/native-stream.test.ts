import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import { EVENT_BYTES_MAX } from '../bytes/sse.ts'
import { descriptorOf } from '../catalogue.ts'
import { nativeCodecOf } from '../codecs.ts'
import { NativeStream } from './native-stream.ts'
import { StreamObserver } from './stream-observer.ts'

const fixture = (name: string) => readFileSync(new URL(`../providers/${name}.sse`, import.meta.url))

function open(type: number) {
  const descriptor = descriptorOf(type)
  const codec = descriptor && nativeCodecOf(descriptor)
  if (codec === undefined) throw new Error(`type ${type} has no dialect of clients`)
  const watch = new StreamObserver()
  const channel = { baseUrl: '', key: 'k', other: '' }
  const call = { endpoint: 'chat', request: {}, model: 'm', stream: true, channel } as const
  const stream = new NativeStream(watch, codec.reader({ ...call, now: 0, id: 'i' }))
  return { watch, stream }
}

function passed(type: number, chunks: readonly Buffer[]) {
  const { watch, stream } = open(type)
  const out = chunks.flatMap((chunk) => stream.push(chunk))
  out.push(...stream.end())
  return { out: Buffer.concat(out).toString(), ending: stream.ending.join(''), watch }
}

const STREAMS = [
  {
    name: 'Anthropic',
    type: 14,
    bytes: fixture('anthropic/__fixtures__/streams/thinking-and-tool'),
    ending: 'event: message_delta',
    usage: { promptTokens: 1065, completionTokens: 37 },
  },
  {
    name: 'Gemini',
    type: 24,
    bytes: fixture('google-gemini/__fixtures__/streams/thought-and-tool'),
    ending: 'data: {"candidates":[{"content":{"role":"model","parts":[{"text":""}]},"finish',
    usage: { promptTokens: 22, completionTokens: 48 },
  },
]

describe.each(STREAMS)('a stream of $name', ({ type, bytes, ending, usage }) => {
  test('is the same however it is split, with its end apart', () => {
    const text = bytes.toString()
    const cuts = [
      [bytes],
      Array.from(bytes, (byte) => Buffer.from([byte])),
      ...Array.from({ length: 40 }, (_none, at) => [
        bytes.subarray(0, at * 23),
        bytes.subarray(at * 23),
      ]),
    ]
    for (const chunks of cuts) {
      const { watch, ...sent } = passed(type, chunks)
      expect(sent.out + sent.ending).toBe(text)
      expect(sent.ending.startsWith(ending)).toBe(true)
      expect(watch.usage).toMatchObject(usage)
      expect(watch).toMatchObject({ finished: true, done: true })
    }
  })

  test('with line ends of two bytes', () => {
    const text = bytes.toString().replaceAll(/\r?\n/g, '\r\n')
    const single = Array.from(Buffer.from(text), (byte) => Buffer.from([byte]))
    const { out, ending: last } = passed(type, single)
    expect(out + last).toBe(text)
  })

  test('an error and everything after it are withheld', () => {
    const error = 'data: {"type":"error","error":{"type":"overloaded_error","message":"no"}}\n\n'
    const { out, ending: last, watch } = passed(type, [Buffer.from(error), bytes])
    expect(out + last).toBe('')
    expect(watch.error).toMatchObject({ error: { message: 'no' } })
  })

  test('an event that is too large is an error of the stream', () => {
    const { stream, watch } = open(type)
    expect(stream.push(Buffer.alloc(EVENT_BYTES_MAX + 1, 'x'))).toEqual([])
    expect(watch.error).toMatchObject({ error: { code: 'event_too_large' } })
    expect(stream.push(bytes)).toEqual([])
  })

  test('malformed events are left out, comments are not', () => {
    const { out } = passed(type, [Buffer.from(': alive\n\ndata: no JSON\n\nhtml\n\n')])
    expect(out).toBe(': alive\n\n')
  })

  test('an end without its blank line still counts as an event', () => {
    const { out, ending: last } = passed(type, [bytes.subarray(0, -2)])
    expect((out + last).trimEnd()).toBe(bytes.toString().trimEnd())
  })
})

const claude = (type: string, rest: object = {}) =>
  Buffer.from(`event: ${type}\ndata: ${JSON.stringify({ type, ...rest })}\n\n`)
const START = [
  claude('message_start', { message: { id: 'm' } }),
  claude('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
  claude('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hi' } }),
]
const CITATION = { delta: { type: 'citations_delta' } }
const gemini = (parts: object[], rest: object = {}) =>
  Buffer.from(
    `data: ${JSON.stringify({ candidates: [{ content: { parts }, index: 0, ...rest }] })}\n\n`,
  )

test.each([
  ['a text', 14, START, 'Hi'],
  ['a text that has ended', 14, [...START, claude('content_block_stop', { index: 0 })], null],
  ['a source', 14, [...START, claude('content_block_delta', { index: 0, ...CITATION })], null],
  ['an event of another kind', 14, [...START, claude('novelty')], null],
  [
    'a tool of the provider’s',
    14,
    [...START, claude('content_block_start', { content_block: { type: 'server_tool_use' } })],
    null,
  ],
  ['a text', 24, [gemini([{ text: 'Hi' }])], 'Hi'],
  ['code', 24, [gemini([{ text: 'Hi' }, { executableCode: { code: '1' } }])], null],
  ['a source', 24, [gemini([{ text: 'Hi' }], { groundingMetadata: {} })], null],
])('whether another channel may continue after %s (type %i)', (_what, type, events, text) => {
  expect(passed(type, events).watch.plainText()).toBe(text)
})

test("text written for the provider's own tools is counted, and is a first token", () => {
  const content_block = { type: 'server_tool_use', id: 't', name: 'web_search' }
  const delta = { type: 'input_json_delta', partial_json: '{"query":"x"}' }
  const { stream, watch } = open(14)
  stream.push(claude('message_start', { message: {} }))
  expect(watch.hasOutput).toBe(false)
  stream.push(claude('content_block_start', { index: 0, content_block }))
  expect(watch.hasOutput).toBe(true)
  stream.push(claude('content_block_delta', { index: 0, delta }))
  expect(watch.outputTextForCounting().text).toBe('{"query":"x"}')
  const google = passed(24, [gemini([{ executableCode: { code: 'print(1)' } }])])
  expect(google.watch.outputTextForCounting().text).toBe('print(1)')
})

test('an error of the reader is an error of the stream', () => {
  const watch = new StreamObserver()
  const event = () => {
    throw new TypeError('a bug')
  }
  expect(new NativeStream(watch, { event }).push(Buffer.from('data: {}\n\n'))).toEqual([])
  expect(watch.error).toMatchObject({ error: { code: 'event_unreadable' } })
})

test('an error after the end is ignored', () => {
  const end = { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 3 } }
  const [delta, stop] = [claude('message_delta', end), claude('message_stop')] as const
  const error = claude('error', { error: { type: 'overloaded_error', message: 'late' } })
  const { ending, watch } = passed(14, [...START, delta, error, stop])
  expect(ending).toBe(String(delta))
  expect(watch).toMatchObject({ finished: true, error: null })
})

const STOP = { finishReason: 'STOP' }

test('output after a finish reason is sent, and so is the apparent end', () => {
  const events = ['w0 ', 'w1 ', 'w2'].map((text) => gemini([{ text }], STOP))
  const { watch, stream } = open(24)
  const out = events.map((event) => stream.push(event).join(''))
  expect(out).toEqual(['', events.slice(0, 2).join(''), events.slice(2).join('')])
  expect(watch.finished).toBe(false)
  stream.end()
  expect(stream.ending).toEqual([])
  expect(watch).toMatchObject({ canEnd: true, error: null })
  expect(watch.plainText()).toBe('w0 w1 w2')
})

test('an empty event with a finish reason is no end', () => {
  const events = [gemini([], STOP), gemini([{ text: 'Hello world' }])]
  const { out, watch } = passed(24, events)
  expect(out).toBe(events.join(''))
  expect(watch.plainText()).toBe('Hello world')
})

test('a source in the last event is sent before the end', () => {
  const first = gemini([{ text: 'Hi' }])
  const last = gemini([{ text: '!' }], { ...STOP, groundingMetadata: {} })
  const { watch, stream } = open(24)
  expect([first, last].flatMap((event) => stream.push(event))).toEqual([first])
  expect(stream.ending).toEqual([last])
  expect(watch.finished).toBe(true)
})
