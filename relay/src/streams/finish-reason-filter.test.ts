import { expect, test } from 'vitest'
import type { FinishReason } from '../form/answer.ts'
import { FinishReasonFilter } from './finish-reason-filter.ts'

type Event = { words?: true; reason?: FinishReason }

const words = { words: true } as const
const stop = { reason: 'stop' } as const
const stopped = { ...words, ...stop }
const length = { reason: 'length' } as const

/** Reasons emitted with each event, and at the end. */
function told(events: readonly Event[], options = {}) {
  const held = new FinishReasonFilter()
  const steps = events.map(({ words: speaks, reason }) => {
    if (speaks) held.noteContent()
    return reason === undefined ? null : held.accept(reason, options)
  })
  return { held, steps: [...steps, held.end()] }
}

test.each<[string, Event[], (FinishReason | null)[]]>([
  ['at once behind words', [words, stop], [null, 'stop', null]],
  ['at once with words', [stopped], ['stop', null]],
  ['at once if it explains a missing output', [length], ['length', null]],
  ['at the end where it is empty', [stop], [null, 'stop']],
  ['at the end where words follow', [stop, words], [null, null, 'stop']],
  ['once more where it comes again', [words, stop, length], [null, 'stop', 'length', null]],
  ['once where it comes twice', [words, stop, stop], [null, 'stop', null, null]],
  ['again at the end where it was none', [stopped, words], ['stop', null, 'stop']],
  ['as the last of many', [stopped, { ...words, ...length }], ['stop', null, 'length']],
  ['never where there is none', [words], [null, null]],
])('is passed on %s', (_when, events, expected) => {
  expect(told(events).steps).toEqual(expected)
})

test('is passed on at once on request, though it may prove invalid', () => {
  const { held, steps } = told([stop, words, length], { atOnce: true })
  expect(steps).toEqual(['stop', null, 'length', 'length'])
  expect(held).toMatchObject({ hasReason: true, isSettled: false })
})

test('may be interpreted differently at the end', () => {
  const { held } = told([stopped, words])
  expect(held.end('tool_calls')).toBe('tool_calls')
})

test('is final once passed on after text, until more text follows', () => {
  const { held } = told([words, stop])
  expect(held.isSettled).toBe(true)
  held.noteContent()
  expect(held.isSettled).toBe(false)
  expect(told([length]).held.isSettled).toBe(false)
})
