import type { Statement } from '@tollgate/contract'
import { formatMoney, formatNumber, MONEY_DIGITS, type MoneySettings } from '../../lib/format.ts'

type UsageRow = Statement['usage'][number]

export type UsageSum = Omit<UsageRow, 'day' | 'model_name'> & { name: string }

/** Sums of equal names. */
export function sumBy(rows: readonly UsageRow[], nameOf: (row: UsageRow) => string): UsageSum[] {
  const groups = Map.groupBy(rows, nameOf)
  return [...groups].map(([name, group]) => ({ name, ...totalOf(group) }))
}

export const totalOf = (rows: readonly Omit<UsageRow, 'day' | 'model_name'>[]) =>
  rows.reduce(
    (sum, row) => ({
      requests: sum.requests + row.requests,
      prompt_tokens: sum.prompt_tokens + row.prompt_tokens,
      completion_tokens: sum.completion_tokens + row.completion_tokens,
      quota: sum.quota + row.quota,
    }),
    { requests: 0, prompt_tokens: 0, completion_tokens: 0, quota: 0 },
  )

/** The digits after the point that exact amounts need: cents, and more if any amount has more. */
export function decimalsOf(quotas: readonly number[], { quotaPerUnit }: MoneySettings): number {
  const decimals = quotas.map(
    (quota) =>
      formatMoney(quota, quotaPerUnit, MONEY_DIGITS.receipt).replace(/^.*\.|0+$/g, '').length,
  )
  return Math.max(MONEY_DIGITS.list, ...decimals)
}

/**
 * Exact, so that the amounts of a statement add up. `decimals` of a whole column align its digits.
 */
export function exactAmount(
  quota: number,
  money: MoneySettings,
  decimals = decimalsOf([quota], money),
): string {
  return money.inCurrency ? formatMoney(quota, money.quotaPerUnit, decimals) : formatNumber(quota)
}

/** What the entries that are not listed add up to. */
export function unlistedCredits({ credits, credited, credit_count }: Statement) {
  const listed = credits.reduce((sum, { amount }) => sum + amount, 0)
  return { count: credit_count - credits.length, amount: credited - listed }
}
