import { describe, expect, test } from 'vitest'
import type { JsonRecord } from '../bytes/json-value.ts'
import { NO_USAGE, parseUsage } from '../usage/usage.ts'
import { eventsIn, looksLikeText, TaskObserver } from './task-observer.ts'

const EVENTS = { finalTypes: ['the.end'], readUsage: parseUsage }
const USAGE = { input_tokens: 3, output_tokens: 5 }
const event = (json: object, end = '\n\n') => `event: x\ndata: ${JSON.stringify(json)}${end}`

const WHOLE = [
  ': alive\n\n',
  event({ type: 'a.delta', text: 'hé 🎉' }),
  event({ type: 'the.end', usage: USAGE }),
].join('')

function watched(pieces: readonly (Buffer | string)[], watch: TaskObserver) {
  const passed = pieces.flatMap((piece) => watch.push(Buffer.from(piece)))
  return { watch, text: Buffer.concat([...passed, ...watch.end()]).toString() }
}

const ofEvents = (...pieces: (Buffer | string)[]) =>
  watched(pieces, new TaskObserver('text/event-stream', EVENTS))

describe('events', () => {
  test('pass unchanged, wherever they are split, until the last has reported the usage', () => {
    const bytes = Buffer.from(WHOLE)
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const { watch, text } = ofEvents(bytes.subarray(0, cut), bytes.subarray(cut))
      expect(text).toBe(WHOLE)
      expect(watch.bytes.toString()).toBe(WHOLE)
      expect(watch).toMatchObject({ started: true, finished: true, error: null })
      expect(watch.usage).toMatchObject({ promptTokens: 3, completionTokens: 5 })
    }
  })

  test('are complete if only their final blank line is missing', () => {
    const { watch, text } = ofEvents(event({ type: 'the.end' }, ''))
    expect(text).toBe(event({ type: 'the.end' }))
    expect(watch.finished).toBe(true)
  })

  test('do not pass if they are cut off or not JSON', () => {
    const first = event({ type: 'a.delta' })
    const { watch, text } = ofEvents(first, 'data: {"type":"a.del\n\n', 'data: {"type":"the.e')
    expect(text).toBe(first)
    expect(watch.finished).toBe(false)
    const done = 'data: [DONE]\n\n'
    expect(ofEvents(WHOLE, done).text).toBe(WHOLE + done)
  })

  test('are not finished before the last one, and not started by an invalid one', () => {
    const begun = ofEvents(event({ type: 'a.delta' })).watch
    expect(begun).toMatchObject({ started: true, finished: false })
    expect(ofEvents('<html></html>', 'data: no JSON\n\n', ': alive\n\n').watch.started).toBe(false)
  })

  test.each([
    { error: { message: 'no' } },
    { type: 'error', message: 'no' },
    { error: { message: 'no' }, usage: USAGE },
  ])('with %j end there', (failure) => {
    const first = event({ type: 'a.delta' })
    const { watch, text } = ofEvents(first, event(failure), event({ type: 'the.end' }))
    expect(text).toBe(first)
    expect(watch).toMatchObject({ error: failure, finished: false, usage: null })
  })

  test("from a vendor's own API are translated, wherever they are split, and others unchanged", () => {
    const translate = (one: JsonRecord) => (one['type'] === 'own.end' ? { type: 'the.end' } : one)
    const translating = () => new TaskObserver('text/event-stream', { ...EVENTS, translate })
    const end = 'event: the.end\ndata: {"type":"the.end"}\n\n'
    const around = (last: string) =>
      [': alive\n\n', event({ type: 'b' }), last, 'data: [DONE]\n\n'].join('')
    const bytes = Buffer.from(around(event({ type: 'own.end' })))
    const told = around(end)
    for (let cut = 0; cut <= bytes.length; cut += 1) {
      const pieces = [bytes.subarray(0, cut), bytes.subarray(cut)]
      const { watch, text } = watched(pieces, translating())
      expect(text).toBe(told)
      expect(watch.bytes.toString()).toBe(told)
      expect(watch.finished).toBe(true)
    }
    expect(watched([event({ type: 'own.end' }, '')], translating()).text).toBe(end)
  })

  test('may be large, up to a limit', () => {
    const large = event({ type: 'a', image: 'x'.repeat(2 * 2 ** 20) })
    expect(ofEvents(large).text).toBe(large)
    const endless = Array.from({ length: 65 }, () => Buffer.alloc(2 ** 20, 'x'))
    expect(ofEvents('data: ', ...endless).watch.overflowed).toBe(true)
  })
})

describe('events of partial results', () => {
  const last = event({ type: 'the.end', image: 'x'.repeat(9 * 2 ** 20), usage: USAGE })
  const small = event({ type: 'the.end', image: 'x', usage: USAGE })
  const part = event({ type: 'a.part', image: 'x' })
  const ofPieces = (count: number, ...events: string[]) => {
    const hasContent = ({ image }: JsonRecord) => image !== undefined
    const pieces = { count, partTypes: ['a.part'], partsPerItem: 2, hasContent }
    return watched(events, new TaskObserver('text/event-stream', { ...EVENTS, items: pieces }))
  }
  const keptOf = (count: number, ...events: string[]) =>
    eventsIn(ofPieces(count, ...events).watch.bytes)

  test('are finished with the last of them, and only their number is kept', () => {
    const early = event({ type: 'a', image: 'x'.repeat(16 * 2 ** 20) })
    const { watch, text } = ofPieces(10, early, ...Array.from({ length: 9 }, () => last))
    expect(text).toHaveLength(early.length + 9 * last.length)
    expect(watch).toMatchObject({ overflowed: false, finished: false, canEnd: true })
    watch.push(Buffer.from(last))
    expect(watch).toMatchObject({ overflowed: false, finished: true })
    const kept = { type: 'the.end', usage: USAGE }
    expect(eventsIn(watch.bytes)).toEqual(Array.from({ length: 10 }, () => kept))
  })

  test('cost the sum of their reports', () => {
    const input_tokens_details = { image_tokens: 2 }
    const usage = { input_tokens: 4, output_tokens: 7, input_tokens_details }
    const other = event({ type: 'the.end', image: 'x', usage })
    expect(ofPieces(3, other, last, other).watch.usage).toEqual({
      ...NO_USAGE,
      promptTokens: 11,
      completionTokens: 19,
      kinds: [{ kind: 'image_prompt', tokens: 4 }],
    })
  })

  test('report nothing if one of them reports nothing', () => {
    const silent = event({ type: 'the.end', image: 'x' })
    expect(ofPieces(2, last, silent).watch.usage).toBeNull()
    expect(ofPieces(3, silent, last, last).watch.usage).toBeNull()
  })

  test('report nothing while one of them is open, and nothing is open after the last', () => {
    const usageOf = (...events: string[]) => ofPieces(2, ...events).watch.usage
    expect(usageOf(part, small)).not.toBeNull()
    expect(usageOf(part, small, part)).toBeNull()
    expect(usageOf(part, part, part, small)).toBeNull()
    expect(usageOf(small, part, small, part)).not.toBeNull()
  })

  test('keep what measures them, up to what was requested', () => {
    const kept = keptOf(1, ...Array.from({ length: 5 }, () => part), small, small)
    expect(kept?.map(({ type }) => type)).toEqual(['a.part', 'a.part', 'the.end'])
    expect(ofPieces(1, small, small).watch.usage).toMatchObject({ completionTokens: 5 })
    const usage = { ...USAGE, note: 'x'.repeat(3000) }
    expect(keptOf(1, event({ type: 'the.end', image: 'x', usage }))).toEqual([{ type: 'the.end' }])
  })

  test('count for nothing if they deliver nothing', () => {
    const [noPart, none] = [event({ type: 'a.part' }), event({ type: 'the.end', usage: USAGE })]
    const { watch } = ofPieces(2, noPart, none, none)
    expect(watch).toMatchObject({ usage: null, finished: false, canEnd: false })
    expect(watch.bytes).toHaveLength(0)
  })

  test('cannot end before the first of them', () => {
    const { watch } = ofPieces(2, event({ type: 'a', image: 'x', usage: USAGE }))
    expect(watch).toMatchObject({ canEnd: false, usage: null })
  })
})

describe('bytes', () => {
  const ofBytes = (type: string, ...pieces: (Buffer | string)[]) =>
    watched(pieces, new TaskObserver(type, null))

  test('pass unchanged, and have no last event', () => {
    const { watch, text } = ofBytes('audio/mpeg', 'ID3', 'and more')
    expect(text).toBe('ID3and more')
    expect(watch).toMatchObject({ isBytes: true, started: true, finished: false, eventCount: 2 })
    expect(watch.bytes.toString()).toBe('ID3and more')
  })

  test.each(['{"error":', ' <!doctype', '["no"]'])(
    'that begin with %s have not started',
    (text) => {
      const unstarted = { text: '', watch: { started: false } }
      expect(ofBytes('audio/mpeg', '', text, 'more')).toMatchObject(unstarted)
      expect(ofBytes('audio/pcm', text)).toMatchObject({ text, watch: { started: true } })
    },
  )

  test('are kept up to a limit, and not sent beyond it', () => {
    const pieces = Array.from({ length: 65 }, () => Buffer.alloc(2 ** 20))
    const { watch } = ofBytes('audio/mpeg', ...pieces)
    expect(watch.overflowed).toBe(true)
    expect(watch.push(Buffer.from('more'))).toEqual([])
  })
})

test('events are found again in what was sent, and nowhere else', () => {
  expect(eventsIn(Buffer.from(WHOLE))).toEqual([
    { type: 'a.delta', text: 'hé 🎉' },
    { type: 'the.end', usage: USAGE },
  ])
  expect(eventsIn(Buffer.from('{"data":"x"}'))).toBeNull()
  expect(eventsIn(Buffer.alloc(0))).toBeNull()
})

test('JSON or HTML is recognized by its beginning', () => {
  const isText = (text: string) => looksLikeText(Buffer.from(text))
  expect(['{}', '\n[1]', '"no"', '<a>'].every(isText)).toBe(true)
  expect(['', 'Hello', 'ID3', 'RIFF'].some(isText)).toBe(false)
})
