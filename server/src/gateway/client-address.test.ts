import { expect, test } from 'vitest'
import { isInRanges } from './client-address.ts'

test('an address is in a range of its own family, also when the socket shows it mapped', () => {
  expect(isInRanges('10.1.2.3', '10.0.0.0/8')).toBe(true)
  expect(isInRanges('::ffff:10.1.2.3', '192.168.0.0/16, 10.0.0.0/8')).toBe(true)
  expect(isInRanges('11.1.2.3', '10.0.0.0/8\n::/0')).toBe(false)
  expect(isInRanges('2001:db8::1', '2001:db8::/32')).toBe(true)
  expect(isInRanges('10.1.2.3', '10.1.2.3')).toBe(true)
})

test('what is no address or no range is in nothing', () => {
  for (const ranges of ['', ',', 'nonsense', '10.0.0.0/99', '10.0.0.0/-1']) {
    expect(isInRanges('10.1.2.3', ranges)).toBe(false)
  }
  expect(isInRanges('nonsense', '0.0.0.0/0')).toBe(false)
})
