import { CompiledQuery } from 'kysely'

const NOTHING = CompiledQuery.raw('')

/** Queries that cross to the SQLite thread in one message. */
export class CompiledBatch implements CompiledQuery {
  readonly query = NOTHING.query
  readonly queryId = NOTHING.queryId
  readonly sql = NOTHING.sql
  readonly parameters = NOTHING.parameters
  readonly queries: readonly CompiledQuery[]

  constructor(queries: readonly CompiledQuery[]) {
    this.queries = queries
  }
}

/** One statement that the SQLite thread runs once for each row of parameters. */
export class CompiledRepeat implements CompiledQuery {
  readonly query = NOTHING.query
  readonly queryId = NOTHING.queryId
  readonly sql: string
  readonly parameters = NOTHING.parameters
  readonly rows: readonly (readonly StoredValue[])[]

  constructor(sql: string, rows: CompiledRepeat['rows']) {
    this.sql = sql
    this.rows = rows
  }
}

/** A number goes into a column of whole numbers, which makes it one. */
export type StoredValue = string | number | null
