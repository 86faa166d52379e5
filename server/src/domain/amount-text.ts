import type { Language, OptionValues, Quota } from '@tollgate/contract'

const MONEY_DIGITS = 6

type Display = Pick<OptionValues, 'DisplayInCurrencyEnabled' | 'QuotaPerUnit'>

/** What the log row of a movement of quota says to the one whose quota it is. */
export const noteText =
  (zh: string, en: string) =>
  (options: Display, amount: Quota, language: Language): string =>
    `${language === 'zh' ? `${zh} ` : `${en}: `}${amountText(options, amount, language)}`

/** An amount as the options say it is shown: money, or units. */
export function amountText(options: Display, amount: Quota, language: Language): string {
  const money = (amount / options.QuotaPerUnit).toFixed(MONEY_DIGITS)
  if (options.DisplayInCurrencyEnabled) return language === 'zh' ? `＄${money} 额度` : `$${money}`
  return language === 'zh' ? `${amount} 点额度` : `${amount} units`
}
