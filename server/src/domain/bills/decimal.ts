const DECIMAL = /^([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?$/

/** Digits that are kept: more than any bill has, and few enough for fast arithmetic. */
const DIGITS_MAX = 40

/**
 * Decimal text as a multiple of 10^-`scale`, rounded half away from zero. Null if the text is not a
 * number or the multiple is not a safe integer.
 */
export function parseDecimal(text: string, scale: number): number | null {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] = DECIMAL.exec(text) ?? []
  const digits = whole + fraction
  if (digits === '' || digits.length > DIGITS_MAX) return null
  const shift = scale - fraction.length + Number(exponent)
  if (shift > DIGITS_MAX) return Number(digits) === 0 ? 0 : null
  const value = BigInt(digits)
  const divisor = 10n ** BigInt(Math.min(Math.max(0, -shift), 2 * DIGITS_MAX))
  const scaled = shift >= 0 ? value * 10n ** BigInt(shift) : (value + divisor / 2n) / divisor
  const result = Number(sign === '-' ? -scaled : scaled)
  return Number.isSafeInteger(result) ? result + 0 : null
}

export const NANO_DIGITS = 9

/** An amount in 10^-9 units. Accepts the numbers of JSON as well as decimal text. */
export function nanoOf(value: unknown): number | null {
  if (typeof value === 'number') return parseDecimal(String(value), NANO_DIGITS)
  return typeof value === 'string' ? parseDecimal(value.trim(), NANO_DIGITS) : null
}

/** A whole number of tokens or requests; null if it is not one. */
export function countOf(value: unknown): number | null {
  const count = typeof value === 'string' && value !== '' ? Number(value) : value
  return typeof count === 'number' && Number.isSafeInteger(count) && count >= 0 ? count : null
}
