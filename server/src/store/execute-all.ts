import { type Compilable, CompiledQuery } from 'kysely'
import type { Database, Tx } from './database.ts'

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

/** Runs queries in their order whose results nobody needs. */
export async function executeAll(
  tx: Tx,
  kind: Database['kind'],
  queries: readonly Compilable[],
): Promise<void> {
  const compiled = queries.map((query) => query.compile())
  if (kind === 'sqlite') await tx.executeQuery(new CompiledBatch(compiled))
  else for (const query of compiled) await tx.executeQuery(query)
}
