import { expect, test } from 'vitest'
import { shareText, successText, successTone } from './success.ts'

test('a failure is never rounded to success', () => {
  expect(successText({ requests: 100_000, failures: 1 })).toBe('99.9 %')
  expect(successText({ requests: 3, failures: 0 })).toBe('100.0 %')
  expect(successText({ requests: 2, failures: 1 })).toBe('50.0 %')
  expect(successText({ requests: 3, failures: 3 })).toBe('0.0 %')
  expect(successText({ requests: 0, failures: 0 })).toBe('—')
})

test('a share is neither rounded to all nor to none', () => {
  expect([1, 0.999_96, 0.57, 1 / 3, 0.0004, 0].map(shareText)).toEqual([
    '100 %',
    '99.9 %',
    '57 %',
    '33.3 %',
    '<0.1 %',
    '0 %',
  ])
})

test('a rate has a tone, and none without requests', () => {
  const tones = [0, 5, 6, 50, 51].map((failures) => successTone({ requests: 100, failures }))
  expect(tones).toEqual(['good', 'good', 'slow', 'slow', 'bad'])
  expect(successTone({ requests: 0, failures: 0 })).toBe('off')
})
