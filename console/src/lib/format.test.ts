import { expect, test } from 'vitest'
import {
  amountsFormat,
  formatCount,
  formatDuration,
  formatList,
  formatMoney,
  formatNumber,
  formatDollars,
  formatQuota,
  formatRelative,
  formatTime,
  formatWait,
  maskKey,
  parseTime,
  splitList,
  truncate,
} from './format.ts'

test('a formatted time is parsed to the same second', () => {
  const seconds = Math.floor(new Date(2026, 1, 28, 23, 59, 58).getTime() / 1000)
  expect(formatTime(seconds)).toBe('2026-02-28 23:59:58')
  expect(parseTime(formatTime(seconds))).toBe(seconds)
  expect(parseTime(' 2026-02-28 23:59 ')).toBe(seconds - 58)
  expect(parseTime('2026-03-01')).toBe(seconds + 2)
  expect(formatTime(0)).toBe('—')
})

test('refuses days and hours that do not exist instead of rolling over', () => {
  for (const text of [
    '',
    'tomorrow',
    '2026-02-30',
    '2026-13-01',
    '2026-01-01 24:00',
    '1e3-01-01',
  ]) {
    expect(parseTime(text)).toBeNull()
  }
})

test('abbreviates counts from ten thousand, a million and a thousand million', () => {
  const counts = [0, 9999, 10_000, 12_345, 1e6, 2.5e9].map(formatCount)
  expect(counts).toEqual(['0', '9,999', '10.0k', '12.3k', '1.0M', '2.5B'])
})

test('a count is never a thousand of its unit', () => {
  const counts = [999_949, 999_950, 999_999, 999_949_999, 999_950_000].map(formatCount)
  expect(counts).toEqual(['999.9k', '1.0M', '1.0M', '999.9M', '1.0B'])
})

test('shows a quota as dollars only with currency display on', () => {
  expect(formatQuota(1_234_567, { quotaPerUnit: 500_000, inCurrency: true })).toBe('$2.47')
  expect(formatQuota(1_234_567, { quotaPerUnit: 500_000, inCurrency: false })).toBe('1,234,567')
  expect(formatMoney(2052, 500_000, 6)).toBe('$0.004104')
  expect(formatMoney(-500_000, 500_000, 2)).toBe('-$1.00')
  expect(formatMoney(3, 10_000_000, 6)).toBe('$0.00000030')
  expect(formatNumber(1248.5)).toBe('1,248.5')
})

test('cuts by characters, not by UTF-16 units', () => {
  expect(truncate('123456789012345', 15)).toBe('123456789012345')
  expect(truncate('1234567890123456', 15)).toBe('123456789012345…')
  expect(truncate('😀😀😀', 2)).toBe('😀😀…')
})

test('shows elapsed time in the largest full unit', () => {
  expect(formatRelative(1000, 1000, 'en')).toBe('now')
  expect(formatRelative(1000 - 3 * 3600 - 59, 1000, 'en')).toBe('3 hours ago')
  expect(formatRelative(1000 + 86_400, 1000, 'en')).toBe('tomorrow')
  expect(formatRelative(1000 - 44, 1000, 'zh')).toBe('44 秒钟前')
  expect(formatRelative(1000 - 7 * 2_592_000, 1000, 'zh')).toBe('7 个月前')
})

test('lists names, with space between Chinese and Latin', () => {
  expect(formatList(['a', 'b'], 'en')).toBe('a and b')
  expect(formatList(['Client ID', '地址'], 'zh')).toBe('Client ID 和地址')
  expect(formatList(['地址', 'Client ID'], 'zh')).toBe('地址和 Client ID')
})

test('shows only the ends of a key', () => {
  expect(maskKey('abcdefghijkl9f')).toBe('sk-ab…9f')
})

test('reads a list without blanks and duplicates', () => {
  expect(splitList(' a, b,,a ')).toEqual(['a', 'b'])
  expect(splitList('')).toEqual([])
})

test('a small amount has two significant digits and is never shown as zero', () => {
  const settings = { quotaPerUnit: 500_000, inCurrency: true }
  const shown = [0, 1, 2052, 4999, 5000, 7400, 49_999, 50_000, 175_000, -3].map((quota) =>
    formatQuota(quota, settings),
  )
  expect(shown).toEqual([
    '$0.00',
    '$0.000002',
    '$0.0041',
    '$0.01',
    '$0.01',
    '$0.015',
    '$0.10',
    '$0.10',
    '$0.35',
    '-$0.000006',
  ])
  expect(formatQuota(3, { ...settings, inCurrency: false })).toBe('3')
})

test('short durations are shown in milliseconds', () => {
  expect([0, 84, 999, 1000, 1900].map(formatDuration)).toEqual([
    '0 ms',
    '84 ms',
    '999 ms',
    '1.00 s',
    '1.90 s',
  ])
})

test('a wait is shown in full seconds, and in minutes from the first minute on', () => {
  expect([1, 1000, 59_001, 60_000, 597_700].map(formatWait)).toEqual([
    '1 s',
    '1 s',
    '1 min 0 s',
    '1 min 0 s',
    '9 min 58 s',
  ])
})

test.each([
  [0.0041, '$0.0041'],
  [-0.000_000_5, '-$0.0000005'],
  [0, '$0.00'],
  [12.345, '$12.35'],
])('an amount of %f dollars, such as a margin, is never rounded to nothing', (dollars, text) => {
  expect(formatDollars(dollars, 1)).toBe(text)
})

test('amounts below each other have the decimals of the smallest', () => {
  const settings = { quotaPerUnit: 500_000, inCurrency: true }
  const shown = (...quotas: number[]) => quotas.map(amountsFormat(quotas, settings))
  expect(shown(1000, 2400, 0)).toEqual(['$0.0020', '$0.0048', '$0.0000'])
  expect(shown(1000, 20_000)).toEqual(['$0.002', '$0.040'])
  expect(shown(500_000, -7400)).toEqual(['$1.000', '-$0.015'])
  expect(shown(20_000_000, 250_000)).toEqual(['$40.00', '$0.50'])
  expect(shown()).toEqual([])
  expect([1000, 2400].map(amountsFormat([], { ...settings, inCurrency: false }))).toEqual([
    '1,000',
    '2,400',
  ])
})

test('small amounts below large ones are neither shown as nothing nor widen the list', () => {
  const settings = { quotaPerUnit: 500_000, inCurrency: true }
  const shown = (...quotas: number[]) => quotas.map(amountsFormat(quotas, settings))
  expect(shown(20_000_000, 3, -3)).toEqual(['$40.00', '<$0.01', '>-$0.01'])
  expect(shown(20_000_000, 2052, 3)).toEqual(['$40.0000', '$0.0041', '<$0.0001'])
  expect(shown(500_000_000, 3, 0)).toEqual(['$1,000.00', '<$0.01', '$0.00'])
})
