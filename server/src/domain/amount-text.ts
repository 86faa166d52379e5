import type { InBoth, OptionValues, Quota } from '@tollgate/contract'

const MONEY_DIGITS = 6

type Display = Pick<OptionValues, 'DisplayInCurrencyEnabled' | 'QuotaPerUnit'>

/** What the log row of a movement of quota says to the one whose quota it is. */
export const noteText =
  (zh: string, en: string) =>
  (options: Display, amount: Quota): InBoth => {
    const text = amountText(options, amount)
    return { en: `${en}: ${text.en}`, zh: `${zh} ${text.zh}` }
  }

/** An amount as the options say it is shown: money, or units. */
export function amountText(options: Display, amount: Quota): InBoth {
  const money = (amount / options.QuotaPerUnit).toFixed(MONEY_DIGITS)
  return options.DisplayInCurrencyEnabled
    ? { en: `$${money}`, zh: `＄${money} 额度` }
    : { en: `${amount} units`, zh: `${amount} 点额度` }
}
