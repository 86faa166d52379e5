const price = new Intl.NumberFormat('en-US', {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 6,
})

/** A price in dollars with all its digits: $2.50, $0.075. */
export const formatPrice = (dollars: number) => price.format(dollars)
