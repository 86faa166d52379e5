import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import type { BillSourcesTable } from './bill-schema.ts'
import type { Tx } from './database.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

export type StoredSource = Selectable<BillSourcesTable>

export const listSources = (db: Db): Promise<StoredSource[]> =>
  db.selectFrom('bill_sources').selectAll().orderBy('id').execute()

export const findSource = (db: Db, id: number): Promise<StoredSource | undefined> =>
  db.selectFrom('bill_sources').selectAll().where('id', '=', id).executeTakeFirst()

export async function insertSource(tx: Tx, source: Insertable<BillSourcesTable>): Promise<number> {
  const { id } = await tx
    .insertInto('bill_sources')
    .values(source)
    .returning('id')
    .executeTakeFirstOrThrow()
  return Number(id)
}

export async function updateSource(db: Db, id: number, source: Updateable<BillSourcesTable>) {
  await db.updateTable('bill_sources').set(source).where('id', '=', id).execute()
}

/**
 * Marks a scheduled import as begun, so that only one of several nodes performs it. False if
 * another node was first.
 */
export async function claimSource(db: Db, source: StoredSource, now: number): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('bill_sources')
    .set({ asked_at: now })
    .where('id', '=', source.id)
    .where('asked_at', '=', source.asked_at)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Deletes the source with its imports and lines. */
export async function deleteSource(tx: Tx, id: number) {
  const imports = tx.selectFrom('bill_imports').select('id').where('source_id', '=', id)
  await tx.deleteFrom('bill_staged').where('import_id', 'in', imports).execute()
  await tx.deleteFrom('bill_lines').where('source_id', '=', id).execute()
  await tx.deleteFrom('bill_imports').where('source_id', '=', id).execute()
  await tx.deleteFrom('bill_sources').where('id', '=', id).execute()
}
