import type { Language, OptionValues, Quota } from '@tollgate/contract'
import { amountText } from '../../domain/amount-text.ts'

type Code = { id: number; quota: Quota }

export function createdText(
  options: OptionValues,
  { name, count, quota }: { name: string; count: number; quota: Quota },
  language: Language,
): string {
  const each = amountText(options, quota, language)
  if (language === 'zh') return `创建了 ${count} 个兑换码“${name}”，每个 ${each}`
  return count === 1
    ? `Created the redemption code "${name}" of ${each}`
    : `Created ${count} redemption codes "${name}", each of ${each}`
}

export function editedText(
  options: OptionValues,
  { id, before, after }: { id: number; before: Quota; after: Quota },
  language: Language,
): string {
  const from = amountText(options, before, language)
  const to = amountText(options, after, language)
  return language === 'zh'
    ? `将兑换码 #${id} 从 ${from}修改为 ${to}`
    : `Changed redemption code #${id} from ${from} to ${to}`
}

export function switchedText(
  options: OptionValues,
  { id, quota, isEnabled }: Code & { isEnabled: boolean },
  language: Language,
): string {
  const amount = amountText(options, quota, language)
  if (language === 'zh') return `${isEnabled ? '启用' : '禁用'}了兑换码 #${id}（${amount}）`
  return `${isEnabled ? 'Enabled' : 'Disabled'} redemption code #${id} of ${amount}`
}

export function deletedText(
  options: OptionValues,
  { id, quota }: Code,
  language: Language,
): string {
  const amount = amountText(options, quota, language)
  return language === 'zh'
    ? `删除了兑换码 #${id}（${amount}）`
    : `Deleted redemption code #${id} of ${amount}`
}
