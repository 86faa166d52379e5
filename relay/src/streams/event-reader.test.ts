import { describe, expect, test } from 'vitest'
import { type JsonRecord, textOf } from '../bytes/json-value.ts'
import type { StreamEvent } from '../form/events.ts'
import { sseDecoder } from './event-decoder.ts'

const block = (delta: string, more = {}) =>
  Buffer.from(`data: ${JSON.stringify({ type: 'x', delta, ...more })}\n\n`)

const text = (piece: string): StreamEvent => ({
  type: 'text',
  choice: 0,
  text: piece,
  logprobs: undefined,
})
const input = (piece: string): StreamEvent => ({
  type: 'tool-call',
  choice: 0,
  index: 1,
  id: '',
  name: '',
  input: piece,
  isCustom: false,
  signature: undefined,
})

/** Decodes events of which `eventsOf` says what they mean. `calls` lists those of the reader. */
function decode(blocks: readonly Buffer[], eventsOf: (piece: string) => StreamEvent[]) {
  const calls: string[] = []
  const decoder = sseDecoder({
    event: (json: JsonRecord) => {
      calls.push(`event ${textOf(json['delta'])}`)
      return eventsOf(textOf(json['delta']))
    },
    repeat: (event) => {
      calls.push(`repeat ${'text' in event ? event.text : JSON.stringify(event)}`)
    },
  })
  const steps = blocks.map((one) => decoder.push(one))
  return { steps, calls, joined: sseDecoder(readerOf(eventsOf)).push(Buffer.concat(blocks)) }
}

const readerOf = (eventsOf: (piece: string) => StreamEvent[]) => ({
  event: (json: JsonRecord) => eventsOf(textOf(json['delta'])),
  repeat: () => {},
})

describe('an event that only adds a further piece', () => {
  test('is made from the event before', () => {
    const blocks = ['a', ' "b"\n', 'ü🎉'].map((piece) => block(piece))
    const { steps, calls, joined } = decode(blocks, (piece) => [text(piece)])
    expect(steps).toEqual([[text('a')], [text(' "b"\n')], [text('ü🎉')]])
    expect(joined).toEqual(steps.flat())
    expect(calls).toEqual(['event a', 'repeat  "b"\n', 'repeat ü🎉'])
  })

  test('of the input of a call is made, too', () => {
    const { steps, calls } = decode([block('{"a'), block('":1}')], (piece) => [input(piece)])
    expect(steps).toEqual([[input('{"a')], [input('":1}')]])
    expect(calls[1]).toBe(`repeat ${JSON.stringify(input('":1}'))}`)
  })

  test.each<[string, Buffer[], (piece: string) => StreamEvent[]]>([
    ['after an event that says more', ['a', 'b'].map((p) => block(p)), (p) => [text(p), text('!')]],
    ['after an event that says nothing', ['a', 'b'].map((p) => block(p)), () => []],
    ['after an event with other words', ['a', 'b'].map((p) => block(p)), (p) => [text(`${p}!`)]],
    ['with another member', [block('a'), block('b', { usage: 1 })], (p) => [text(p)]],
    ['with an empty piece', [block('a'), block('')], (p) => (p === '' ? [] : [text(p)])],
    ['that names a call', ['a', 'b'].map((p) => block(p)), (p) => [{ ...input(p), id: 'c' }]],
  ])('is read as a whole %s', (_when, blocks, eventsOf) => {
    const { steps, calls } = decode(blocks, eventsOf)
    const pieces = blocks.map((one) => /"delta":"(\w*)"/.exec(one.toString())?.[1] ?? '')
    expect(steps).toEqual(pieces.map((piece) => eventsOf(piece)))
    expect(calls).toEqual(pieces.map((piece) => `event ${piece}`))
  })
})
