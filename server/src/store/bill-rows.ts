import type { Kysely } from 'kysely'
import { idsOfSpan, withinIds } from './log-span.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** Rows that one call looks at, and rows that it returns. */
const LOOKED_AT_MAX = 5000
const ROWS_MAX = 200

type Search = {
  /** Both bounds are inclusive. */
  start_timestamp: number
  end_timestamp: number
  channels: readonly number[]
  /** 0: from the newest row. */
  before: number
}

/**
 * Rows of a time span with an attempt on one of the channels, newest first. Reads a bounded number
 * of rows, found by the indexes of time and id. `next` continues the search; 0 after the last row.
 */
export async function listRowsOfChannels(db: Db, { channels, before, ...span }: Search) {
  const within = withinIds(
    db
      .selectFrom('logs')
      .select(['id', 'created_at', 'request_id', 'username', 'model_name', 'outcome', 'attempts'])
      .where('created_at', '>=', span.start_timestamp)
      .where('created_at', '<=', span.end_timestamp)
      .$if(before > 0, (query) => query.where('id', '<', before)),
    await idsOfSpan(db, span),
  ).orderBy('id', 'desc')
  const window = await db
    .selectFrom(within.clearSelect().select('id').limit(LOOKED_AT_MAX).as('near'))
    .select((eb) => [
      eb.fn.min<number | null>('id').as('first'),
      eb.fn.countAll<number>().as('count'),
    ])
    .executeTakeFirstOrThrow()
  const first = Number(window.first ?? 0)
  const rows = await within
    .where('id', '>=', first)
    // The attempts are JSON that the ledger wrote: its first field is the channel.
    .where((eb) =>
      eb.or(channels.map((channel) => eb('attempts', 'like', `%"channel":${channel},%`))),
    )
    .limit(ROWS_MAX)
    .execute()
  const isFull = rows.length === ROWS_MAX
  const isEnd = Number(window.count) < LOOKED_AT_MAX
  const next = isFull ? (rows.at(-1)?.id ?? 0) : isEnd ? 0 : first
  return { rows, next }
}
