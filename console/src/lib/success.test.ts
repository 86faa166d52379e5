import { expect, test } from 'vitest'
import { successText, successTone } from './success.ts'

test('a failure is never rounded to success', () => {
  expect(successText({ requests: 100_000, failures: 1 })).toBe('99.9 %')
  expect(successText({ requests: 3, failures: 0 })).toBe('100.0 %')
  expect(successText({ requests: 2, failures: 1 })).toBe('50.0 %')
  expect(successText({ requests: 3, failures: 3 })).toBe('0.0 %')
  expect(successText({ requests: 0, failures: 0 })).toBe('—')
})

test('a rate has a tone, and none without requests', () => {
  const tones = [0, 5, 6, 50, 51].map((failures) => successTone({ requests: 100, failures }))
  expect(tones).toEqual(['good', 'good', 'slow', 'slow', 'bad'])
  expect(successTone({ requests: 0, failures: 0 })).toBe('off')
})
