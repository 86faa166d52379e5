import { type InBoth, type OptionValues, type Quota, REDEMPTION_STATUS } from '@tollgate/contract'
import { amountText } from '../../text/amount-text.ts'

type Code = { id: number; quota: Quota }

export function createdText(
  options: OptionValues,
  { name, count, quota }: { name: string; count: number; quota: Quota },
): InBoth {
  const each = amountText(options, quota)
  return {
    en:
      count === 1
        ? `Created the redemption code "${name}" of ${each.en}`
        : `Created ${count} redemption codes "${name}", each of ${each.en}`,
    zh: `创建了 ${count} 个兑换码“${name}”，每个 ${each.zh}`,
  }
}

export function editedText(
  options: OptionValues,
  { id, before, after }: { id: number; before: Quota; after: Quota },
): InBoth {
  const from = amountText(options, before)
  const to = amountText(options, after)
  return {
    en: `Changed redemption code #${id} from ${from.en} to ${to.en}`,
    zh: `将兑换码 #${id} 从 ${from.zh}修改为 ${to.zh}`,
  }
}

export function switchedText(
  options: OptionValues,
  { id, quota, isEnabled }: Code & { isEnabled: boolean },
): InBoth {
  const amount = amountText(options, quota)
  return {
    en: `${isEnabled ? 'Enabled' : 'Disabled'} redemption code #${id} of ${amount.en}`,
    zh: `${isEnabled ? '启用' : '禁用'}了兑换码 #${id}（${amount.zh}）`,
  }
}

export function batchText({
  batch,
  count,
  status,
}: {
  batch: string
  count: number
  status: number
}): InBoth {
  const isEnabled = status === REDEMPTION_STATUS.enabled
  return {
    en: `${isEnabled ? 'Enabled' : 'Disabled'} ${count} redemption codes of the batch "${batch}"`,
    zh: `${isEnabled ? '启用' : '禁用'}了批次“${batch}”的 ${count} 个兑换码`,
  }
}

export function deletedText(options: OptionValues, { id, quota }: Code): InBoth {
  const amount = amountText(options, quota)
  return {
    en: `Deleted redemption code #${id} of ${amount.en}`,
    zh: `删除了兑换码 #${id}（${amount.zh}）`,
  }
}
