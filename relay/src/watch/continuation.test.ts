import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { choicesOf } from '../form/chat-chunk.ts'
import { choiceText } from '../wires/openai-chat/answer-summary.ts'
import { ChunkEncoder } from '../wires/openai-chat/stream-encoder.ts'
import { readChat, watchChat } from '../wires/openai-chat/testing/chat.ts'
import { StreamContinuation } from './continuation.ts'
import { event } from './testing/chunks.ts'

type Piece = Record<string, unknown>

const HEAD = { id: 'first', created: 1 }
const OTHER = { id: 'second', object: 'chat.completion.chunk', created: 2, model: 'm' }

const chunk = (delta: Piece, choice: Piece = {}, more: Piece = {}) =>
  event({ ...OTHER, choices: [{ index: 0, delta, finish_reason: null, ...choice }], ...more })

const IMAGE = { image_url: { url: 'x' } }
const SAID = 'The quick brown fox jumps over the '

const say = (content: string) => chunk({ content })
const finish = (finish_reason: string) => chunk({}, { finish_reason })

function goOn(said: string, events: string[], repeats = true) {
  const continuation = new StreamContinuation({ sentText: said, head: HEAD, repeats })
  const encoder = new ChunkEncoder()
  encoder.resume({ head: { ...HEAD, model: 'm' }, text: said })
  const sent = encoder.write(continuation.push(readChat(...events)))
  const texts = sent
    .split('\n\n')
    .filter((event) => event !== '')
    .map((event): unknown => JSON.parse(event.replace('data: ', '')))
  const text = texts.flatMap(choicesOf).map(choiceText).join('')
  return { continuation, sent, events: texts, text }
}

test('repeated text is withheld, and the rest is sent under the first id', () => {
  const stream = ['Hel', 'lo', ' there', ', you'].map(say)
  const { events, text, continuation } = goOn('Hello th', [chunk({ role: 'assistant' }), ...stream])
  expect(text).toBe('ere, you')
  expect(events).toMatchObject([{ id: 'first', created: 1, model: 'm' }, { id: 'first' }])
  expect(continuation).toMatchObject({ tookOver: true, diverged: false })
  expect(continuation.plainText()).toBe('Hello there, you')
  expect(continuation.outputTextForCounting().text).toBe('ere, you')
})

test('however both streams are split, the client has the text once', () => {
  const pieces = fc.array(fc.string({ unit: 'grapheme', maxLength: 5 }), { maxLength: 20 })
  fc.assert(
    fc.property(pieces, fc.nat(), (parts, at) => {
      const whole = parts.join('')
      const characters = [...whole]
      const said = characters.slice(0, at % (characters.length + 1)).join('')
      const { text, continuation } = goOn(said, [...parts.map(say), finish('stop')])
      expect(said + text).toBe(whole)
      expect(continuation.diverged).toBe(false)
    }),
  )
})

test('the end is sent although nothing was new', () => {
  const { events, continuation } = goOn('Hello', [say('Hello'), finish('stop')])
  expect(events).toMatchObject([{ choices: [{ delta: {}, finish_reason: 'stop' }] }])
  expect(continuation.tookOver).toBe(true)
})

test('nothing new is sent before everything was repeated', () => {
  const { sent, continuation } = goOn('Hello', [say('Hello')])
  expect([sent, continuation.tookOver]).toEqual(['', false])
})

describe('a stream diverges, and nothing of it is sent,', () => {
  const departures: [string, string[]][] = [
    ['when a character differs', [say('Help'), say(' me')]],
    ['when it ends too soon', [say('Hel'), finish('stop')]],
    ['when it refuses', [say('Hello th'), chunk({ refusal: 'no' }), say('ere')]],
    ['when its content is filtered', [say('Hello th'), finish('content_filter')]],
    ['when it calls a tool', [chunk({ tool_calls: [{ index: 0 }] }), say('Hello there')]],
    ['when it shows an image', [chunk({ images: [IMAGE] }), say('Hello there')]],
    ['when it makes another choice', [chunk({ content: 'Hello there' }, { index: 1 })]],
  ]
  test.each(departures)('%s', (_, events) => {
    const { sent, continuation } = goOn('Hello th', events)
    expect(sent).toBe('')
    expect(continuation).toMatchObject({ diverged: true, tookOver: false })
  })
})

test('reasoning before text the client already has is left out', () => {
  const events = [
    chunk({ reasoning_content: 'hm' }),
    chunk({ reasoning: 'hm', content: '' }),
    say('Hello'),
  ]
  expect(goOn('Hel', events).text).toBe('lo')
})

test('a tool call after the repeated text is part of the answer', () => {
  const call = { index: 0, id: 'c', function: { name: 'f', arguments: '{}' } }
  const { events, continuation } = goOn('Hi', [say('Hi!'), chunk({ tool_calls: [call] })])
  expect(events).toHaveLength(2)
  expect(events[1]).toMatchObject({ id: 'first', choices: [{ delta: { tool_calls: [call] } }] })
  expect(continuation.plainText()).toBeNull()
})

test('a provider with a prefill continues at once, also with the same text', () => {
  const { text, continuation } = goOn('ha ', [say('ha '), say('ha')], false)
  expect(text).toBe('ha ha')
  expect(continuation.plainText()).toBe('ha ha ha')
})

describe('a provider with a longer prefill', () => {
  const goesOn = (events: string[], said = SAID) => goOn(said, events, false)

  test('that starts over does not repeat it, however the stream is split', () => {
    const whole = `${SAID}lazy dog.`
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 50 }), (size) => {
        const pieces = Array.from({ length: Math.ceil(whole.length / size) }, (_, index) =>
          say(whole.slice(index * size, (index + 1) * size)),
        )
        const { text, continuation } = goesOn([...pieces, finish('stop')])
        expect(text).toBe('lazy dog.')
        expect(continuation.plainText()).toBe(whole)
        expect(continuation.outputTextForCounting().text).toBe('lazy dog.')
      }),
    )
  })

  test('is withheld while it may start over, and sent completely as soon as it differs', () => {
    const [begun, other, more] = [SAID.slice(0, 10), 'est way', ' home']
    const { continuation, sent } = goesOn([say(begun)])
    expect([sent, continuation.tookOver, continuation.outputBytes]).toEqual(['', false, 0])
    expect(goesOn([say('lazy'), say(' dog')]).text).toBe('lazy dog')
    const { text, events, continuation: after } = goesOn([say(begun), say(other), say(more)])
    expect(text).toBe(`${begun}${other}${more}`)
    expect(events).toMatchObject([{ id: 'first' }, { id: 'first' }, { id: 'first' }])
    expect(after).toMatchObject({ tookOver: true, diverged: false })
    expect(after.plainText()).toBe(`${SAID}${text}`)
    expect(after.outputTextForCounting().text).toBe(text)
  })

  test('that ends while it is withheld has continued', () => {
    const ends: [string, string[], string][] = [
      ['The quick', [say('The quick'), finish('stop')], 'stop'],
      [
        'The quick',
        [say('The '), chunk({ content: 'quick' }, { finish_reason: 'length' })],
        'length',
      ],
      ['The quick', [say('The quick'), finish('content_filter')], 'content_filter'],
      ['', [finish('stop')], 'stop'],
    ]
    for (const [said, stream, reason] of ends) {
      const { text, events, continuation } = goesOn(stream)
      expect(text).toBe(said)
      expect(events.at(-1)).toMatchObject({ choices: [{ finish_reason: reason }] })
      expect(continuation).toMatchObject({ tookOver: true, diverged: false })
      expect(continuation.outputTextForCounting().text).toBe(said)
    }
  })

  test('diverges if it refuses at once, or has only repeated the prefill', () => {
    for (const refusal of [chunk({ refusal: 'no' }), finish('content_filter')]) {
      for (const stream of [[refusal], [say(SAID), refusal]]) {
        const { sent, continuation } = goesOn(stream)
        expect([sent, continuation.diverged]).toEqual(['', true])
      }
    }
  })

  test('may send a shorter text again', () => {
    const [least, shorter] = ['a'.repeat(32), 'a'.repeat(31)]
    expect(goesOn([say(shorter), say('b')], shorter).text).toBe(`${shorter}b`)
    expect(goesOn([say(least), say('b')], least).text).toBe('b')
  })
})

describe('a stream that ends without a finish reason', () => {
  const refusal = chunk({ refusal: 'no' })

  test.each<[string, string[], boolean, boolean]>([
    ['has repeated all', [say(SAID)], true, true],
    ['has repeated all that it was given', [say(SAID)], false, true],
    ['has said more', [say(`${SAID}lazy dog.`)], true, true],
    ['ends too soon', [say('The quick')], true, false],
    ['ends in what may be the beginning', [say('The quick')], false, false],
    ['says something else', [say('Well')], true, false],
    ['refuses', [refusal], false, false],
    ['repeats all and refuses', [say(SAID), refusal], true, false],
  ])('%s', (_what, events, repeats, isWhole) => {
    const { continuation } = goOn(SAID, events, repeats)
    expect([continuation.end(), continuation.tookOver]).toEqual([isWhole, isWhole])
  })
})

test('usage is left to the caller that knows what was delivered', () => {
  const usage = { prompt_tokens: 1, completion_tokens: 2 }
  const { sent } = goOn('H', [chunk({ content: 'Ho' }, {}, { usage }), `data: {"usage":{}}\n\n`])
  expect(sent).not.toContain('usage')
})

describe('the text a client has of a stream', () => {
  const said = (...events: string[]) => {
    const watch = watchChat()
    for (const event of events) watch.push(Buffer.from(event))
    return watch.plainText()
  }
  const role = chunk({ role: 'assistant', content: '' })

  test('is read whatever the shape of events', () => {
    expect(said(role, say('a "b"'), say('\n'), say('你'), say('c'))).toBe('a "b"\n你c')
    const strange = chunk({ content: 'x' }, { logprobs: null }, { usage: null })
    expect(said(role, strange, strange, chunk({ content: null }), say('y'))).toBe('xxy')
    expect(said(role)).toBe('')
  })

  const others: [string, string][] = [
    ['thoughts', chunk({ reasoning_content: 'hm' })],
    ['thoughts of another name', chunk({ reasoning: 'hm' })],
    ['a refusal', chunk({ refusal: 'no' })],
    ['a tool call', chunk({ tool_calls: [{ index: 0, function: { name: 'f' } }] })],
    ['parts', chunk({ content: [{ type: 'text', text: 'a' }] })],
    ['probabilities', chunk({ content: 'a' }, { logprobs: { content: [] } })],
    ['a text of completions', `data: {"choices":[{"index":0,"text":"a"}]}\n\n`],
  ]
  test.each(others)('is not plain text with %s in it, at any place', (_, other) => {
    expect(said(role, other)).toBeNull()
    expect(said(role, say('a'), other, other)).toBeNull()
    expect(said(role, say('a'), say('b'), other, other, say('c'))).toBeNull()
  })

  test('is unknown for several choices, and if it was too long to keep', () => {
    const many = watchChat({ choices: 2 })
    many.push(Buffer.from(say('a')))
    expect(many.plainText()).toBeNull()
    const long = watchChat({ keptBytesMax: 20 })
    for (let index = 0; index < 10; index += 1) long.push(Buffer.from(say('abcdefgh')))
    expect(long.plainText()).toBeNull()
  })
})
