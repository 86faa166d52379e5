import { CompiledQuery } from 'kysely'

const NOTHING = CompiledQuery.raw('')

/** Queries that are sent to the database together: in one message, or in one round trip. */
export class CompiledBatch implements CompiledQuery {
  readonly query = NOTHING.query
  readonly queryId = NOTHING.queryId
  readonly sql = NOTHING.sql
  readonly parameters = NOTHING.parameters
  readonly queries: readonly CompiledQuery[]
  /** They are sent with the commit of their transaction. Their rows are lost. */
  readonly isLast: boolean

  constructor(queries: readonly CompiledQuery[], { isLast = false } = {}) {
    this.queries = queries
    this.isLast = isLast
  }
}

/** A statement that the SQLite thread runs once per row of parameters. */
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

/** SQLite converts a number to an integer when it stores it in an integer column. */
export type StoredValue = string | number | null
