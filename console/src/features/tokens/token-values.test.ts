import { expect, test } from 'vitest'
import { draftOf, newTokenValues, tokenForm } from './token-values.ts'

test('sends an empty expiry as never and a local time as its seconds', () => {
  expect(draftOf(newTokenValues).expired_time).toBe(-1)
  const expires = '2030-01-02 03:04:05'
  const seconds = Math.floor(new Date(2030, 0, 2, 3, 4, 5).getTime() / 1000)
  expect(draftOf({ ...newTokenValues, expires }).expired_time).toBe(seconds)
})

test('refuses an invalid expiry, a missing name and a fraction of quota', () => {
  const bad = { ...newTokenValues, name: '', expires: '2030-13-01', remain_quota: 1.5 }
  const issues = tokenForm.safeParse(bad).error?.issues.map((issue) => issue.message)
  expect(issues).toEqual([
    'token.form.nameError',
    'token.form.remainError',
    'token.form.expiresError',
  ])
})

test('a budget is sent if there is a period, and must then be above zero', () => {
  const none = { ...newTokenValues, name: 'laptop', budget_quota: 0 }
  expect(tokenForm.safeParse(none).success).toBe(true)
  const daily = { ...none, budget_period: 'day' as const }
  const [issue] = tokenForm.safeParse(daily).error?.issues ?? []
  expect([issue?.path, issue?.message]).toEqual([['budget_quota'], 'token.form.budgetError'])
  expect(draftOf({ ...daily, budget_quota: 5 })).toMatchObject({
    budget_period: 'day',
    budget_quota: 5,
  })
  expect(draftOf(newTokenValues)).toMatchObject({ budget_period: '', budget_quota: 0 })
})

test('has different errors for an empty and a long name', () => {
  const messageOf = (name: string) =>
    tokenForm.safeParse({ ...newTokenValues, name }).error?.issues[0]?.message
  expect(messageOf('')).toBe('token.form.nameError')
  expect(messageOf('n'.repeat(31))).toBe('token.form.nameLong')
  expect(messageOf('n'.repeat(30))).toBeUndefined()
})

test('ranges may be separated in any usual way', () => {
  const subnet = '10.0.0.0/8，192.168.1.1\n 2001:db8::/32; 127.0.0.1'
  expect(draftOf({ ...newTokenValues, subnet }).subnet).toBe(
    '10.0.0.0/8,192.168.1.1,2001:db8::/32,127.0.0.1',
  )
  expect(draftOf(newTokenValues).subnet).toBe('')
})
