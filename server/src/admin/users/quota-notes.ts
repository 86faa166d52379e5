import type { Language, Quota } from '@tollgate/contract'
import { amountText, noteText } from '../../domain/amount-text.ts'

/** The log row of an administrator's edit. */
export function quotaEditText(
  options: Parameters<typeof amountText>[0],
  { before, after }: { before: Quota; after: Quota },
  language: Language,
): string {
  const from = amountText(options, before, language)
  const to = amountText(options, after, language)
  return language === 'zh'
    ? `管理员将用户额度从 ${from}修改为 ${to}`
    : `An administrator changed the quota from ${from} to ${to}`
}

export const welcomeText = noteText('新用户注册赠送', 'Gift for a new user')
export const inviteeText = noteText('使用邀请码赠送', 'Gift for registering by an invitation')
export const inviterText = noteText('邀请用户赠送', 'Gift for inviting a new user')
