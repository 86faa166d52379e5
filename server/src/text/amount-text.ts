import {
  type InBoth,
  moneyText,
  type OptionValues,
  type Quota,
  receiptDigits,
} from '@tollgate/contract'

type Display = Pick<OptionValues, 'DisplayInCurrencyEnabled' | 'QuotaPerUnit'>

/** The text of a log row for a change of a user's quota. */
export const noteText =
  (zh: string, en: string) =>
  (options: Display, amount: Quota): InBoth => {
    const text = amountText(options, amount)
    return { en: `${en}: ${text.en}`, zh: `${zh} ${text.zh}` }
  }

/** In the form of One API and New API, whose logs are imported. */
export function amountText(options: Display, amount: Quota): InBoth {
  const money = (amount / options.QuotaPerUnit).toFixed(receiptDigits(options.QuotaPerUnit))
  return options.DisplayInCurrencyEnabled
    ? { en: `$${money}`, zh: `＄${money} 额度` }
    : { en: `${amount} units`, zh: `${amount} 点额度` }
}

/** What is left of a balance, as mails name it. */
export function balanceText(options: Display, amount: Quota): InBoth {
  const money = `$${moneyText(amount / options.QuotaPerUnit)}`
  const units = amount.toLocaleString('en-US')
  return options.DisplayInCurrencyEnabled
    ? { en: money, zh: money }
    : { en: `${units} units`, zh: `${units} 点` }
}
