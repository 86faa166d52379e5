import { QUOTA_MAX, type Quota } from '@tollgate/contract'

/** Ratios are rounded to nine decimals; all further arithmetic is in integers. */
const SCALE_DIGITS = 9
const SCALE_NUMBER = 10 ** SCALE_DIGITS
export const SCALE = BigInt(SCALE_NUMBER)
export const COST_SCALE = SCALE ** 3n
const ALMOST_ONE = COST_SCALE - 1n
const COST_MAX = BigInt(QUOTA_MAX)

/** Far above the errors of a sum of fifty products, and far below a unit of usual costs. */
const RELATIVE_ERROR_MAX = 1e-12

/** A ratio in units of 10^-9. Throws a `RangeError` for negative or huge ratios. */
export const scaled = (ratio: number): bigint => BigInt(scaledNumber(ratio))

export function scaledNumber(ratio: number): number {
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

/** One of the 10^27 parts of a quota, in which exact costs are. */
const QUOTA_PART = 1 / Number(COST_SCALE)

/**
 * Weighted tokens, in units of 10^-9, times two ratios: rounded up as `roundedUp` rounds the exact
 * product, but without a BigInt. Null if only exact arithmetic decides. `weighted` is a sum without
 * negative parts.
 */
export function roundedUpProduct(weighted: number, model: number, group: number): Quota | null {
  const modelUnits = scaledNumber(model)
  const groupUnits = scaledNumber(group)
  return (
    roundedUpIfClear(weighted * modelUnits * groupUnits * QUOTA_PART) ??
    (groupUnits === SCALE_NUMBER ? roundedUpWhole(weighted, modelUnits) : null)
  )
}

/** Null if a whole number is so near that the errors of floating point matter. */
export function roundedUpIfClear(cost: number): Quota | null {
  const up = Math.ceil(cost)
  const error = cost * RELATIVE_ERROR_MAX
  const isClear = up - cost > error && cost - (up - 1) > error
  return isClear && up < QUOTA_MAX ? up : null
}

const MILLION = 1_000_000
const THOUSAND = 1000

/** For ratios with few decimals, which often make a whole number. All numbers are exact. */
function roundedUpWhole(weighted: number, modelUnits: number): Quota | null {
  const isRound = weighted % MILLION === 0 && modelUnits % THOUSAND === 0
  if (!isRound || !Number.isSafeInteger(weighted)) return null
  const billionths = (weighted / MILLION) * (modelUnits / THOUSAND)
  if (!Number.isSafeInteger(billionths)) return null
  const fraction = billionths % SCALE_NUMBER
  return (billionths - fraction) / SCALE_NUMBER + (fraction > 0 ? 1 : 0)
}

/** Never negative. */
export const difference = (all: number, part: number) => (all > part ? all - part : 0)

/** A cost in quota, rounded up and capped at the largest quota. */
export function roundedUp(exact: bigint): Quota {
  const cost = (exact + ALMOST_ONE) / COST_SCALE
  return cost > COST_MAX ? QUOTA_MAX : Number(cost)
}
