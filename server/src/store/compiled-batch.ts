import { CompiledQuery } from 'kysely'

/** Queries that cross to the SQLite thread in one message. */
export class CompiledBatch implements CompiledQuery {
  readonly #empty = CompiledQuery.raw('')
  readonly query = this.#empty.query
  readonly queryId = this.#empty.queryId
  readonly sql = this.#empty.sql
  readonly parameters = this.#empty.parameters
  readonly queries: readonly CompiledQuery[]

  constructor(queries: readonly CompiledQuery[]) {
    this.queries = queries
  }
}
