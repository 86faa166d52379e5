import { expect, test } from 'vitest'
import { shareText, toneOf } from './shares.ts'

test('a day is good from 99 %, degraded from 90 %, and has no tone without requests', () => {
  expect([1, 0.99, 0.9899, 0.9, 0.8999, 0, null].map(toneOf)).toEqual([
    'good',
    'good',
    'slow',
    'slow',
    'bad',
    'bad',
    'none',
  ])
})

test('a share has at most two decimals', () => {
  expect([1, 0.9998, 0.75, 0].map(shareText)).toEqual(['100 %', '99.98 %', '75 %', '0 %'])
})
