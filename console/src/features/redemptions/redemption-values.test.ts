import { expect, test } from 'vitest'
import { maskCode, newRedemptionValues, redemptionForm } from './redemption-values.ts'

const messagesOf = (values: object) =>
  redemptionForm
    .safeParse({ ...newRedemptionValues, ...values })
    .error?.issues.map(({ message }) => message)

test('a new code needs nothing but a name', () => {
  expect(newRedemptionValues).toMatchObject({ quota: 100_000, count: 1 })
  expect(messagesOf({})).toEqual(['redemption.form.nameError'])
  expect(messagesOf({ name: 'spring' })).toBeUndefined()
})

test('refuses a long name, a quota of zero and more codes than one call may create', () => {
  expect(messagesOf({ name: 'x'.repeat(21), quota: 0, count: 101 })).toEqual([
    'redemption.form.nameError',
    'redemption.form.quotaError',
    'redemption.form.countError',
  ])
  expect(messagesOf({ name: '  ', quota: 1.5, count: 0 })).toHaveLength(3)
})

test('shows too little of a code to redeem it', () => {
  expect(maskCode('0123456789abcdef0123456789abcdef')).toBe('0123…cdef')
})
