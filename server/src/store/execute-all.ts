import type { Compilable } from 'kysely'
import { CompiledBatch } from './compiled-batch.ts'
import type { Tx } from './database.ts'

/** Runs queries in order, in a single round trip, and discards their results. */
export async function executeAll(tx: Tx, queries: readonly Compilable[]): Promise<void> {
  if (queries.length === 0) return
  await tx.executeQuery(new CompiledBatch(queries.map((query) => query.compile())))
}

/** Like `executeAll` for the last queries of a transaction. They go with its commit. */
export async function executeLast(tx: Tx, queries: readonly Compilable[]): Promise<void> {
  if (queries.length === 0) return
  const compiled = queries.map((query) => query.compile())
  await tx.executeQuery(new CompiledBatch(compiled, { isLast: true }))
}

/**
 * Runs queries in order, in a single round trip, and returns the rows of each. A null query returns
 * no rows.
 */
export async function readAll<Rows extends Readonly<Record<string, unknown>>>(
  tx: Tx,
  queries: { readonly [Name in keyof Rows]: Compilable<Rows[Name]> | null },
): Promise<{ [Name in keyof Rows]: Rows[Name][] }> {
  const entries = Object.entries<Compilable | null>(queries)
  const compiled = entries.flatMap(([, query]) => (query === null ? [] : [query.compile()]))
  const batch = new CompiledBatch(compiled)
  const answers = compiled.length === 0 ? [] : (await tx.executeQuery(batch)).rows
  const rows = entries.map(([name, query]) => [name, query === null ? [] : answers.shift()])
  // Safe because every query has an entry with the rows it was compiled for.
  return Object.fromEntries(rows) as { [Name in keyof Rows]: Rows[Name][] }
}
