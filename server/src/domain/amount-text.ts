import type { Language, OptionValues, Quota } from '@tollgate/contract'

const MONEY_DIGITS = 6

/** An amount as the options say it is shown: money, or units. */
export function amountText(
  options: Pick<OptionValues, 'DisplayInCurrencyEnabled' | 'QuotaPerUnit'>,
  amount: Quota,
  language: Language,
): string {
  const money = (amount / options.QuotaPerUnit).toFixed(MONEY_DIGITS)
  if (options.DisplayInCurrencyEnabled) return language === 'zh' ? `＄${money} 额度` : `$${money}`
  return language === 'zh' ? `${amount} 点额度` : `${amount} units`
}
