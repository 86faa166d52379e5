import { QUOTA_MAX, type Quota } from '@tollgate/contract'

/** Ratios are rounded to nine decimals; all further arithmetic is in integers. */
const SCALE_DIGITS = 9
const SCALE_NUMBER = 10 ** SCALE_DIGITS
export const SCALE = BigInt(SCALE_NUMBER)
export const COST_SCALE = SCALE ** 3n
const ALMOST_ONE = COST_SCALE - 1n
const COST_MAX = BigInt(QUOTA_MAX)

/** A ratio in units of 10^-9. Throws a `RangeError` for negative or huge ratios. */
export const scaled = (ratio: number): bigint => BigInt(scaledNumber(ratio))

function scaledNumber(ratio: number): number {
  const value = Math.round(ratio * SCALE_NUMBER)
  if (value >= 0 && Number.isSafeInteger(value)) return value
  throw new RangeError(`${ratio} is no ratio`)
}

/** An amount in units of 10^-9; amounts beyond the range of ratios lose their fraction. */
export const scaledAmount = (amount: number): bigint =>
  Number.isSafeInteger(Math.round(amount * SCALE_NUMBER))
    ? scaled(amount)
    : BigInt(Math.ceil(amount)) * SCALE

/** Throws as `checkedTokens` does. */
export const toBigInt = (tokens: number): bigint => BigInt(checkedTokens(tokens))

/** Throws a `RangeError` unless `tokens` is a non-negative safe integer. */
export function checkedTokens(tokens: number): number {
  if (Number.isSafeInteger(tokens) && tokens >= 0) return tokens
  throw new RangeError(`${tokens} is no number of tokens`)
}

/** Tokens times a ratio, in units of 10^-9. A product that is a safe integer is exact. */
export function weigh(tokens: number, ratio: number): bigint {
  const product = checkedTokens(tokens) * scaledNumber(ratio)
  return Number.isSafeInteger(product) ? BigInt(product) : BigInt(tokens) * scaled(ratio)
}

/** Never negative. */
export const difference = (all: number, part: number) => (all > part ? all - part : 0)

/** A cost in quota, rounded up and capped at the largest quota. */
export function roundedUp(exact: bigint): Quota {
  const cost = (exact + ALMOST_ONE) / COST_SCALE
  return cost > COST_MAX ? QUOTA_MAX : Number(cost)
}
