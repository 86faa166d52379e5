import { type Insertable, type Kysely, sql } from 'kysely'
import type { Tx } from './database.ts'
import { type Page, readPage } from './page.ts'
import type { OptionChangesTable, Schema } from './schema.ts'

type Db = Kysely<Schema>

export type StoredOption = { key: string; value: string }

export const readOptions = (db: Db): Promise<StoredOption[]> =>
  db.selectFrom('options').select(['key', 'value']).execute()

/** Changes of options go one after another, since each looks at the values of the others. */
export async function lockOptions(tx: Tx) {
  await tx
    .updateTable('meta')
    .set((eb) => ({ value: eb.ref('value') }))
    .where('name', '=', 'changes')
    .execute()
}

export async function writeOption(db: Db, row: StoredOption) {
  await db
    .insertInto('options')
    .values(row)
    .onConflict((conflict) => conflict.column('key').doUpdateSet({ value: row.value }))
    .execute()
}

export async function insertOptionChange(tx: Tx, change: Insertable<OptionChangesTable>) {
  await tx.insertInto('option_changes').values(change).execute()
}

export const findLastOptionChange = (db: Db, key: string) =>
  db
    .selectFrom('option_changes')
    .select('actor_id')
    .where('key', '=', key)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst()

/** A value may have a megabyte, and a page a hundred changes. */
const SHOWN_LENGTH_MAX = 2000

/** What is longer is cut, and ends in an ellipsis. */
export const listOptionChanges = (db: Db, page: Page) => {
  const changes = db
    .selectFrom('option_changes')
    .select(['id', 'key', 'actor_id', 'actor_name', 'created_at'])
    .select([beginningOf('before'), beginningOf('after')])
  return readPage(db, changes, page)
}

function beginningOf<Column extends 'before' | 'after'>(column: Column) {
  const value = sql.ref(column)
  return sql<string>`case when length(${value}) <= ${SHOWN_LENGTH_MAX} then ${value}
    else substr(${value}, 1, ${SHOWN_LENGTH_MAX}) || '…' end`.as(column)
}
