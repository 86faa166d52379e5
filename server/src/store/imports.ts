import type { Kysely, Selectable } from 'kysely'
import { bulkInsert } from './bulk.ts'
import type { Database, Tx } from './database.ts'
import { executeAll } from './execute-all.ts'
import type { ImportRowsTable, ImportSourcesTable } from './import-schema.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

export type ImportRow = Selectable<ImportRowsTable>
export type ImportSource = Selectable<ImportSourcesTable>

export const findImportSource = (db: Db, name: string): Promise<ImportSource | undefined> =>
  db.selectFrom('import_sources').selectAll().where('name', '=', name).executeTakeFirst()

export async function insertImportSource(
  tx: Tx,
  source: { name: string; product: string; created_at: number },
) {
  await tx.insertInto('import_sources').values(source).execute()
}

export async function setLogCursor(tx: Tx, name: string, log_cursor: string) {
  await tx.updateTable('import_sources').set({ log_cursor }).where('name', '=', name).execute()
}

/** Numbers the transactions of an import. False if `last` is not the number of the last one. */
export async function numberImportBatch(tx: Tx, name: string, last: number): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('import_sources')
    .set({ batches: last + 1 })
    .where('name', '=', name)
    .where('batches', '=', last)
    .executeTakeFirst()
  return numUpdatedRows === 1n
}

export const listImportRows = (db: Db, source: string, kind: string): Promise<ImportRow[]> =>
  db
    .selectFrom('import_rows')
    .selectAll()
    .where('source', '=', source)
    .where('kind', '=', kind)
    .execute()

const upsertRows = bulkInsert(
  'import_rows',
  {
    source: 'text',
    kind: 'text',
    old_id: 'text',
    new_id: 'bigint',
    digest: 'text',
    quota: 'bigint',
    used: 'bigint',
    requests: 'bigint',
  },
  `(source, kind, old_id) do update set new_id = excluded.new_id, digest = excluded.digest,
    quota = excluded.quota, used = excluded.used, requests = excluded.requests`,
)

export const writeImportRows = (tx: Tx, kind: Database['kind'], rows: readonly ImportRow[]) =>
  executeAll(tx, upsertRows(kind, rows))
