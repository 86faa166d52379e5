import { expect, test } from 'vitest'
import { errorText } from './app-error.ts'
import { type ErrorCode, ERRORS } from './errors.ts'

test('both texts of an error have the same placeholders', () => {
  const names = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted().join()
  const uneven = Object.entries(ERRORS).filter(([, { en, zh }]) => names(en) !== names(zh))
  expect(uneven.map(([code]) => code)).toEqual([])
})

test("a parameter with a text in both languages is shown in the reader's", () => {
  const text = (code: ErrorCode, language: 'en' | 'zh') =>
    errorText(code, { provider: { en: 'WeChat', zh: '微信' } }, language)
  expect(text('identity_taken', 'en')).toBe('This WeChat account is bound to another user.')
  expect(text('identity_taken', 'zh')).toBe('该第三方账户（微信）已被其他用户绑定。')
})
