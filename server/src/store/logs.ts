import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import type { InBoth, LOG_TYPE } from '@tollgate/contract'
import type { Tx } from './database.ts'
import { filtered, isByMeasureAlone, isUnordered, type LogFilter } from './log-filter.ts'
import { lastIdOf } from './log-names.ts'
import { withPlan } from './log-plan.ts'
import { idsOfSpan, withinIds } from './log-span.ts'
import { type Page, pageOf, totalOf } from './page.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

export const SHOWN_OF_LOG = [
  'id',
  'user_id',
  'created_at',
  'type',
  'content',
  'content_zh',
  'username',
  'token_name',
  'model_name',
  'quota',
  'prompt_tokens',
  'completion_tokens',
  'channel',
  'request_id',
  'elapsed_time',
  'first_token_time',
  'is_stream',
  'outcome',
  'end_reason',
  'uncollected',
  'upstream_model',
  'basis',
  'provider_cost',
  'endpoint',
  'group',
] as const

/** Rows whose values bound the values of a page. */
const NEAR_ROWS = 20_000

/** Finds the ids first, from an index alone if possible, and then reads only those rows in full. */
export async function listLogs(db: Db, given: LogFilter, { after, ...page }: LogPage) {
  const { sort = 'id', order } = page
  const scans = sort !== 'id'
  const span = await spanOf(db, given, after)
  const filter = await withPlan(db, given, { scans, ids: span })
  const ids = filtered(db.selectFrom('logs').select('id'), filter, { scans })
  const matching = withinIds(ids, span)
  const isBounded = scans || (order === 'desc' && (isByMeasureAlone(filter) || isUnordered(filter)))
  const bounded = isBounded ? await withBound(db, matching, { page, last: span.max }) : matching
  const isSparse = sort === 'id' && isBounded && bounded === matching
  const rows = await db
    .selectFrom('logs')
    .select(SHOWN_OF_LOG)
    .where('id', 'in', pageOf(bounded, { ...page, isSparse }))
    .orderBy(sql.ref(sort), order)
    .$if(sort !== 'id', (query) => query.orderBy('id', order))
    .execute()
  // Views that follow the log need no count.
  const total =
    after === undefined ? await totalOf(db, matching, { page, found: rows.length }) : rows.length
  return { rows, total }
}

async function spanOf(db: Db, filter: LogFilter, after: number | undefined) {
  const { min, max } = await idsOfSpan(db, filter)
  return { min: after === undefined ? min : Math.max(min ?? 0, after + 1), max }
}

type Ids = SelectQueryBuilder<Schema, 'logs', { id: number }>

/**
 * Leaves out rows that cannot be on the page. If some of the newest rows suffice for the page,
 * no row on the page comes after the last of those. Databases find the few remaining rows in a
 * fraction of the time of sorting all. Otherwise it returns `matching`.
 */
async function withBound(
  db: Db,
  matching: Ids,
  { page: { p, size, before, sort = 'id', order }, last }: { page: Page; last: number | null },
): Promise<Ids> {
  const column = sql.ref<number>(sort)
  const upper = before === undefined ? (last ?? (await lastIdOf(db))) : before - 1
  const near = matching
    .select(column.as('value'))
    .where('id', '>', upper - NEAR_ROWS)
    .where('id', '<=', upper)
  const edge = await db
    .selectFrom(near.as('near'))
    .select('near.value')
    .orderBy('near.value', order)
    .limit(1)
    .offset((p + 1) * size - 1)
    .executeTakeFirst()
  if (edge === undefined) return matching
  const isBefore = sql.raw(order === 'desc' ? '>=' : '<=')
  return matching.where(sql<boolean>`${column} ${isBefore} ${edge.value}`)
}

/** `after`: only rows with a higher id. */
type LogPage = Page & { after?: number | undefined }

export type ShownLog = Awaited<ReturnType<typeof listLogs>>['rows'][number]

/** A row with everything its receipt shows. With `userId`, only a row of that user. */
export async function findReceipt(db: Db, { id, userId }: { id: number; userId?: number }) {
  return db
    .selectFrom('logs')
    .select([...SHOWN_OF_LOG, 'attempts', 'held', 'disconnect_policy'])
    .where('id', '=', id)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? 0))
    .executeTakeFirst()
}

export type StoredReceipt = NonNullable<Awaited<ReturnType<typeof findReceipt>>>

export type Note = {
  user_id: number
  username: string
  type: typeof LOG_TYPE.topup | typeof LOG_TYPE.manage | typeof LOG_TYPE.system
  /** A plain string was written by a person. */
  content: InBoth | string
  /** Quota granted or taken; 0 if the row reports something else. */
  quota?: number
  created_at: number
}

/** Inserts a row that is not a request: an action of an administrator or the system. */
export async function insertNote(tx: Tx, { content, ...note }: Note) {
  const { en, zh } = typeof content === 'string' ? { en: content, zh: '' } : content
  await tx
    .insertInto('logs')
    .values({
      quota: 0,
      ...note,
      content: en,
      content_zh: zh,
      token_id: 0,
      token_name: '',
      model_name: '',
      upstream_model: '',
      uncollected: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      channel: 0,
      request_id: null,
      elapsed_time: 0,
      first_token_time: 0,
      is_stream: 0,
      outcome: '',
      end_reason: '',
      attempts: '[]',
      basis: '',
    })
    .execute()
}
