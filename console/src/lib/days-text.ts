import { spaceChinese } from './format.ts'

const HOURS_PER_DAY = 24

/** Text such as "3 days", or hours for less than a day. Null without a forecast, and for 0. */
export function daysText(days: number | null, language: string): string | null {
  if (days === null || days === 0) return null
  const [unit, value] =
    days >= 1
      ? (['day', Math.round(days)] as const)
      : (['hour', Math.max(1, Math.round(days * HOURS_PER_DAY))] as const)
  const style = { style: 'unit', unit, unitDisplay: 'long' } as const
  return spaceChinese(new Intl.NumberFormat(language, style).format(value))
}
