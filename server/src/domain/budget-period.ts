import type { BudgetPeriod, Seconds } from '@tollgate/contract'

const DAY_SECONDS = 86_400
const DAYS_PER_WEEK = 7
const DAYS_PER_MONTH_MAX = 31
/** The epoch was a Thursday. */
const DAYS_SINCE_MONDAY = 3

/** When the period after the one that contains `at` begins. */
export function nextPeriodStart(period: BudgetPeriod, at: Seconds): Seconds {
  // Adding this many days to a period's start always lands in the next period.
  const maxDays = { day: 1, week: DAYS_PER_WEEK, month: DAYS_PER_MONTH_MAX } as const
  return periodStart(period, periodStart(period, at) + maxDays[period] * DAY_SECONDS)
}

/** When the period that contains `at` begins. Periods are in UTC; weeks begin on Monday. */
export function periodStart(period: BudgetPeriod, at: Seconds): Seconds {
  const day = Math.floor(at / DAY_SECONDS)
  switch (period) {
    case 'day':
      return day * DAY_SECONDS
    case 'week':
      return (day - ((day + DAYS_SINCE_MONDAY) % DAYS_PER_WEEK)) * DAY_SECONDS
    case 'month': {
      const date = new Date(at * 1000)
      return Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) / 1000
    }
  }
}
