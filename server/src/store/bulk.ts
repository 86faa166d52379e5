import { type Compilable, CompiledQuery } from 'kysely'
import { CompiledRepeat, type StoredValue } from './compiled-batch.ts'
import type { Database } from './database.ts'

type Kind = Database['kind']

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
 * thread; PostgreSQL takes all rows as one JSON value. The statement's text is independent of the
 * number of rows, so the database parses it once. `conflict` is the text after `on conflict`.
 */
export function bulkInsert<const Of extends Columns>(
  table: string,
  columns: Of,
  conflict?: string,
): BulkWrite<Of> {
  const names = Object.keys(columns)
  const into = `insert into "${table}" (${list(names, quoted)})`
  const onConflict = conflict === undefined ? '' : ` on conflict ${conflict}`
  return bulkWrite(names, {
    sqlite: `${into} values (${list(names, () => '?')})${onConflict}`,
    postgres: `${into} select ${list(names, quoted)} from ${recordset(columns)}${onConflict}`,
  })
}

/** Matches rows by `key` and sets all other columns. */
export function bulkUpdate<const Of extends Columns>(
  table: string,
  columns: Of,
  key: readonly (keyof Of & string)[],
): BulkWrite<Of> {
  const names = Object.keys(columns).filter((name) => !key.includes(name))
  return bulkWrite([...names, ...key], {
    sqlite: `update "${table}" set ${list(names, equal)} where ${list(key, equal, ' and ')}`,
    postgres: `update "${table}" set ${list(names, (name) => `"${name}" = given."${name}"`)}
      from ${recordset(columns)} where ${list(key, matchesRecordset(table), ' and ')}`,
  })
}

/** Deletes the rows that match in all columns. */
export function bulkDelete<const Of extends Columns>(table: string, columns: Of): BulkWrite<Of> {
  const names = Object.keys(columns)
  return bulkWrite(names, {
    sqlite: `delete from "${table}" where ${list(names, equal, ' and ')}`,
    postgres: `delete from "${table}" using ${recordset(columns)}
      where ${list(names, matchesRecordset(table), ' and ')}`,
  })
}

const recordset = (columns: Columns) =>
  `json_to_recordset($1::json) as given (${Object.entries(columns)
    .map(([name, type]) => `"${name}" ${type.replace('?', '')}`)
    .join(', ')})`

const matchesRecordset = (table: string) => (name: string) =>
  `"${table}"."${name}" = given."${name}"`

function bulkWrite<Of extends Columns>(names: readonly string[], texts: Texts): BulkWrite<Of> {
  return (kind, rows) => {
    if (rows.length === 0) return []
    const compile = () =>
      kind === 'sqlite'
        ? new CompiledRepeat(texts.sqlite, rows.map(valuesOf(names)))
        : CompiledQuery.raw(texts.postgres, [JSON.stringify(rows)])
    return [{ compile }]
  }
}

const valuesOf = (names: readonly string[]) => (row: Readonly<Record<string, StoredValue>>) =>
  names.map((name) => row[name] ?? null)
