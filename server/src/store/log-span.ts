import type { Kysely, SelectQueryBuilder } from 'kysely'
import type { Schema } from './schema.ts'
import { createTtlMemo, type TtlMemo } from './ttl-memo.ts'

type Db = Kysely<Schema>

/** So many rows of the log may be out of the order of their times. */
const DISORDER_ROWS_MAX = 5000

type Span = { start_timestamp: number; end_timestamp: number }

/** No bound where there is none; 0, which no row has, where no row is in the span. */
type Ids = { least: number | null; most: number | null }

const recents = new WeakMap<Db, TtlMemo<number>>()

/**
 * The ids that a span of time lies between, so that a page of long ago is found without reading all
 * that is newer. Rows are written in the order of their times, but for what late endings and the
 * clocks of several nodes make of it. A row that came late may be missing for some seconds.
 */
export async function idsOfSpan(db: Db, { start_timestamp, end_timestamp }: Span): Promise<Ids> {
  const near = db.selectFrom('logs').select('id').limit(DISORDER_ROWS_MAX)
  const oldest = near.where('created_at', '>=', start_timestamp).orderBy('created_at')
  const newest = near.where('created_at', '<=', end_timestamp).orderBy('created_at', 'desc')
  const recent = recents.get(db) ?? createTtlMemo<number>()
  recents.set(db, recent)
  const [least, most] = await Promise.all([
    start_timestamp === 0
      ? null
      : recent(`from ${start_timestamp}`, () => edgeOf(db, oldest, 'min')),
    end_timestamp === 0 ? null : recent(`to ${end_timestamp}`, () => edgeOf(db, newest, 'max')),
  ])
  return { least, most }
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
  { least, most }: Ids,
): SelectQueryBuilder<Schema, 'logs', Row> {
  let narrowed = query
  if (least !== null) narrowed = narrowed.where('id', '>=', least)
  if (most !== null) narrowed = narrowed.where('id', '<=', most)
  return narrowed
}
