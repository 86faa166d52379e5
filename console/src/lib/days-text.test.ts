import { expect, test } from 'vitest'
import { daysText } from './days-text.ts'

test.each([
  [3.2, 'en', '3 days'],
  [1, 'en', '1 day'],
  [0.4, 'en', '10 hours'],
  [0.01, 'en', '1 hour'],
  [3, 'zh', '3 天'],
  [0, 'en', null],
  [null, 'en', null],
])('%s days in %s', (days, language, expected) => {
  expect(daysText(days, language)).toBe(expected)
})
