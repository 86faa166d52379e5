import type { Compilable } from 'kysely'
import { CompiledBatch } from './compiled-batch.ts'
import type { Database, Tx } from './database.ts'

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
