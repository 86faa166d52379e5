import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { Schema } from './schema.ts'
import { createTtlMemo, type TtlMemo } from './ttl-memo.ts'

type Db = Kysely<Schema>

/** Largest number of rows that may be out of order by time. */
const DISORDER_ROWS_MAX = 5000

type Span = { start_timestamp: number; end_timestamp: number }

/** Null means no bound. 0, which no row has, means that no row is in the span. */
export type Ids = { min: number | null; max: number | null }

const recents = new WeakMap<Db, TtlMemo<number>>()

/**
 * The range of ids that contains a time span, so that an old page is found without reading all
 * newer rows. Ids follow the rows' times except for late endings and clock differences between
 * nodes. A late row may be missing for some seconds, until the memo expires.
 */
export async function idsOfSpan(db: Db, { start_timestamp, end_timestamp }: Span): Promise<Ids> {
  const near = db.selectFrom('logs').select('id').limit(DISORDER_ROWS_MAX)
  const oldest = near.where('created_at', '>=', start_timestamp).orderBy('created_at')
  const newest = near.where('created_at', '<=', end_timestamp).orderBy('created_at', 'desc')
  const recent = recents.get(db) ?? createTtlMemo<number>()
  recents.set(db, recent)
  const [min, max] = await Promise.all([
    start_timestamp === 0
      ? null
      : recent(`from ${start_timestamp}`, () => edgeOf(db, oldest, 'min')),
    end_timestamp === 0 ? null : recent(`to ${end_timestamp}`, () => edgeOf(db, newest, 'max')),
  ])
  return { min, max }
}

async function edgeOf(
  db: Db,
  ids: SelectQueryBuilder<Schema, 'logs', { id: number }>,
  edge: 'min' | 'max',
): Promise<number> {
  const row = await db
    .selectFrom(ids.as('near'))
    .select((eb) => eb.fn<number | null>(edge, ['near.id']).as('id'))
    .executeTakeFirst()
  return row?.id ?? 0
}

export function withinIds<Row>(
  query: SelectQueryBuilder<Schema, 'logs', Row>,
  { min, max }: Ids,
): SelectQueryBuilder<Schema, 'logs', Row> {
  let narrowed = query
  if (min !== null) narrowed = narrowed.where('id', '>=', min)
  if (max !== null) narrowed = narrowed.where('id', '<=', max)
  return narrowed
}
