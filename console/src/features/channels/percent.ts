const number = new Intl.NumberFormat('en', { maximumFractionDigits: 1 })

/** `share` is between 0 and 1. */
export const percent = (share: number) => `${number.format(share * 100)} %`
