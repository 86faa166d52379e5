import { expect, test } from 'vitest'
import type { StreamDecoder } from '@tollgate/relay'
import { DecodingSink } from './decoding-sink.ts'
import type { AnswerDecoder, AnswerSink } from './exchange.ts'
import { UPSTREAM_LIMITS } from './limits.ts'

const upper = (bytes: Buffer) => Buffer.from(bytes.toString().toUpperCase())

function listen(reader: Partial<AnswerDecoder>, limits = UPSTREAM_LIMITS) {
  const typed: unknown[] = []
  const heard = { text: '', typed, type: '', end: '', aborted: false }
  const sink: AnswerSink = {
    head: (_status, headers) => (heard.type = headers['content-type'] ?? ''),
    data: (chunk) => (heard.text += chunk.toString()),
    events: (events) => typed.push(...events),
    answer: (decoded, body) => typed.push(decoded, body.toString()),
    end: () => (heard.end += 'end'),
    fail: (failure) => (heard.end += failure),
  }
  const whole: AnswerDecoder = {
    decode: upper,
    createStreamDecoder: null,
    decodesJson: false,
    ...reader,
  }
  const answer = new DecodingSink(whole, limits, sink)
  const abort = () => (heard.aborted = true)
  answer.attach({ pause: () => {}, resume: () => {}, abort, release: () => {} })
  return { answer, heard }
}

const JSON_HEAD = { 'content-type': 'application/json' }
const STREAM_HEAD = { 'content-type': 'application/x-ndjson' }
const decoder = (): StreamDecoder => ({
  form: 'chunks',
  push: (chunk) => [upper(chunk)],
  end: () => [Buffer.from('.')],
})

test('a non-streamed answer is decoded at its end, and a stream as it arrives', () => {
  const whole = listen({})
  whole.answer.head(200, JSON_HEAD)
  whole.answer.data(Buffer.from('ab'))
  expect(whole.heard.text).toBe('')
  whole.answer.end()
  expect(whole.heard).toMatchObject({ text: 'AB', type: 'application/json', end: 'end' })
  const stream = listen({ createStreamDecoder: decoder })
  stream.answer.head(200, STREAM_HEAD)
  stream.answer.data(Buffer.from('ab'))
  expect(stream.heard).toMatchObject({ text: 'AB', type: 'text/event-stream' })
  stream.answer.end()
  expect(stream.heard).toMatchObject({ text: 'AB.', end: 'end' })
})

test('a typed answer arrives with the body of its provider', () => {
  const typed = { head: { id: 'a', created: 1, model: 'm' }, choices: [], usage: null }
  const { answer, heard } = listen({ decode: () => typed })
  answer.head(200, JSON_HEAD)
  answer.data(Buffer.from('ab'))
  answer.end()
  expect(heard).toMatchObject({ text: '', typed: [typed, 'ab'], end: 'end' })
})

test('an offer is taken if it only has another delta', () => {
  const event = { type: 'text', choice: 0, text: 'a', logprobs: undefined } as const
  const nextDelta = (chunk: Buffer) => (chunk.length === 1 ? event : null)
  const events = () => ({ form: 'events' as const, nextDelta, push: () => [], end: () => [] })
  const stream = listen({ createStreamDecoder: events })
  stream.answer.head(200, STREAM_HEAD)
  expect(stream.answer.offer(Buffer.from('a'))).toBe(true)
  expect(stream.answer.offer(Buffer.from('ab'))).toBe(false)
  expect(stream.heard.typed).toEqual([event])
})

test('a failure passes unchanged', () => {
  const { answer, heard } = listen({ createStreamDecoder: decoder })
  answer.head(429, JSON_HEAD)
  answer.data(Buffer.from('ab'))
  answer.end()
  expect(heard).toMatchObject({ text: 'ab', type: 'application/json', end: 'end' })
})

test('an error of a codec fails the answer once, and the process continues', () => {
  const stumble = () => {
    throw new TypeError('a bug')
  }
  const whole = listen({ decode: stumble })
  whole.answer.head(200, JSON_HEAD)
  whole.answer.end()
  expect(whole.heard).toMatchObject({ text: '', end: 'malformed', aborted: true })
  for (const form of ['chunks', 'events'] as const) {
    const stream = listen({ createStreamDecoder: () => ({ form, push: stumble, end: stumble }) })
    stream.answer.head(200, STREAM_HEAD)
    stream.answer.data(Buffer.from('ab'))
    stream.answer.data(Buffer.from('cd'))
    stream.answer.end()
    stream.answer.fail('reset')
    expect(stream.heard).toMatchObject({ text: '', end: 'malformed', aborted: true })
  }
})

test('an answer beyond the limit is aborted', () => {
  const { answer, heard } = listen({}, { ...UPSTREAM_LIMITS, answerBytesMax: 3 })
  answer.head(200, JSON_HEAD)
  answer.data(Buffer.from('abcd'))
  expect(heard).toMatchObject({ end: 'too_large', aborted: true })
})
