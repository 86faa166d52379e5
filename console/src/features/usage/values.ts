import { type Exploration, NANO_DOLLARS, type UsageMetric } from '@tollgate/contract'
import {
  amountsFormat,
  formatNumber,
  formatDuration,
  type MoneySettings,
  NO_VALUE,
} from '../../lib/format.ts'
import { formatCountTick, formatDurationTick, formatSpendTick } from '../../ui/chart/amounts.ts'

type Row = Exploration['rows'][number]

type Format = {
  format: (value: number) => string
  formatTick: (value: number, step: number) => string
  unit: number
  isWhole: boolean
}

/** Users may give their tokens the same name, or none. */
export function rowName({ key, label, owner }: Pick<Row, 'key' | 'label' | 'owner'>): string {
  const name = label === '' ? `#${key}` : label
  return owner === undefined ? name : `${name} · ${owner.username}`
}

const isTime = (metric: UsageMetric) => metric === 'latency' || metric === 'first_token'

/** Times of several keys cannot be added, so they are lines. */
export const chartKind = (metric: UsageMetric): 'bars' | 'lines' =>
  isTime(metric) || metric === 'margin' ? 'lines' : 'bars'

/** `values` are those that the format shows together. */
export function formatOf(
  metric: UsageMetric,
  money: MoneySettings,
  values: readonly (number | null)[],
): Format {
  if (isTime(metric))
    return { format: formatDuration, formatTick: formatDurationTick, unit: 1, isWhole: true }
  const isCost = metric === 'provider_cost' || metric === 'margin'
  if (isCost || metric === 'quota') {
    const settings = isCost ? { quotaPerUnit: NANO_DOLLARS, inCurrency: true } : money
    return {
      format: amountsFormat(
        values.map((value) => value ?? 0),
        settings,
      ),
      formatTick: (value, step) => formatSpendTick(value, step, settings),
      unit: settings.inCurrency ? settings.quotaPerUnit : 1,
      isWhole: !settings.inCurrency,
    }
  }
  return { format: formatNumber, formatTick: formatCountTick, unit: 1, isWhole: true }
}

/** The server sends the highest charges first. A table of margins starts with the gains. */
export function inOrder(rows: Exploration['rows'], metric: UsageMetric): Exploration['rows'] {
  if (metric !== 'margin') return rows
  const rank = (value: number | null) => value ?? -Number.MAX_VALUE
  return rows.toSorted((left, right) => rank(right.value) - rank(left.value))
}

export const valueText = (value: number | null, format: (value: number) => string) =>
  value === null ? NO_VALUE : format(value)
