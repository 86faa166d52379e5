import { expect, test } from 'vitest'
import { changeText } from './change-text.ts'

test('a change has a sign, and none where it rounds to nothing', () => {
  expect(changeText(112, 100)).toBe('+12 %')
  expect(changeText(50, 100)).toBe('-50 %')
  expect(changeText(99.9, 100)).toBe('0 %')
  expect(changeText(-50, -100)).toBe('+50 %')
})

test('a change by far is a multiple, or a bound where the sign changes', () => {
  expect(changeText(1099, 100)).toBe('+999 %')
  expect(changeText(1100, 100)).toBe('×11')
  expect(changeText(2_470_323, 100)).toBe('×24,703')
  expect(changeText(5000, -100)).toBe('> +999 %')
  expect(changeText(-5000, 100)).toBe('< -999 %')
  expect(changeText(-5000, -100)).toBe('< -999 %')
})

test('a change needs something to compare with', () => {
  expect(changeText(1, 0)).toBeNull()
  expect(changeText(1, null)).toBeNull()
  expect(changeText(null, 1)).toBeNull()
})
