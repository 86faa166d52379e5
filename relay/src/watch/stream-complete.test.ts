import { describe, expect, test } from 'vitest'
import { DONE as DONE_EVENT, errorEvent } from '../form/events.ts'
import { AnswerEvents } from '../streams/answer-events.ts'
import { watchChat } from '../wires/openai-chat/testing/chat.ts'
import { StreamObserver } from './stream-observer.ts'
import { DONE, event } from './testing/chunks.ts'

const USED = { usage: { prompt_tokens: 1, completion_tokens: 1 } }
const word = (content: string, more: object = { finish_reason: null }, index = 0, rest = {}) =>
  event({ choices: [{ index, delta: { content }, ...more }], ...rest })
const finish = (index = 0) => event({ choices: [{ index, delta: {}, finish_reason: 'stop' }] })
const usage = (completion_tokens: number) =>
  event({ choices: [], usage: { prompt_tokens: 10, completion_tokens } })

function watch(events: readonly string[], choices = 1) {
  const stream = watchChat({ choices })
  const sent = events.flatMap((text) => stream.push(Buffer.from(text)))
  return { stream, sent: Buffer.concat(sent).toString() }
}

describe('a stream is complete', () => {
  test.each<[string, string[], number, boolean]>([
    ['with its finish reason, [DONE] or not', [word('a'), finish()], 1, true],
    ['not with [DONE] alone', [word('a'), word('b'), DONE], 1, false],
    ['not with [DONE] and an empty reason', [word('a', { finish_reason: '' }), DONE], 1, false],
    ['with [DONE] where no reasons are given', [word('a', {}), word('b', {}), DONE], 1, true],
    ['with [DONE] after fewer choices than were asked for', [word('a'), finish(), DONE], 2, true],
    ['not while a choice is open', [word('a'), finish(), word('b', {}, 1), DONE], 2, false],
    ['not with [DONE] and nothing else', [DONE], 1, false],
    ['not after an error', [word('a', {}), event({ error: { message: 'no' } }), DONE], 1, false],
  ])('%s', (_how, events, choices, whole) => {
    expect(watch(events, choices).stream.isComplete).toBe(whole)
  })
})

describe('the last event of a stream that breaks off', () => {
  const last = word(' there').trimEnd()
  const shapes: [string, string[]][] = [
    ['in the shape of those before', [word('a'), word('b'), word('c')]],
    ['in no shape that is known', [word('a')]],
  ]
  const breakOff = (before: readonly string[], rest: string) => {
    const { stream, sent } = watch([...before, rest])
    return { sent: sent + Buffer.concat(stream.end()).toString(), said: stream.plainText() }
  }

  test.each(shapes)('%s is sent if only its end is missing', (_name, before) => {
    const { sent, said } = breakOff(before, last)
    expect(sent).toBe(`${before.join('')}${last}\n\n`)
    expect(said?.endsWith(' there')).toBe(true)
  })

  test.each(shapes)('%s is not sent if anything else is missing', (_name, before) => {
    const { said } = breakOff(before, '')
    for (let cut = 1; cut < last.length; cut += 1) {
      const broken = breakOff(before, last.slice(0, cut))
      expect(broken, `cut at ${cut}`).toEqual({ sent: before.join(''), said })
    }
  })
})

describe('usage is early', () => {
  test.each<[string, string[], boolean]>([
    ['where more is said after it', [usage(1), word('a'), word('b')], true],
    ['not where nothing is', [word('a'), word('b'), usage(2), finish()], false],
    ['not if each event reports it', [word('a'), usage(1), word('b'), usage(2)], false],
    ['not where it comes with the last words', [word('a', {}, 0, USED)], false],
  ])('%s', (_how, events, early) => {
    expect(watch(events).stream.outputFollowedUsage).toBe(early)
  })
})

describe('usage of the beginning', () => {
  const events = new AnswerEvents({ id: 'a', created: 1, model: 'm' })
  const soFar = events.usageSoFar({ promptTokens: 10, completionTokens: 1 })

  test('is known, and not sent', () => {
    const observer = new StreamObserver()
    expect([...soFar, events.text('a')].map((one) => observer.observe(one))).toEqual([false, true])
    expect(observer.usage).toMatchObject({ promptTokens: 10, completionTokens: 1 })
    expect(observer).toMatchObject({
      usageInStandardField: false,
      withheldUsage: null,
      outputFollowedUsage: true,
    })
  })

  test('gives way to usage of the end', () => {
    const observer = new StreamObserver()
    const last = events.usage({ promptTokens: 10, completionTokens: 5 })
    for (const one of [...soFar, events.text('a'), events.finish('stop'), last, DONE_EVENT]) {
      observer.observe(one)
    }
    expect(observer.usage).toMatchObject({ completionTokens: 5 })
    expect(observer).toMatchObject({ usageInStandardField: true, outputFollowedUsage: false })
  })

  test('counts also if it follows an error', () => {
    const observer = new StreamObserver()
    observer.observe(errorEvent({ message: 'no' }))
    observer.observe(events.usage({ promptTokens: 10, completionTokens: 5 }))
    expect(observer.usage).toMatchObject({ completionTokens: 5 })
  })
})
