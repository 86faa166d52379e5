import { type Compilable, CompiledQuery } from 'kysely'
import { CompiledRepeat, type StoredValue } from './compiled-batch.ts'
import type { Database } from './database.ts'

type Kind = Database['kind']
type Values = readonly StoredValue[]

/** A question mark stands for a column that may be null. */
type Columns = Readonly<Record<string, 'bigint' | 'bigint?' | 'text' | 'text?'>>

type RowOf<Of extends Columns> = {
  readonly [Name in keyof Of]: Of[Name] extends 'bigint'
    ? number
    : Of[Name] extends 'bigint?'
      ? number | null
      : Of[Name] extends 'text'
        ? string
        : Of[Name] extends 'text?'
          ? string | null
          : StoredValue
}

/** Builds the queries that write the rows; no query for no rows. */
type BulkWrite<Of extends Columns> = (kind: Kind, rows: readonly RowOf<Of>[]) => Compilable[]

type Texts = { sqlite: string; postgres: string }

const list = (names: readonly string[], text: (name: string) => string, between = ', ') =>
  names.map(text).join(between)

const quoted = (name: string) => `"${name}"`
const equal = (name: string) => `"${name}" = ?`

/**
 * Inserts many rows in about the time of one statement. SQLite repeats the statement in its worker
 * thread; PostgreSQL takes each column as an array. The statement's text is independent of the
 * number of rows, so the database parses it once. `conflict` is the text after `on conflict`.
 */
export function bulkInsert<const Of extends Columns>(
  table: string,
  columns: Of,
  conflict?: string,
): BulkWrite<Of> {
  const insert = bulkInsertValues(table, columns, conflict)
  const valuesOf = valuesIn(Object.keys(columns))
  return (kind, rows) => insert(kind, rows.map(valuesOf))
}

/** Like `bulkInsert` for rows that are lists of values, in the order of the columns. */
export function bulkInsertValues(
  table: string,
  columns: Columns,
  conflict?: string,
): (kind: Kind, rows: readonly Values[]) => Compilable[] {
  const names = Object.keys(columns)
  const into = `insert into "${table}" (${list(names, quoted)})`
  const onConflict = conflict === undefined ? '' : ` on conflict ${conflict}`
  return bulkWrite({
    sqlite: `${into} values (${list(names, () => '?')})${onConflict}`,
    postgres: `${into} select ${list(names, quoted)} from ${givenRows(columns, names)}${onConflict}`,
  })
}

/** Matches rows by `key` and sets all other columns. */
export function bulkUpdate<const Of extends Columns>(
  table: string,
  columns: Of,
  key: readonly (keyof Of & string)[],
): BulkWrite<Of> {
  const names = Object.keys(columns).filter((name) => !key.includes(name))
  const order = [...names, ...key]
  const write = bulkWrite({
    sqlite: `update "${table}" set ${list(names, equal)} where ${list(key, equal, ' and ')}`,
    postgres: `update "${table}" set ${list(names, (name) => `"${name}" = given."${name}"`)}
      from ${givenRows(columns, order)} where ${list(key, matchesGiven(table), ' and ')}`,
  })
  return (kind, rows) => write(kind, rows.map(valuesIn(order)))
}

/** Deletes the rows that match in all columns. */
export function bulkDelete<const Of extends Columns>(table: string, columns: Of): BulkWrite<Of> {
  const names = Object.keys(columns)
  const write = bulkWrite({
    sqlite: `delete from "${table}" where ${list(names, equal, ' and ')}`,
    postgres: `delete from "${table}" using ${givenRows(columns, names)}
      where ${list(names, matchesGiven(table), ' and ')}`,
  })
  return (kind, rows) => write(kind, rows.map(valuesIn(names)))
}

const givenRows = (columns: Columns, order: readonly string[]) => {
  const arrays = order.map((name, index) => `$${index + 1}::${columns[name]?.replace('?', '')}[]`)
  return `unnest(${arrays.join(', ')}) as given (${list(order, quoted)})`
}

const matchesGiven = (table: string) => (name: string) => `"${table}"."${name}" = given."${name}"`

const bulkWrite =
  (texts: Texts) =>
  (kind: Kind, rows: readonly Values[]): Compilable[] => {
    const [first] = rows
    if (first === undefined) return []
    const compile = () =>
      kind === 'sqlite'
        ? new CompiledRepeat(texts.sqlite, rows)
        : CompiledQuery.raw(texts.postgres, first.map(columnOf(rows)))
    return [{ compile }]
  }

const valuesIn = (names: readonly string[]) => (row: Readonly<Record<string, StoredValue>>) =>
  names.map((name) => row[name] ?? null)

/** A column as the text of an array. */
const columnOf = (rows: readonly Values[]) => (_: StoredValue, column: number) =>
  `{${rows.map((row) => elementOf(row[column] ?? null)).join(',')}}`

function elementOf(value: StoredValue): string {
  if (typeof value === 'string') return `"${value.replaceAll(/["\\]/g, String.raw`\$&`)}"`
  return value === null ? 'null' : String(value)
}
