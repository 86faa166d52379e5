import { describe, expect, test } from 'vitest'
import { chunk, DONE, event, finish, HEAD, USAGE, usageEvent, watch } from './testing/chunks.ts'

const word = chunk({ content: 'Hello' })
const text = chunk({ role: 'assistant', content: '' }) + word + chunk({ content: ' there' })

describe('a finish reason before the end', () => {
  const early = (content: string) => chunk({ content }, {}, { finish_reason: 'stop' })
  const led = chunk({ role: 'assistant', content: '' }, {}, { finish_reason: 'stop' })

  test.each([
    ['with each event', early('a') + early('b')],
    ['behind the first words', early('a') + word],
    ['before any word', led],
    ['before all words', led + text],
  ])('is not an end: %s', (_where, input) => {
    const { stream, sent } = watch(input)
    expect(sent).toBe(input)
    expect(stream).toMatchObject({ finished: false, canEnd: true, isComplete: false })
    expect(watch(input + DONE).stream).toMatchObject({ done: true, isComplete: true })
  })
})

test('an error after the complete output has no effect', () => {
  const error = event({ error: { message: 'lost', code: 'server_error' } })
  const { stream, sent } = watch(text + finish('stop') + error)
  expect(sent).toBe(text + finish('stop'))
  expect(stream).toMatchObject({ error: null, done: true, isComplete: true })
})

describe('usage in an event of its own', () => {
  const more = { ...USAGE, completion_tokens: 17 }
  const other = event({ ...HEAD, choices: [], usage: more })

  test('is withheld, the last of several, even if it arrived after the end', () => {
    const { stream, sent } = watch(text + usageEvent + finish('stop') + DONE + other)
    expect([sent, stream.withheldUsage]).toEqual([text + finish('stop'), more])
  })

  test.each([
    ['of a vendor', { choices: [], x_groq: { usage: USAGE } }],
    [
      'next to a choice',
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }], usage: USAGE },
    ],
  ])('is not sent if another arrived after it: %s', (_where, last) => {
    const { stream } = watch(text + other + event({ ...HEAD, ...last }))
    expect(stream).toMatchObject({ withheldUsage: null, usage: { completionTokens: 16 } })
  })
})

test('events without output are no deltas', () => {
  const empty = chunk({}) + chunk({ content: '' }) + chunk({ role: 'assistant' })
  expect(watch(empty).stream).toMatchObject({ eventCount: 3, deltaCount: 0 })
  const more = chunk({ content: 'a' }) + chunk({ content: 'b' }) + chunk({ content: '' })
  expect(watch(more + finish('stop') + usageEvent).stream.deltaCount).toBe(4)
})

test.each([
  ['a raw tab', 'a\tb'],
  ['an escape that there is none of', '\\x41'],
  ['half an escape', '\\u00'],
])('an event like its predecessors with %s in its text is left out', (_what, spoilt) => {
  const like = chunk({ content: 'TEXT' }).replace('TEXT', spoilt)
  const { sent } = watch(chunk({ content: 'a' }) + chunk({ content: 'b' }) + like + word)
  expect(sent).toBe(chunk({ content: 'a' }) + chunk({ content: 'b' }) + word)
})
