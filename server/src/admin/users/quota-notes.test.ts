import { expect, test } from 'vitest'
import { inviteeText, inviterText, quotaEditText, welcomeText } from './quota-notes.ts'

const money = { DisplayInCurrencyEnabled: true, QuotaPerUnit: 500_000 }
const units = { DisplayInCurrencyEnabled: false, QuotaPerUnit: 500_000 }

/** Scripts find log rows by the start of these texts. */
test('gifts are recorded in the wording of this family of gateways', () => {
  expect([
    welcomeText(units, 700).zh,
    inviteeText(units, 50).zh,
    inviterText(money, 250_000).zh,
    welcomeText(money, 250_000).en,
  ]).toEqual([
    '新用户注册赠送 700 点额度',
    '使用邀请码赠送 50 点额度',
    '邀请用户赠送 ＄0.500000 额度',
    'Gift for a new user: $0.500000',
  ])
})

test('a single unit is never nothing', () => {
  const fine = { ...money, QuotaPerUnit: 1_000_000_000 }
  expect(welcomeText(money, 1).en).toBe('Gift for a new user: $0.000002')
  expect(welcomeText(fine, 1).en).toBe('Gift for a new user: $0.000000001')
})

test('and so is an edit of a quota', () => {
  const edit = { before: 0, after: 250_000 }
  expect(quotaEditText(money, edit).zh).toBe(
    '管理员将用户额度从 ＄0.000000 额度修改为 ＄0.500000 额度',
  )
  expect(quotaEditText(units, edit).en).toBe(
    'An administrator changed the quota from 0 units to 250000 units',
  )
})
