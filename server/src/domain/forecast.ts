export const FORECAST_HOURS = 7 * 24

/** With less use than this, a rate says little. */
const AGE_HOURS_MIN = 24
const USED_HOURS_MIN = 3

/** A forecast for longer than this says nothing. */
const DAYS_MAX = 365

export type Spend = {
  /** Spent in the last `FORECAST_HOURS`, in the unit of the balance. */
  readonly spent: number
  /** Number of these hours with any use. */
  readonly usedHours: number
}

/**
 * How many days a balance lasts at the average rate of the last seven days, or of the days since
 * the account was created if these are fewer. Null where there is too little use to say.
 */
export function daysLeft({
  balance,
  spend: { spent, usedHours },
  ageHours,
}: {
  balance: number
  spend: Spend
  ageHours: number
}): number | null {
  if (ageHours < AGE_HOURS_MIN || usedHours < USED_HOURS_MIN || spent <= 0) return null
  const perHour = spent / Math.min(FORECAST_HOURS, ageHours)
  const days = Math.max(0, balance) / perHour / 24
  return days > DAYS_MAX ? null : Math.round(days * 10) / 10
}
