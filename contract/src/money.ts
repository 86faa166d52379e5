const CENT_DIGITS = 2

/** Amounts below this have two significant digits instead of two decimals. */
const SMALL_AMOUNT = 0.1

/** More decimals are no money. */
const DIGITS_MAX = 20

/** Decimals that show an amount of money: cents, or two significant digits of a small amount. */
export function moneyDigits(amount: number): number {
  const size = Math.abs(amount)
  if (size === 0 || size >= SMALL_AMOUNT) return CENT_DIGITS
  return Math.min(DIGITS_MAX, 1 - Math.floor(Math.log10(size)))
}

const RECEIPT_DIGITS = 6

/** Decimals of receipts: at least six, and those that a single unit of quota needs. */
export const receiptDigits = (quotaPerUnit: number): number =>
  Math.max(RECEIPT_DIGITS, Math.ceil(Math.log10(quotaPerUnit)))

type Rounding = 'halfExpand' | 'trunc'

/** For example 1,234.50 and 0.0041. `digits` shows more of an amount that has them. */
export const moneyText = (
  amount: number,
  digits = CENT_DIGITS,
  rounding: Rounding = 'halfExpand',
): string => formatOf(Math.max(digits, moneyDigits(amount)), rounding).format(amount)

const formats = new Map<string, Intl.NumberFormat>()

/** Kept, because refusals have amounts too, and creating a format takes a hundred times as long. */
function formatOf(digits: number, rounding: Rounding): Intl.NumberFormat {
  const key = `${digits} ${rounding}`
  let format = formats.get(key)
  if (format === undefined) {
    format = new Intl.NumberFormat('en-US', {
      minimumFractionDigits: CENT_DIGITS,
      maximumFractionDigits: digits,
      roundingMode: rounding,
    })
    formats.set(key, format)
  }
  return format
}
