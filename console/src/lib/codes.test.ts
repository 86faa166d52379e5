import { expect, test } from 'vitest'
import { digitsOf, pastedCode, recoveryCodeOf, visibleText } from './codes.ts'

test('a code is its six digits, however it is typed or pasted', () => {
  for (const text of [
    '123456',
    ' 123 456 ',
    '123-456',
    '１２３４５６',
    'Your code: 123456.',
    '1234567',
  ]) {
    expect(digitsOf(text)).toBe('123456')
  }
  expect(digitsOf('12a')).toBe('12')
  expect(digitsOf('')).toBe('')
})

test('a recovery code loses what a keyboard or a copy adds around it', () => {
  expect(recoveryCodeOf('  7kq2-m9xd\n')).toBe('7kq2-m9xd')
  expect(recoveryCodeOf('７ｋｑ２－ｍ９ｘｄ')).toBe('7kq2-m9xd')
})

test('a pasted code or key loses the invisible characters of its source', () => {
  expect(pastedCode('\ufeff ab\u200bcd ef\n')).toBe('abcdef')
  expect(visibleText('a\u200b b\u2060\n\ufeffc')).toBe('a b\nc')
})
