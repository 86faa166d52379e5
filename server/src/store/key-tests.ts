import { type Kysely, type Selectable, sql } from 'kysely'
import type { Tx } from './database.ts'
import type { ChannelsTable, Schema } from './schema.ts'
import { storableText } from './storable-text.ts'

const ERROR_LENGTH_MAX = 500

type Tested = Pick<Selectable<ChannelsTable>, 'id' | 'type' | 'base_url' | 'config'>

type KeyTest = {
  /** Fingerprint of the key. */
  readonly key: string
  readonly milliseconds: number
  /** Empty if the key passed. */
  readonly error: string
}

/**
 * Records the last test of a key. Does nothing if the channel's type, address or config has changed
 * since the test began.
 */
export async function noteKeyTest(
  db: Kysely<Schema>,
  tested: Tested,
  { key, milliseconds, error }: KeyTest,
  now: number,
): Promise<void> {
  await db
    .insertInto('channel_key_tests')
    .columns(['channel_id', 'key', 'tested_at', 'milliseconds', 'error'])
    .expression((from) =>
      from
        .selectFrom('channels')
        .select([
          'id',
          sql.val(key).as('key'),
          sql.val(now).as('tested_at'),
          sql.val(milliseconds).as('milliseconds'),
          sql.val(storableText(error, ERROR_LENGTH_MAX)).as('error'),
        ])
        .where('id', '=', tested.id)
        .where('type', '=', tested.type)
        .where('base_url', '=', tested.base_url)
        .where('config', '=', tested.config),
    )
    .onConflict((conflict) =>
      conflict.columns(['channel_id', 'key']).doUpdateSet(({ ref }) => ({
        tested_at: ref('excluded.tested_at'),
        milliseconds: ref('excluded.milliseconds'),
        error: ref('excluded.error'),
      })),
    )
    .execute()
}

/** By the fingerprint of the key. Keys that the channel no longer has may be among them. */
export async function listKeyTests(db: Kysely<Schema>, id: number) {
  const rows = await db
    .selectFrom('channel_key_tests')
    .select(['key', 'tested_at', 'milliseconds', 'error'])
    .where('channel_id', '=', id)
    .execute()
  return new Map(rows.map((row) => [row.key, row]))
}

export async function deleteKeyTests(tx: Tx, ids: readonly number[]): Promise<void> {
  if (ids.length === 0) return
  await tx.deleteFrom('channel_key_tests').where('channel_id', 'in', ids).execute()
}
