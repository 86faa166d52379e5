import type { Language, Quota } from '@tollgate/contract'
import type { Settings } from '../../settings/settings.ts'

const MONEY_DIGITS = 6

/** An amount as the options say it is shown: money, or units. */
function amountText(settings: Settings, amount: Quota, language: Language): string {
  const { DisplayInCurrencyEnabled, QuotaPerUnit } = settings.current()
  const money = (amount / QuotaPerUnit).toFixed(MONEY_DIGITS)
  if (DisplayInCurrencyEnabled) return language === 'zh' ? `＄${money} 额度` : `$${money}`
  return language === 'zh' ? `${amount} 点额度` : `${amount} units`
}

/** The log row of an administrator's edit. */
export function quotaEditText(
  settings: Settings,
  { before, after }: { before: Quota; after: Quota },
  language: Language,
): string {
  const from = amountText(settings, before, language)
  const to = amountText(settings, after, language)
  return language === 'zh'
    ? `管理员将用户额度从 ${from}修改为 ${to}`
    : `An administrator changed the quota from ${from} to ${to}`
}

/** The log row of what a new user is given. */
export function welcomeText(settings: Settings, amount: Quota, language: Language): string {
  const text = amountText(settings, amount, language)
  return language === 'zh' ? `新用户注册赠送 ${text}` : `A new user's gift: ${text}`
}
