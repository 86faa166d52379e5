import { isOptionKey, OPTIONS } from '@tollgate/contract'
import { formatQuota, type MoneySettings, NO_VALUE } from '../../lib/format.ts'

/** The value as its editor shows it: a quota in dollars, unless amounts are shown in units. */
export function optionValueText(key: string, value: string, money: MoneySettings): string {
  if (value === '') return NO_VALUE
  const isQuota = isOptionKey(key) && OPTIONS[key].editor === 'quota'
  return isQuota ? formatQuota(Number(value), money) : value
}
