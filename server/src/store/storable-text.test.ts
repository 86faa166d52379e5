import { expect, test } from 'vitest'
import { storableText } from './storable-text.ts'

test('characters that a database would refuse are removed or replaced', () => {
  expect(storableText('a\0b', 10)).toBe('ab')
  expect(storableText('a\ud800', 10)).toBe('a\ufffd')
  expect(storableText('\udc00a', 10)).toBe('\ufffda')
  expect(storableText('猫🐈', 10)).toBe('猫🐈')
})

test('a cut through a surrogate pair leaves no half of it', () => {
  expect(storableText('a🐈b', 2)).toBe('a\ufffd')
  expect(storableText('x'.repeat(50), 7)).toBe('xxxxxxx')
})
