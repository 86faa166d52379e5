import { expect, test } from 'vitest'
import { isInRanges } from './ip-ranges.ts'

test('ranges contain their own family only, and invalid ranges nothing', () => {
  expect(isInRanges('10.1.2.3', '10.0.0.0/8')).toBe(true)
  expect(isInRanges('::ffff:10.1.2.3', '192.168.0.0/16, 10.0.0.0/8')).toBe(true)
  expect(isInRanges('10.1.2.3', '10.1.2.3')).toBe(true)
  expect(isInRanges('2001:db8::1', '2001:db8::/32')).toBe(true)
  expect(isInRanges('2001:db8::1', '0.0.0.0/0')).toBe(false)
  expect(isInRanges('11.1.2.3', '10.0.0.0/8\n::/0')).toBe(false)
  for (const ranges of ['', ',', 'x', '10.0.0.0/99', '10.0.0.0/-1']) {
    expect(isInRanges('10.1.2.3', ranges)).toBe(false)
  }
  expect(isInRanges('x', '0.0.0.0/0')).toBe(false)
})
