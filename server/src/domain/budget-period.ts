import { type BudgetPeriod, momentAt, type Seconds, UTC, wallTime } from '@tollgate/contract'

const DAY_SECONDS = 86_400
const DAYS_PER_WEEK = 7
const DAYS_PER_MONTH_MAX = 31
/** The epoch was a Thursday. */
const DAYS_SINCE_MONDAY = 3

const DAYS_MAX = { day: 1, week: DAYS_PER_WEEK, month: DAYS_PER_MONTH_MAX } as const
/** A day on which clocks are set back is longer. */
const HALF_DAY = DAY_SECONDS / 2

/** When the period after the one that contains `at` begins. */
export function nextPeriodStart(period: BudgetPeriod, at: Seconds, zone: string = UTC): Seconds {
  // Adding this many days to a period's start always lands in the next period.
  const inNext = periodStart(period, at, zone) + DAYS_MAX[period] * DAY_SECONDS + HALF_DAY
  return periodStart(period, inNext, zone)
}

/** Whether a period may have begun at `start`, in any time zone, and may run at `at`. */
export const mayRun = (period: BudgetPeriod, start: Seconds, at: Seconds): boolean =>
  start - CLOCK_DIFFERENCE_MAX <= at &&
  at < start + DAYS_MAX[period] * DAY_SECONDS + CLOCK_CHANGE_MAX &&
  Math.abs(startInUtc(period, start + OFFSET_MAX) - start) <= OFFSET_MAX

/** Clocks differ from UTC by at most so many seconds. */
const OFFSET_MAX = 14 * 3600
/** No zone sets its clocks back by more. */
const CLOCK_CHANGE_MAX = 3600
/** More than the clocks of two machines may differ. */
export const CLOCK_DIFFERENCE_MAX = 3600

/**
 * When the period that contains `at` begins, at midnight of an IANA time zone. Weeks begin on
 * Monday.
 */
export const periodStart = (period: BudgetPeriod, at: Seconds, zone: string = UTC): Seconds =>
  momentAt(zone, startInUtc(period, wallTime(zone, at)))

function startInUtc(period: BudgetPeriod, at: Seconds): Seconds {
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
