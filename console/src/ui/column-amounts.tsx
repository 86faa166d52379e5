import { createContext, type ReactNode, use, useMemo } from 'react'
import { amountsFormat } from '../lib/format.ts'
import { useMoney } from '../lib/status.ts'
import type { Column } from './data-table/column.ts'

type Format = (quota: number) => string

const Formats = createContext<ReadonlyMap<string, Format>>(new Map())

type Props<Row> = {
  columns: readonly Pick<Column<Row>, 'id' | 'amount'>[]
  rows: readonly Row[]
  children: ReactNode
}

/** Gives the amounts of each column of a table the same decimals. */
export function ColumnAmounts<Row>({ columns, rows, children }: Props<Row>) {
  const money = useMoney()
  const formats = useMemo(() => {
    const amounts = columns.flatMap(({ id, amount }) => (amount ? [{ id, amount }] : []))
    return new Map(amounts.map(({ id, amount }) => [id, amountsFormat(rows.map(amount), money)]))
  }, [columns, rows, money])
  return <Formats value={formats}>{children}</Formats>
}

/** The format of a column with `amount`; undefined elsewhere. */
export const useColumnFormat = (column: string | undefined): Format | undefined =>
  use(Formats).get(column ?? '')
