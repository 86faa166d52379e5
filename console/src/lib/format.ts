import { moneyDigits } from '@tollgate/contract'

export const NO_VALUE = '—'

/** Local time; a dash for 0, which means "not yet". */
export function formatTime(seconds: number): string {
  if (seconds === 0) return NO_VALUE
  const date = new Date(seconds * 1000)
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()]
  return `${day.map(twoDigits).join('-')} ${time.map(twoDigits).join(':')}`
}

const twoDigits = (number: number) => String(number).padStart(2, '0')

/** Parses a local date with optional time into epoch seconds. Null for an invalid date. */
export function parseTime(text: string): number | null {
  const match = /^(\d{4})-(\d{1,2})-(\d{1,2})(?:[ T](\d{1,2}):(\d{1,2})(?::(\d{1,2}))?)?$/.exec(
    text.trim(),
  )
  if (!match) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1)
    .map((part) => Number(part ?? 0))
  const date = new Date(year, month - 1, day, hour, minute, second)
  const isSame =
    date.getFullYear() === year &&
    date.getMonth() === month - 1 &&
    date.getDate() === day &&
    hour < 24 &&
    minute < 60 &&
    second < 60
  return isSame ? Math.floor(date.getTime() / 1000) : null
}

const RELATIVE_STEPS = [
  { unit: 'year', seconds: 31_536_000 },
  { unit: 'month', seconds: 2_592_000 },
  { unit: 'day', seconds: 86_400 },
  { unit: 'hour', seconds: 3600 },
  { unit: 'minute', seconds: 60 },
  { unit: 'second', seconds: 1 },
] as const

/** Memoizes formatters: creating one costs more than formatting every number in a table. */
function memoize<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const cache = new Map<Key, Made>()
  return (key) => {
    const known = cache.get(key) ?? make(key)
    cache.set(key, known)
    return known
  }
}

const relativeIn = memoize(
  (language: string) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
)

const listIn = memoize((language: string) => new Intl.ListFormat(language, { type: 'conjunction' }))

/** For example "A, B and C", in the given language. */
export const formatList = (names: readonly string[], language: string) =>
  spaceChinese(listIn(language).format(names))

const decimal = memoize(
  (digits: number) =>
    new Intl.NumberFormat('en-US', {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }),
)

/** With thousands separators and exactly `digits` decimals. */
export const formatDecimal = (value: number, digits: number) => decimal(digits).format(value)

const BESIDE_CHINESE = /([a-z\d])(?=\p{Script=Han})|(\p{Script=Han})(?=[a-z\d])/giu

/** Separates figures and Latin from Chinese, unlike the browser's texts: 3天 becomes 3 天. */
export const spaceChinese = (text: string) => text.replaceAll(BESIDE_CHINESE, '$& ')

/** For example "3 hours ago", in the given language. */
export function formatRelative(seconds: number, now: number, language: string): string {
  const distance = seconds - now
  const step = RELATIVE_STEPS.find((candidate) => Math.abs(distance) >= candidate.seconds)
  const { unit, seconds: length } = step ?? { unit: 'second', seconds: 1 }
  return spaceChinese(relativeIn(language).format(Math.trunc(distance / length), unit))
}

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 })

/** With thousands separators and at most 6 decimals. */
export const formatNumber = (value: number) => grouped.format(value)

const plain = new Intl.NumberFormat('en-US', { maximumFractionDigits: 20, useGrouping: false })

/** For fields: all digits without separators or an exponent, so that 1e-7 is 0.0000001. */
export const plainNumber = (value: number) => plain.format(value)

/** A count that would be rounded to a thousand of a unit has the next unit. */
const COUNT_STEPS = [
  { least: 999.95e6, unit: 1e9, suffix: 'B' },
  { least: 999.95e3, unit: 1e6, suffix: 'M' },
  { least: 1e4, unit: 1e3, suffix: 'k' },
] as const

/** 12345 becomes 12.3k; millions end in M, thousand millions in B. */
export function formatCount(value: number): string {
  const step = COUNT_STEPS.find(({ least }) => value >= least)
  return step ? `${(value / step.unit).toFixed(1)}${step.suffix}` : formatNumber(value)
}

export type MoneySettings = { quotaPerUnit: number; inCurrency: boolean }

export const MONEY_DIGITS = { list: 2, receipt: 6 } as const

/** With exactly `digits` decimals, or more for an amount that these would show as nothing. */
export function formatMoney(quota: number, quotaPerUnit: number, digits: number): string {
  const dollars = Math.abs(quota) / quotaPerUnit
  const isVisible = quota === 0 || dollars >= 10 ** -digits / 2
  const amount = formatDecimal(dollars, isVisible ? digits : moneyDigits(dollars))
  return quota < 0 ? `-$${amount}` : `$${amount}`
}

/** Dollars of lists: cents, or two significant digits of a small amount: $0.0041. */
export function formatDollars(quota: number, quotaPerUnit: number): string {
  const digits = moneyDigits(quota / quotaPerUnit)
  return formatMoney(quota, quotaPerUnit, digits).replace(/(\.\d\d+?)0+$/, '$1')
}

/** Digits that the largest amount of a list may have, so that the smallest does not widen it. */
const LIST_DIGITS_MAX = 6

function decimalsOf(quotas: readonly number[], quotaPerUnit: number): number {
  const most = Math.max(0, ...quotas.map(Math.abs)) / quotaPerUnit
  const wholeDigits = most < 1 ? 0 : Math.floor(Math.log10(most)) + 1
  const room = Math.max(MONEY_DIGITS.list, LIST_DIGITS_MAX - wholeDigits)
  const needed = quotas
    .map((quota) => formatDollars(quota, quotaPerUnit).replace(/^.*\./, '').length)
    .filter((decimals) => decimals <= room)
  return Math.max(MONEY_DIGITS.list, ...needed)
}

/**
 * Format for amounts below each other: all have the decimals of the smallest, as far as there is
 * room. An amount is never shown as nothing.
 */
export function amountsFormat(
  quotas: readonly number[],
  { quotaPerUnit, inCurrency }: MoneySettings,
): (quota: number) => string {
  if (!inCurrency) return formatNumber
  const decimals = decimalsOf(quotas, quotaPerUnit)
  const minVisible = quotaPerUnit / 10 ** decimals
  return (quota) => {
    if (quota === 0 || Math.abs(quota) >= minVisible) {
      return formatMoney(quota, quotaPerUnit, decimals)
    }
    return `${quota < 0 ? '>-' : '<'}${formatMoney(minVisible, quotaPerUnit, decimals)}`
  }
}

/** Format for lists: dollars when currency display is on, otherwise quota units. */
export function formatQuota(quota: number, { quotaPerUnit, inCurrency }: MoneySettings): string {
  return inCurrency ? formatDollars(quota, quotaPerUnit) : formatNumber(quota)
}

/** 84 ms stays 84 ms; 1900 ms becomes 1.90 s. */
export const formatDuration = (milliseconds: number) =>
  milliseconds < 1000 ? `${formatNumber(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(2)} s`

/** Remaining wait: 597700 ms becomes 9 min 58 s. */
export function formatWait(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Counts code points, so an emoji is not split. */
export function truncate(text: string, charactersMax: number): string {
  const characters = [...text]
  return characters.length <= charactersMax
    ? text
    : `${characters.slice(0, charactersMax).join('')}…`
}

export function maskKey(key: string): string {
  return `sk-${key.slice(0, 2)}…${key.slice(-2)}`
}

export function splitList(text: string, by: string | RegExp = ','): string[] {
  const parts = text.split(by).map((part) => part.trim())
  return [...new Set(parts)].filter((part) => part !== '')
}

/** A list as people type or paste it, with the commas of Chinese keyboards or in lines. */
export const typedList = (text: string) => splitList(text, /[,，\n]/)

/** What separates names of models that people type or paste. */
export const MODEL_SEPARATORS = [',', '，', '、', ';', '；', '\n']

export const typedModels = (text: string) =>
  splitList(text, new RegExp(`[${MODEL_SEPARATORS.join('')}]`))
