import type { InBoth, Quota } from '@tollgate/contract'
import { amountText, noteText } from '../../text/amount-text.ts'

export function quotaEditText(
  options: Parameters<typeof amountText>[0],
  { before, after }: { before: Quota; after: Quota },
): InBoth {
  const from = amountText(options, before)
  const to = amountText(options, after)
  return {
    en: `An administrator changed the quota from ${from.en} to ${to.en}`,
    zh: `管理员将用户额度从 ${from.zh}修改为 ${to.zh}`,
  }
}

export const welcomeText = noteText('新用户注册赠送', 'Gift for a new user')
export const inviteeText = noteText('使用邀请码赠送', 'Gift for registering by an invitation')
export const inviterText = noteText('邀请用户赠送', 'Gift for inviting a new user')
