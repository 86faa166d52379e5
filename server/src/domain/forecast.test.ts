import { expect, test } from 'vitest'
import { daysLeft } from './forecast.ts'

const week = { spent: 700, usedHours: 50 }

test.each([
  ['a week of use', { balance: 300, spend: week, ageHours: 1000 }, 3],
  ['an account of two days', { balance: 700, spend: week, ageHours: 48 }, 2],
  ['a used-up balance', { balance: -5, spend: week, ageHours: 1000 }, 0],
  ['part of a day', { balance: 25, spend: week, ageHours: 1000 }, 0.3],
  ['an account of today', { balance: 300, spend: week, ageHours: 23 }, null],
  ['two hours of use', { balance: 300, spend: { spent: 700, usedHours: 2 }, ageHours: 1000 }, null],
  ['no costs', { balance: 300, spend: { spent: 0, usedHours: 50 }, ageHours: 1000 }, null],
  ['years', { balance: 40_000, spend: week, ageHours: 1000 }, null],
])('%s', (_, input, expected) => {
  expect(daysLeft(input)).toBe(expected)
})
