import { expect, test } from 'vitest'
import { errorText } from './app-error.ts'
import { AT_FIELD } from './at-field.ts'
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

const LANGUAGES = ['en', 'zh'] as const
/** The API's name of a field, which a form does not show. */
const NAMES_FIELD = /\{field\}|field "\w+"|字段“/

test('at the field of a form, no error says the name that the field has in the API', () => {
  const sayingAt = (code: string) =>
    Object.entries(AT_FIELD).find(([name]) => name === code)?.[1] ?? null
  const named = Object.entries(ERRORS).filter(
    ([code, texts]) =>
      code !== 'invalid_field' &&
      LANGUAGES.some((language) => NAMES_FIELD.test((sayingAt(code) ?? texts)[language])),
  )
  expect(named.map(([code]) => code)).toEqual([])
})

test('what is said at a field has placeholders of its error alone, the same in both languages', () => {
  const names = (text: string) => (text.match(/\{\w+\}/g) ?? []).toSorted()
  for (const [code, texts] of Object.entries(AT_FIELD)) {
    const known = Object.entries(ERRORS).find(([name]) => name === code)?.[1].en ?? ''
    expect(names(known), code).toEqual(expect.arrayContaining(names(texts.en)))
    expect(names(texts.en), code).toEqual(names(texts.zh))
  }
})
