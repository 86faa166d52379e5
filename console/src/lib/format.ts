export const NO_VALUE = '—'

/** Local time; a dash for 0, which stands for "not yet". */
export function formatTime(seconds: number): string {
  if (seconds === 0) return NO_VALUE
  const date = new Date(seconds * 1000)
  const day = [date.getFullYear(), date.getMonth() + 1, date.getDate()]
  const time = [date.getHours(), date.getMinutes(), date.getSeconds()]
  return `${day.map(twoDigits).join('-')} ${time.map(twoDigits).join(':')}`
}

const twoDigits = (number: number) => String(number).padStart(2, '0')

/** Epoch seconds of a local time, whole or without its end; null when it is no such time. */
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

/** A formatter takes longer to make than all the numbers of a table to format: each is made once. */
function once<Key, Made>(make: (key: Key) => Made): (key: Key) => Made {
  const made = new Map<Key, Made>()
  return (key) => {
    const known = made.get(key) ?? make(key)
    made.set(key, known)
    return known
  }
}

const relativeIn = once(
  (language: string) => new Intl.RelativeTimeFormat(language, { numeric: 'auto' }),
)

const decimal = once(
  (digits: number) =>
    new Intl.NumberFormat('en-US', {
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    }),
)

/** Thousands separators, and so many decimals. */
export const formatDecimal = (value: number, digits: number) => decimal(digits).format(value)

/** "3 hours ago", in the words of the language. */
export function formatRelative(seconds: number, now: number, language: string): string {
  const distance = seconds - now
  const step = RELATIVE_STEPS.find((candidate) => Math.abs(distance) >= candidate.seconds)
  const { unit, seconds: length } = step ?? { unit: 'second', seconds: 1 }
  return relativeIn(language).format(Math.trunc(distance / length), unit)
}

const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 6 })

/** Thousands separators. */
export const formatNumber = (value: number) => grouped.format(value)

const COUNT_STEPS = [
  { least: 1e9, unit: 1e9, suffix: 'B' },
  { least: 1e6, unit: 1e6, suffix: 'M' },
  { least: 1e4, unit: 1e3, suffix: 'k' },
] as const

/** 12 345 reads 12.3k; from a million M, from a thousand million B. */
export function formatCount(value: number): string {
  const step = COUNT_STEPS.find(({ least }) => value >= least)
  return step ? `${(value / step.unit).toFixed(1)}${step.suffix}` : String(value)
}

export type MoneySettings = { quotaPerUnit: number; inCurrency: boolean }

export const MONEY_DIGITS = { list: 2, receipt: 6 } as const

/** A quota as dollars. */
export function formatMoney(quota: number, quotaPerUnit: number, digits: number): string {
  const amount = formatDecimal(Math.abs(quota) / quotaPerUnit, digits)
  return quota < 0 ? `-$${amount}` : `$${amount}`
}

/** A quota as lists show it: dollars with currency display on, units otherwise. */
export function formatQuota(quota: number, { quotaPerUnit, inCurrency }: MoneySettings): string {
  return inCurrency ? formatMoney(quota, quotaPerUnit, MONEY_DIGITS.list) : formatNumber(quota)
}

/** As `formatQuota`, but a sum that is not nothing never reads $0.00. */
export function formatTotal(quota: number, settings: MoneySettings): string {
  const { inCurrency, quotaPerUnit } = settings
  const isSmall = quota !== 0 && Math.abs(quota) < quotaPerUnit / 100
  return inCurrency && isSmall
    ? formatMoney(quota, quotaPerUnit, MONEY_DIGITS.receipt)
    : formatQuota(quota, settings)
}

/** 843 ms reads 0.84 s. */
export const formatDuration = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`

/** 84 ms reads 84 ms, and 1900 ms 1.90 s. */
export const formatSpan = (milliseconds: number) =>
  milliseconds < 1000 ? `${milliseconds} ms` : formatDuration(milliseconds)

/** What is still to be waited for: 597 700 ms reads 9 min 58 s. */
export function formatWait(milliseconds: number): string {
  const seconds = Math.ceil(milliseconds / 1000)
  return seconds < 60 ? `${seconds} s` : `${Math.floor(seconds / 60)} min ${seconds % 60} s`
}

/** Cuts after so many characters and says so with an ellipsis. */
export function truncate(text: string, charactersMax: number): string {
  const characters = [...text]
  return characters.length <= charactersMax
    ? text
    : `${characters.slice(0, charactersMax).join('')}…`
}

/** The beginning and the end of a key, enough to tell it from others. */
export function maskKey(key: string): string {
  return `sk-${key.slice(0, 2)}…${key.slice(-2)}`
}

/** Comma-separated text as a list without blanks and doubles. */
export function splitList(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim())
  return [...new Set(parts)].filter((part) => part !== '')
}
