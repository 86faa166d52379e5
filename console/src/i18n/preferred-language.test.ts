import { expect, test } from 'vitest'
import { preferredLanguage } from './preferred-language.ts'

test("uses the stored language, else the browser's first supported one", () => {
  expect(preferredLanguage('en', ['zh-CN'])).toBe('en')
  expect(preferredLanguage(null, ['fr', 'zh-TW', 'en'])).toBe('zh')
  expect(preferredLanguage(null, ['en-GB', 'zh'])).toBe('en')
  expect(preferredLanguage('klingon', ['fr'])).toBe('en')
})
