import { expect, test } from 'vitest'
import { digitsOf, recoveryCodeOf } from './codes.ts'

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
