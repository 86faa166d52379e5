import { describe, expect, test } from 'vitest'
import { type JsonRecord, textOf } from '../bytes/json-value.ts'
import type { StreamEvent } from '../form/events.ts'
import { sseDecoder } from './event-decoder.ts'
import { BlockReader } from './event-reader.ts'

const block = (delta: string, more = {}) =>
  Buffer.from(`data: ${JSON.stringify({ type: 'x', delta, ...more })}\n\n`)

const text = (delta: string): StreamEvent => ({
  type: 'text',
  choice: 0,
  text: delta,
  logprobs: undefined,
})
const input = (delta: string): StreamEvent => ({
  type: 'tool-call',
  choice: 0,
  index: 1,
  id: '',
  name: '',
  input: delta,
  isCustom: false,
  signature: undefined,
})

/** Decodes events of which `eventsOf` says what they mean. `calls` lists those of the reader. */
function decode(blocks: readonly Buffer[], eventsOf: (delta: string) => StreamEvent[]) {
  const calls: string[] = []
  const decoder = sseDecoder({
    event: (json: JsonRecord) => {
      calls.push(`event ${textOf(json['delta'])}`)
      return eventsOf(textOf(json['delta']))
    },
    onDelta: (delta, { type }) => {
      calls.push(`${type} ${textOf(delta)}`)
    },
  })
  const steps = blocks.map((one) => decoder.push(one))
  return { steps, calls, joined: sseDecoder(readerOf(eventsOf)).push(Buffer.concat(blocks)) }
}

const readerOf = (eventsOf: (delta: string) => StreamEvent[]) => ({
  event: (json: JsonRecord) => eventsOf(textOf(json['delta'])),
  onDelta: () => {},
})

describe('an event that only has another delta', () => {
  test('is made from the event before', () => {
    const blocks = ['a', ' "b"\n', 'ü🎉'].map((delta) => block(delta))
    const { steps, calls, joined } = decode(blocks, (delta) => [text(delta)])
    expect(steps).toEqual([[text('a')], [text(' "b"\n')], [text('ü🎉')]])
    expect(joined).toEqual(steps.flat())
    expect(calls).toEqual(['event a', 'text  "b"\n', 'text ü🎉'])
  })

  test('of the input of a call is made, too', () => {
    const { steps, calls } = decode([block('{"a'), block('":1}')], (delta) => [input(delta)])
    expect(steps).toEqual([[input('{"a')], [input('":1}')]])
    expect(calls[1]).toBe('tool-call ":1}')
  })

  test('is made from an event that began the answer and had its first counts', () => {
    const head = { id: 'i', created: 1, model: 'm' }
    const start: StreamEvent = { type: 'start', choice: 0, head }
    const counts: StreamEvent = { type: 'usage', report: {}, isFinal: false }
    const blocks = ['a', 'b'].map((delta) => block(delta))
    const { steps, calls } = decode(blocks, (delta) => [start, text(delta), counts])
    expect(steps).toEqual([[start, text('a'), counts], [text('b')]])
    expect(calls).toEqual(['event a', 'text b'])
  })

  test.each<[string, Buffer[], (delta: string) => StreamEvent[]]>([
    ['after an event that says more', ['a', 'b'].map((p) => block(p)), (p) => [text(p), text('!')]],
    ['after an event that says nothing', ['a', 'b'].map((p) => block(p)), () => []],
    ['after an event with other words', ['a', 'b'].map((p) => block(p)), (p) => [text(`${p}!`)]],
    ['with another member', [block('a'), block('b', { usage: 1 })], (p) => [text(p)]],
    ['with an empty delta', [block('a'), block('')], (p) => (p === '' ? [] : [text(p)])],
    ['that names a call', ['a', 'b'].map((p) => block(p)), (p) => [{ ...input(p), id: 'c' }]],
  ])('is read as a whole %s', (_when, blocks, eventsOf) => {
    const { steps, calls } = decode(blocks, eventsOf)
    const deltas = blocks.map((one) => /"delta":"(\w*)"/.exec(one.toString())?.[1] ?? '')
    expect(steps).toEqual(deltas.map((delta) => eventsOf(delta)))
    expect(calls).toEqual(deltas.map((delta) => `event ${delta}`))
  })
})

test.each<[StreamEvent['type'], unknown[]]>([
  ['text', [5, 3, 2]],
  ['reasoning', [' "b"\n', 'ü🎉', 'no']],
])('a stream that passes tells its reader what it needs of %s', (type, expected) => {
  const told: unknown[] = []
  const blocks = new BlockReader({
    event: ({ delta }) =>
      type === 'text'
        ? [text(textOf(delta))]
        : [{ type: 'reasoning', choice: 0, text: textOf(delta) }],
    onDelta: (delta) => {
      told.push(typeof delta === 'string' ? delta : delta.length)
    },
  })
  const first = blocks.json(block('a'))
  if (typeof first === 'object') blocks.event(first)
  const isSkipped = (delta: string) => blocks.skipsDelta(block(delta))
  expect([' "b"\n', 'ü🎉', 'no', ''].map(isSkipped)).toEqual([true, true, true, false])
  expect(told).toEqual(expected)
})
