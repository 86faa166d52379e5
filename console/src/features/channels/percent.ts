const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** A share from 0 to 1. */
export const percent = (share: number) => `${number.format(share * 100)} %`
