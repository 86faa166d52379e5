import { z } from 'zod'
import { rule } from './problem.ts'

/** Quota units are integers; `QuotaPerUnit` (500 000) of them are one US dollar. */
export const QUOTA_MAX = 1_000_000_000_000_000

export const quota = z.int().min(0).max(QUOTA_MAX)

/** Idempotency key of the caller: the change is applied once, however often it is sent. */
export const repeatId = z.string().trim().min(1).max(100)

/**
 * An edit with an id must give the balance it is based on. Otherwise a repeated edit would mean a
 * different amount.
 */
export const hasSeenQuota = (edit: {
  edit_id?: string | undefined
  quota_seen?: number | undefined
}) => edit.edit_id === undefined || edit.quota_seen !== undefined

export const SEEN_QUOTA_RULE = {
  ...rule('must come with edit_id', '须与 edit_id 一同提交'),
  path: ['quota_seen'],
}

/** The last second of the year 9999. */
export const SECONDS_MAX = 253_402_300_799

/** Epoch seconds. */
export const seconds = z.int().min(0).max(SECONDS_MAX)

export const milliseconds = z.int().min(0)

/**
 * Price factor. A model ratio of 1 is $2 per million tokens; every other ratio is a plain
 * multiplier.
 */
export const ratio = z.number().min(0).max(1_000_000)

/** Digits of a number that are no error of floating-point arithmetic. */
const EXACT_DIGITS = 15

/** Whether a number has at most this many decimals; 0.1 + 0.2 has one. */
export function hasDecimals(value: number, decimals: number): boolean {
  const exact = Number(value.toPrecision(EXACT_DIGITS))
  return Number(exact.toFixed(decimals)) === exact
}

/** Charges use nine decimals of a ratio. */
export const RATIO_DECIMALS = 9

export const roundedRatio = (value: number) =>
  Math.round(value * 10 ** RATIO_DECIMALS) / 10 ** RATIO_DECIMALS

/** A ratio that somebody sets. */
export const exactRatio = ratio.refine(
  (value) => hasDecimals(value, RATIO_DECIMALS),
  rule(`must have at most ${RATIO_DECIMALS} decimals`, `最多 ${RATIO_DECIMALS} 位小数`),
)

/**
 * What providers charge the operator for a request, in nano-dollars (10^-9 $). A price per million
 * tokens with up to three decimals is a whole number of nano-dollars per token. A cost is at most a
 * million dollars, so sums stay safe integers.
 */
export const PROVIDER_COST_MAX = 1_000_000_000_000_000

export const NANO_DOLLARS = 1_000_000_000

export const nanoDollars = z.int().min(0).max(PROVIDER_COST_MAX)

export const id = z.int().positive()

/** Enough for every safe integer. */
const ID_TEXT = /^\d{1,16}$/

export const idText = z.coerce
  .string()
  .refine(
    (text) => ID_TEXT.test(text),
    rule('must be a whole number of at least 1', '必须是不小于 1 的整数'),
  )
  .transform(Number)
  .pipe(id)
  .meta({ type: 'integer', minimum: 1 })

/**
 * A whole number given as text. Fractions are floored, large numbers clamped; invalid input is
 * `least`.
 */
export const wholeNumberText = ({ least, most }: { least: number; most: number }) =>
  z.coerce
    .number()
    .min(least)
    .transform((given) => Math.min(Math.floor(given), most))
    .catch(least)
    .default(least)

export type Quota = number
export type Seconds = number

/** Budget periods, by the database's clock in UTC; weeks begin on Monday. */
export const BUDGET_PERIODS = ['day', 'week', 'month'] as const
export type BudgetPeriod = (typeof BUDGET_PERIODS)[number]
