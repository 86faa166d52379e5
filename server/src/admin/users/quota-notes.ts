import type { Language, Quota } from '@tollgate/contract'
import { amountText } from '../../domain/amount-text.ts'
import type { Settings } from '../../settings/settings.ts'

/** The log row of an administrator's edit. */
export function quotaEditText(
  settings: Settings,
  { before, after }: { before: Quota; after: Quota },
  language: Language,
): string {
  const from = amountText(settings.current(), before, language)
  const to = amountText(settings.current(), after, language)
  return language === 'zh'
    ? `管理员将用户额度从 ${from}修改为 ${to}`
    : `An administrator changed the quota from ${from} to ${to}`
}

/** The log row of what a new user is given. */
export function welcomeText(settings: Settings, amount: Quota, language: Language): string {
  const text = amountText(settings.current(), amount, language)
  return language === 'zh' ? `新用户注册赠送 ${text}` : `A new user's gift: ${text}`
}

/** The log row of what an invited user is given. */
export function inviteeText(settings: Settings, amount: Quota, language: Language): string {
  const text = amountText(settings.current(), amount, language)
  return language === 'zh' ? `受邀注册赠送 ${text}` : `A gift for coming by an invitation: ${text}`
}

/** The log row of what somebody is given whose invitation a new user came by. */
export function inviterText(settings: Settings, amount: Quota, language: Language): string {
  const text = amountText(settings.current(), amount, language)
  return language === 'zh' ? `邀请新用户赠送 ${text}` : `A gift for inviting a new user: ${text}`
}
