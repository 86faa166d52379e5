import { expect, test } from 'vitest'
import { testState } from './response-time.ts'

const passed = (response_time: number) => testState({ test_outcome: 'passed', response_time })

test('changes colour at one, three and five seconds, each bound included in the better colour', () => {
  const tones = [1, 4, 1000, 1001, 3000, 5000, 5001].map((time) => passed(time))
  expect(tones.map(({ tone }) => tone)).toEqual([
    'good',
    'good',
    'good',
    'olive',
    'olive',
    'slow',
    'bad',
  ])
  expect(tones.every(({ word }) => word === null)).toBe(true)
})

test('a test that did not pass shows a word, whatever the time of an earlier test', () => {
  const words = (['', 'failed', 'untestable'] as const).map(
    (test_outcome) => testState({ test_outcome, response_time: 900 }).word,
  )
  expect(words).toEqual(['untested', 'testFailed', 'untestable'])
})
