import { expect, test } from 'vitest'
import { optionValueText } from './option-value.ts'

const DOLLARS = { quotaPerUnit: 500_000, inCurrency: true }
const UNITS = { quotaPerUnit: 500_000, inCurrency: false }

test.each([
  ['QuotaForNewUser', '250000', DOLLARS, '$0.50'],
  ['QuotaForNewUser', '250000', UNITS, '250,000'],
  ['QuotaRemindThreshold', '1000', DOLLARS, '$0.002'],
  ['RetryTimes', '250000', DOLLARS, '250000'],
  ['AnOptionOfAnOlderVersion', '250000', DOLLARS, '250000'],
  ['QuotaForNewUser', '', DOLLARS, '—'],
  ['EmptyAnswers', 'free', DOLLARS, 'charge nothing'],
])('the history shows %s %s as its editor does', (key, value, money, text) => {
  expect(optionValueText(key, value, money)).toBe(text)
})
