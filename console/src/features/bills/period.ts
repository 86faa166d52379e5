export const RANGES = ['7d', '30d', 'month', 'last'] as const

export type Range = (typeof RANGES)[number]

export type Period = { start_timestamp: number; end_timestamp: number }

const DAY = 86_400
const DAYS: Readonly<Record<'7d' | '30d', number>> = { '7d': 7, '30d': 30 }

/** Whole days in UTC, because most vendors bill by them. */
export function periodOf(range: Range, now: Date): Period {
  const seconds = (year: number, month: number, day: number) => Date.UTC(year, month, day) / 1000
  const [year, month, day] = [now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate()]
  const tomorrow = seconds(year, month, day) + DAY
  if (range === 'month')
    return { start_timestamp: seconds(year, month, 1), end_timestamp: tomorrow }
  if (range === 'last') {
    return {
      start_timestamp: seconds(year, month - 1, 1),
      end_timestamp: seconds(year, month, 1),
    }
  }
  return { start_timestamp: tomorrow - DAYS[range] * DAY, end_timestamp: tomorrow }
}

/** `2026-11-20`, or with the hour for spans shorter than a day. */
export function spanText({ start, end }: { start: number; end: number }): string {
  const iso = (seconds: number) => new Date(seconds * 1000).toISOString()
  if (end - start >= DAY) {
    const [first, last] = [iso(start).slice(0, 10), iso(end - 1).slice(0, 10)]
    return first === last ? first : `${first} – ${last}`
  }
  return `${iso(start).slice(0, 16).replace('T', ' ')}`
}
