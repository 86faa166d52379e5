import { expect, test } from 'vitest'
import { GIFT_CODE_LENGTH } from '@tollgate/contract'
import { earnedFen, formatFen, inviteLink, missingFen } from './earnings.ts'

test('shows fen as yuan with both decimals', () => {
  expect(formatFen(0)).toBe('¥0.00')
  expect(formatFen(1_234_567)).toBe('¥12,345.67')
})

test('a friend who tops up $100 earns the inviter ¥2.50', () => {
  expect(formatFen(earnedFen(100))).toBe('¥2.50')
})

test('earnings are paid out from ¥100 on', () => {
  expect([0, 9999, 10_000, 10_001].map(missingFen)).toEqual([10_000, 1, 0, 0])
})

test('the gift code is the end of the invite link', () => {
  const link = inviteLink('https://api.example', 'abcXYZ12')
  expect(link).toBe('https://api.example/register?aff=abcXYZ12')
  expect(link.slice(-GIFT_CODE_LENGTH)).toBe('XYZ12')
})
