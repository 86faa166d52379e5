import type { Compilable, CompiledQuery } from 'kysely'
import { CompiledBatch } from './compiled-batch.ts'
import type { Database, Tx } from './database.ts'

/** Runs queries in order and discards their results. */
export async function executeAll(
  tx: Tx,
  kind: Database['kind'],
  queries: readonly Compilable[],
): Promise<void> {
  if (queries.length === 0) return
  const compiled = queries.map((query) => query.compile())
  if (kind === 'sqlite') await tx.executeQuery(new CompiledBatch(compiled))
  else for (const query of compiled) await tx.executeQuery(query)
}

/** Runs queries in order and returns the rows of each. A null query returns no rows. */
export async function readAll<Rows extends Readonly<Record<string, unknown>>>(
  tx: Tx,
  kind: Database['kind'],
  queries: { readonly [Name in keyof Rows]: Compilable<Rows[Name]> | null },
): Promise<{ [Name in keyof Rows]: Rows[Name][] }> {
  const entries = Object.entries<Compilable | null>(queries)
  const compiled = entries.flatMap(([, query]) => (query === null ? [] : [query.compile()]))
  const answers = await rowsOf(tx, kind, compiled)
  const rows = entries.map(([name, query]) => [name, query === null ? [] : answers.shift()])
  // Safe because every query has an entry with the rows it was compiled for.
  return Object.fromEntries(rows) as { [Name in keyof Rows]: Rows[Name][] }
}

async function rowsOf(
  tx: Tx,
  kind: Database['kind'],
  queries: readonly CompiledQuery[],
): Promise<unknown[]> {
  if (queries.length === 0) return []
  if (kind === 'sqlite') return (await tx.executeQuery(new CompiledBatch(queries))).rows
  const answers = []
  for (const query of queries) answers.push((await tx.executeQuery(query)).rows)
  return answers
}
