import { expect, test } from 'vitest'
import type { FinishReason } from '../form/answer.ts'
import { FinishReasonFilter } from './finish-reason-filter.ts'

type Event = { words?: true; reason?: FinishReason }

const words = { words: true } as const

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
  ['at once behind words', [words, { reason: 'stop' }], [null, 'stop', null]],
  ['at once with words', [{ ...words, reason: 'stop' }], ['stop', null]],
  ['at once if it explains a missing output', [{ reason: 'length' }], ['length', null]],
  ['at the end where it is empty', [{ reason: 'stop' }], [null, 'stop']],
  ['at the end where words follow', [{ reason: 'stop' }, words], [null, null, 'stop']],
  [
    'once more where it comes again',
    [words, { reason: 'stop' }, { reason: 'length' }],
    [null, 'stop', 'length', null],
  ],
  [
    'once where it comes twice',
    [words, { reason: 'stop' }, { reason: 'stop' }],
    [null, 'stop', null, null],
  ],
  [
    'again at the end where it was none',
    [{ ...words, reason: 'stop' }, words],
    ['stop', null, 'stop'],
  ],
  [
    'as the last of many',
    [
      { ...words, reason: 'stop' },
      { ...words, reason: 'length' },
    ],
    ['stop', null, 'length'],
  ],
  ['never where there is none', [words], [null, null]],
])('is passed on %s', (_when, events, expected) => {
  expect(told(events).steps).toEqual(expected)
})

test('is passed on at once on request, though it may prove invalid', () => {
  const { held, steps } = told([{ reason: 'stop' }, words, { reason: 'length' }], { atOnce: true })
  expect(steps).toEqual(['stop', null, 'length', 'length'])
  expect(held).toMatchObject({ hasReason: true, isSettled: false })
})

test('may be interpreted differently at the end', () => {
  const { held } = told([{ ...words, reason: 'stop' }, words])
  expect(held.end('tool_calls')).toBe('tool_calls')
})

test('is final once passed on after text, until more text follows', () => {
  const { held } = told([words, { reason: 'stop' }])
  expect(held.isSettled).toBe(true)
  held.noteContent()
  expect(held.isSettled).toBe(false)
  expect(told([{ reason: 'length' }]).held.isSettled).toBe(false)
})
