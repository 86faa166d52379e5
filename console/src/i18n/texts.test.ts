import { afterEach, expect, test, vi } from 'vitest'
import {
  addTexts,
  currentLanguage,
  joinNames,
  onLanguage,
  showLanguage,
  t,
  TRANSLATE,
} from './texts.ts'
import type { TextKey } from './types.ts'

// Safe because the tests bring texts of their own.
const key = (name: string) => `planted.${name}` as TextKey

afterEach(() => showLanguage('en'))

addTexts('planted', {
  en: {
    name: 'Hello {{name}}',
    rows_one: '{{count}} row',
    rows_other: '{{count}} rows',
    only: 'E',
    share: '{{percent}} % more',
  },
  zh: { name: '{{name}}，你好', rows_one: '{{count}} 行', rows_other: '{{count}} 行' },
})

test('fills placeholders with values, which are no templates themselves', () => {
  expect(t(key('name'), { name: '{{name}} $& $t(planted.only)' })).toBe(
    'Hello {{name}} $& $t(planted.only)',
  )
  expect(t(key('name'))).toBe('Hello ')
  expect(t(key('share'), { percent: 5 })).toBe('5\u00A0% more')
  expect(t(key('name'), { name: '5 %' })).toBe('Hello 5\u00A0%')
})

test('chooses the form of a number by the language', () => {
  expect([0, 1, 2].map((count) => t(key('rows'), { count }))).toEqual(['0 rows', '1 row', '2 rows'])
  expect(TRANSLATE.zh(key('rows'), { count: 1 })).toBe('1 行')
  expect(t(key('rows'), { count: 12_345 })).toBe('12,345 rows')
  expect(t(key('name'), { name: 12_345 })).toBe('Hello 12345')
})

test('separates names as the language does', () => {
  expect(joinNames(['text', 'PDF'])).toBe('text, PDF')
  showLanguage('zh')
  expect(joinNames(['文本', 'PDF'])).toBe('文本、PDF')
})

test('shows English where a text is missing, and the key where no text is', () => {
  expect(TRANSLATE.zh(key('only'))).toBe('E')
  expect(t(key('nothing'))).toBe('planted.nothing')
  expect(t(key('name.more'))).toBe('planted.name.more')
})

test('tells listeners about another language, once', () => {
  const listener = vi.fn<() => void>()
  const stop = onLanguage(listener)
  showLanguage('zh')
  showLanguage('zh')
  expect(t(key('name'), { name: 'Ann' })).toBe('Ann，你好')
  expect(currentLanguage()).toBe('zh')
  expect(listener).toHaveBeenCalledTimes(1)
  stop()
  showLanguage('en')
  expect(listener).toHaveBeenCalledTimes(1)
})
