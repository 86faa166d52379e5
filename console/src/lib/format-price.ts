const dollarsUpTo = (maximumFractionDigits: number) =>
  new Intl.NumberFormat('en-US', { style: 'currency', currency: 'USD', maximumFractionDigits })

const price = dollarsUpTo(6)
const shortPrice = dollarsUpTo(4)

/** Below this, four decimals would lose digits that matter. */
const SMALL_PRICE = 0.01

/** A price in dollars with all its digits: $2.50, $0.075. */
export const formatPrice = (dollars: number) => price.format(dollars)

/** For columns: at most four decimals, which prices converted from other currencies need. */
export const formatShortPrice = (dollars: number) =>
  (Math.abs(dollars) < SMALL_PRICE ? price : shortPrice).format(dollars)
