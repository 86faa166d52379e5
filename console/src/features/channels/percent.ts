const whole = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

/** A share from 0 to 1. */
export const percent = (share: number) => whole.format(share)
