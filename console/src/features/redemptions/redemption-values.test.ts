import { expect, test } from 'vitest'
import { draftOf, newRedemptionValues, redemptionForm } from './redemption-values.ts'

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

test('a code may expire, but not in the past', () => {
  const named = { name: 'spring' }
  expect(messagesOf({ ...named, expires: '2999-01-01 00:00:00' })).toBeUndefined()
  for (const expires of ['2020-01-01 00:00:00', 'tomorrow']) {
    expect(messagesOf({ ...named, expires })).toEqual(['redemption.form.expiresError'])
  }
  const later = { ...newRedemptionValues, ...named, expires: '2999-01-01' }
  expect(draftOf(later).expired_time).toBe(new Date(2999, 0, 1).getTime() / 1000)
  expect(draftOf({ ...later, expires: ' ' }).expired_time).toBe(0)
})
