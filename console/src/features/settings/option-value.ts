import { isOptionKey, OPTIONS } from '@tollgate/contract'
import { formatQuota, type MoneySettings, NO_VALUE } from '../../lib/format.ts'
import { choiceName } from './choice-name.ts'

/**
 * The value as its editor shows it: a quota in dollars, unless amounts are shown in units, and a
 * choice by its name.
 */
export function optionValueText(key: string, value: string, money: MoneySettings): string {
  if (value === '') return NO_VALUE
  if (!isOptionKey(key)) return value
  return OPTIONS[key].editor === 'quota'
    ? formatQuota(Number(value), money)
    : choiceName(key, value)
}
