import type { Insertable, Kysely, Selectable, Updateable } from 'kysely'
import { CHANNEL_STATUS } from '@tollgate/contract'
import type { Database, Tx } from './database.ts'
import { isInList } from './in-list.ts'
import type { FeedPricesTable, PriceFeedsTable } from './price-schema.ts'
import { sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

const SECONDS_PER_HOUR = 3600

export type StoredFeed = Selectable<PriceFeedsTable>

/** A feed without its list, which has megabytes. */
export type FeedState = Omit<StoredFeed, 'content'>

const STATE = [
  ...(['id', 'name', 'kind', 'url', 'key_group', 'every_hours', 'auto_vendors'] as const),
  ...(['alert_percent', 'stale_days', 'models', 'problems', 'created_at', 'asked_at'] as const),
  ...(['read_at', 'error', 'error_zh', 'stale_alert_at', 'alerted_changes'] as const),
] as const

export const listFeeds = (db: Db): Promise<FeedState[]> =>
  db.selectFrom('price_feeds').select(STATE).orderBy('id').execute()

export const findFeed = (db: Db, id: number) =>
  db.selectFrom('price_feeds').selectAll().where('id', '=', id).executeTakeFirst()

export async function insertFeed(tx: Tx, feed: Insertable<PriceFeedsTable>): Promise<number> {
  const { id } = await tx
    .insertInto('price_feeds')
    .values(feed)
    .returning('id')
    .executeTakeFirstOrThrow()
  return Number(id)
}

/** False if the feed no longer exists. */
export async function updateFeed(tx: Tx, id: number, feed: Updateable<PriceFeedsTable>) {
  const { numUpdatedRows } = await tx
    .updateTable('price_feeds')
    .set(feed)
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/**
 * Claims a scheduled read, so that only one of several nodes performs it. If that node dies, the
 * feed is due again after `retrySeconds`. False if another node was first.
 */
export async function claimFeed(
  db: Db,
  { id, asked_at, every_hours }: FeedState,
  { now, retrySeconds }: { now: number; retrySeconds: number },
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('price_feeds')
    .set({ asked_at: now + retrySeconds - every_hours * SECONDS_PER_HOUR })
    .where('id', '=', id)
    .where('asked_at', '=', asked_at)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

/** Deletes the feed and its prices. False if there is none. */
export async function deleteFeed(tx: Tx, id: number): Promise<boolean> {
  await tx.deleteFrom('feed_prices').where('feed_id', '=', id).execute()
  const { numDeletedRows } = await tx
    .deleteFrom('price_feeds')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export const listFeedPrices = (db: Db) =>
  db.selectFrom('feed_prices').selectAll().orderBy('model').execute()

export type FeedPriceRow = Selectable<FeedPricesTable>

/** Rows of one statement, within the number of parameters that databases accept. */
const ROWS_MAX = 200

/** Replaces the prices of these models, whichever feed they came from. */
export async function writeFeedPrices(tx: Tx, rows: readonly FeedPriceRow[]) {
  for (let first = 0; first < rows.length; first += ROWS_MAX) {
    await tx
      .insertInto('feed_prices')
      .values(rows.slice(first, first + ROWS_MAX))
      .onConflict((conflict) =>
        conflict.column('model').doUpdateSet(({ ref }) => ({
          feed_id: ref('excluded.feed_id'),
          feed: ref('excluded.feed'),
          vendor: ref('excluded.vendor'),
          price: ref('excluded.price'),
          day: ref('excluded.day'),
          applied_at: ref('excluded.applied_at'),
        })),
      )
      .execute()
  }
}

/** Removes prices that came from this feed. */
export async function deleteFeedPrices(tx: Tx, feedId: number, models: readonly string[]) {
  for (let first = 0; first < models.length; first += ROWS_MAX) {
    await tx
      .deleteFrom('feed_prices')
      .where('feed_id', '=', feedId)
      .where('model', 'in', models.slice(first, first + ROWS_MAX))
      .execute()
  }
}

const HOURS_PER_WEEK = 7 * 24

/** Tokens of the last seven days by model. `now` is in epoch seconds. */
export async function listSoldTokens(db: Db, now: number) {
  const rows = await db
    .selectFrom('model_hours')
    .select(['model_name', sumOf('prompt_tokens').as('prompt')])
    .select(sumOf('completion_tokens').as('completion'))
    .where('hour', '>', Math.floor(now / SECONDS_PER_HOUR) - HOURS_PER_WEEK)
    .groupBy('model_name')
    .execute()
  return new Map(
    rows.map(({ model_name, prompt, completion }) => [
      model_name,
      { prompt: Number(prompt), completion: Number(completion) },
    ]),
  )
}

/** The models of enabled channels. */
export async function listOfferedModels(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db
    .selectFrom('abilities')
    .innerJoin('channels', 'channels.id', 'abilities.channel_id')
    .select('abilities.model')
    .distinct()
    .where('channels.status', '=', CHANNEL_STATUS.enabled)
    .execute()
  return new Set(rows.map(({ model }) => model))
}

/** The name mappings of the enabled channels that serve these models. */
export const listMappings = (
  { kysely, kind }: Pick<Database, 'kysely' | 'kind'>,
  models: readonly string[],
) =>
  kysely
    .selectFrom('abilities')
    .innerJoin('channels', 'channels.id', 'abilities.channel_id')
    .select(['abilities.model', 'channels.model_mapping'])
    .distinct()
    .where('channels.status', '=', CHANNEL_STATUS.enabled)
    .where(isInList(kind, 'abilities.model', { type: 'text', values: models }))
    .execute()
