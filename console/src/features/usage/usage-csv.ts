import { type Exploration, receiptDigits, type UsageMetric } from '@tollgate/contract'
import { type CsvCell, csvOf } from '../../lib/csv.ts'
import type { MoneySettings } from '../../lib/format.ts'
import { formatOf } from './values.ts'

type Row = Exploration['rows'][number]

type Wording = {
  metric: UsageMetric
  money: MoneySettings
  /** Columns: name, value, value of the period before, requests. */
  head: readonly [string, string, string, string]
  nameOf: (row: Row) => string
}

/** The rows of the table with exact values: dollars, milliseconds or counts. */
export function usageCsv(rows: readonly Row[], { metric, money, head, nameOf }: Wording): string {
  const { unit } = formatOf(metric, money, [])
  const cellOf = (value: number | null): CsvCell => {
    if (value === null) return ''
    return unit === 1 ? value : (value / unit).toFixed(receiptDigits(unit))
  }
  // They are the values themselves otherwise.
  const columns = metric === 'requests' ? 3 : 4
  const lines: CsvCell[][] = [
    [...head],
    ...rows.map((row) => [nameOf(row), cellOf(row.value), cellOf(row.previous), row.requests]),
  ]
  return csvOf(lines.map((line) => line.slice(0, columns)))
}
