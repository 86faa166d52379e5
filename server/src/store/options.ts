import { type Insertable, type Kysely, sql } from 'kysely'
import type { Tx } from './database.ts'
import { type Page, readPage } from './page.ts'
import type { OptionChangesTable, Schema } from './schema.ts'

type Db = Kysely<Schema>

export type StoredOption = { key: string; value: string }

/** `change` is the id of the last change; null for an option whose changes are not recorded. */
export type OptionWithChange = StoredOption & { change: number | null }

/** A single statement, so that values and changes belong to the same moment. */
export const readOptions = (db: Db): Promise<OptionWithChange[]> =>
  db
    .selectFrom('options')
    .select(['key', 'value'])
    .select((eb) =>
      eb
        .selectFrom('option_changes')
        .select(({ fn }) => fn.max('option_changes.id').as('id'))
        .whereRef('option_changes.key', '=', 'options.key')
        .as('change'),
    )
    .execute()

/** Serializes option changes, because validating an option reads the values of other options. */
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

const lastIdsOf = (db: Db, keys: readonly string[]) =>
  db
    .selectFrom('option_changes')
    .select(({ fn }) => fn.max('id').as('id'))
    .where('key', 'in', keys)
    .groupBy('key')

export const listLastChanges = (db: Db, keys: readonly string[]) =>
  db
    .selectFrom('option_changes')
    .select(['id', 'key', 'confirmed'])
    .where('id', 'in', lastIdsOf(db, keys))
    .orderBy('id')
    .execute()

/**
 * Options whose last change awaits confirmation by root, oldest change first. `before` is the last
 * confirmed value, from before all unconfirmed changes.
 */
export const listUnconfirmedChanges = (db: Db, keys: readonly string[]) =>
  db
    .selectFrom('option_changes as latest')
    .select(['id', 'key', 'actor_id', 'actor_name', 'after', 'created_at'])
    .select((eb) =>
      eb
        .selectFrom('option_changes as first')
        .select('first.before')
        .whereRef('first.key', '=', 'latest.key')
        .where('first.id', '>', (inner) =>
          inner
            .selectFrom('option_changes as good')
            .select(({ fn, lit }) => fn.coalesce(fn.max('good.id'), lit(0)).as('id'))
            .whereRef('good.key', '=', 'latest.key')
            .where('good.confirmed', '=', 1),
        )
        .orderBy('first.id')
        .limit(1)
        .as('before'),
    )
    .where('confirmed', '=', 0)
    .where('id', 'in', lastIdsOf(db, keys))
    .orderBy('id')
    // The subquery always finds a row, at least the change itself.
    .$narrowType<{ before: string }>()
    .execute()

/** Confirms the unconfirmed changes among `ids`. */
export async function markConfirmed(
  tx: Tx,
  ids: readonly number[],
  { by, at }: { by: string; at: number },
) {
  await tx
    .updateTable('option_changes')
    .set({ confirmed: 1, confirmed_by: by, confirmed_at: at })
    .where('id', 'in', ids)
    .where('confirmed', '=', 0)
    .execute()
}

/** In characters. A value may have a megabyte, and a page 100 changes. */
const SHOWN_LENGTH_MAX = 2000

/** Longer values are truncated and end in an ellipsis. */
export const listOptionChanges = (db: Db, page: Page) => {
  const changes = db
    .selectFrom('option_changes')
    .select(['id', 'key', 'actor_id', 'actor_name', 'created_at'])
    .select(['confirmed', 'confirmed_by', 'confirmed_at'])
    .select([beginningOf('before'), beginningOf('after')])
  return readPage(db, changes, page)
}

function beginningOf<Column extends 'before' | 'after'>(column: Column) {
  const value = sql.ref(column)
  return sql<string>`case when length(${value}) <= ${SHOWN_LENGTH_MAX} then ${value}
    else substr(${value}, 1, ${SHOWN_LENGTH_MAX}) || '…' end`.as(column)
}
