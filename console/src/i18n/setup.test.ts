import { expect, test } from 'vitest'
import { preferredLanguage } from './setup.ts'

test('takes what was chosen before, else the first language of the browser that we have', () => {
  expect(preferredLanguage('en', ['zh-CN'])).toBe('en')
  expect(preferredLanguage(null, ['fr', 'zh-TW', 'en'])).toBe('zh')
  expect(preferredLanguage(null, ['en-GB', 'zh'])).toBe('en')
  expect(preferredLanguage('klingon', ['fr'])).toBe('en')
})
