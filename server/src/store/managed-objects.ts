import type { Kysely } from 'kysely'
import type { ManagedKind } from '@tollgate/contract'
import { bulkInsert } from './bulk.ts'
import type { ManagedObjectsTable } from './config-schema.ts'
import type { Database, Tx } from './database.ts'
import { executeAll } from './execute-all.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

export type ManagedObject = ManagedObjectsTable

export type ManagedFile = {
  /** Empty before the first file. */
  readonly file: string
  readonly isLocked: boolean
  readonly appliedAt: number
  readonly objects: readonly ManagedObject[]
}

/** What the configuration file manages that was applied last. */
export async function readManaged(db: Db): Promise<ManagedFile> {
  const file = await db.selectFrom('config_file').selectAll().executeTakeFirst()
  const objects = await db.selectFrom('managed_objects').selectAll().orderBy('name').execute()
  return {
    file: file?.name ?? '',
    isLocked: file?.locked === 1,
    appliedAt: file?.applied_at ?? 0,
    objects,
  }
}

const insertObjects = bulkInsert('managed_objects', {
  kind: 'text',
  name: 'text',
  channel_id: 'bigint',
})

/** Replaces what was managed before. */
export async function writeManaged(
  tx: Tx,
  kind: Database['kind'],
  { file, isLocked, appliedAt, objects }: ManagedFile,
) {
  const row = { name: file, locked: isLocked ? (1 as const) : (0 as const), applied_at: appliedAt }
  await tx
    .insertInto('config_file')
    .values({ id: 1, ...row })
    .onConflict((conflict) => conflict.column('id').doUpdateSet(row))
    .execute()
  await tx.deleteFrom('managed_objects').execute()
  await executeAll(tx, insertObjects(kind, objects))
}

/** All objects of a kind that a locked file manages, and the file. */
export async function listLocked(
  tx: Tx,
  kind: ManagedKind,
): Promise<{ file: string; objects: readonly ManagedObject[] }> {
  const file = await tx.selectFrom('config_file').selectAll().executeTakeFirst()
  if (file?.locked !== 1) return { file: '', objects: [] }
  const objects = await tx
    .selectFrom('managed_objects')
    .selectAll()
    .where('kind', '=', kind)
    .execute()
  return { file: file.name, objects }
}
