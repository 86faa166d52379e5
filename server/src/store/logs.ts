import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { type InBoth, LOG_TYPE } from '@tollgate/contract'
import type { Tx } from './database.ts'
import { idsOfSpan, withinIds } from './log-span.ts'
import { type Page, pageOf, totalOf } from './page.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** Exact matches; 0 and the empty string match everything. */
export type LogFilter = {
  userId?: number
  type: number
  username?: string
  token_name: string
  model_name: string
  channel?: number
  /** Both bounds are inclusive. */
  start_timestamp: number
  end_timestamp: number
}

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
] as const

/** Finds the ids first, from an index alone if possible, and then reads only those rows in full. */
export async function listLogs(db: Db, filter: LogFilter, page: Page) {
  const ids = filtered(db.selectFrom('logs').select('id'), filter)
  const matching = withinIds(ids, await idsOfSpan(db, filter))
  const rows = await db
    .selectFrom('logs')
    .select(SHOWN_OF_LOG)
    .where('id', 'in', pageOf(matching, page))
    .orderBy('id', page.order)
    .execute()
  return { rows, total: await totalOf(db, matching, { page, found: rows.length }) }
}

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

/**
 * Must match the predicate of the partial indexes. True for rows that are not requests and for
 * requests that cost nothing.
 */
export const IS_UNSETTLED = sql<boolean>`outcome <> 'settled'`

/** Only requests are charged; their type is by far the most frequent. */
const isUnsettled = (type: number) => type !== 0 && type !== LOG_TYPE.consume

export const ofType = <Row>(query: SelectQueryBuilder<Schema, 'logs', Row>, type: number) =>
  query.where('type', '=', type).$if(isUnsettled(type), (rows) => rows.where(IS_UNSETTLED))

/** Only requests have these fields. */
const isOfRequest = ({ token_name, model_name, channel = 0 }: LogFilter) =>
  token_name !== '' || model_name !== '' || channel !== 0

/** Equality filters, most selective first. */
function equalities(filter: LogFilter): [string, number | string][] {
  const candidates: [string, number | string | undefined][] = [
    ['user_id', filter.userId],
    ['username', filter.username],
    ['token_name', filter.token_name],
    ['channel', filter.channel],
    ['model_name', filter.model_name],
    ['type', filter.type],
  ]
  return candidates.flatMap(([column, value]) =>
    value === undefined || value === 0 || value === '' ? [] : [[column, value]],
  )
}

export function filtered<Row>(
  query: SelectQueryBuilder<Schema, 'logs', Row>,
  filter: LogFilter,
): SelectQueryBuilder<Schema, 'logs', Row> {
  let narrowed = query
  for (const [index, [column, value]] of equalities(filter).entries()) {
    // Every column has an index. SQLite has no statistics, and the coalesce keeps it from choosing
    // a less selective index.
    const compared = index === 0 ? sql.ref(column) : sql`coalesce(${sql.ref(column)}, ${value})`
    narrowed = narrowed.where(sql<boolean>`${compared} = ${value}`)
  }
  if (isUnsettled(filter.type) && isOfRequest(filter)) narrowed = narrowed.where(sql.lit(false))
  // A user has few rows of such a type. Without a user, the index by type finds them.
  const isOfOne = filter.userId !== undefined || (filter.username ?? '') !== ''
  if (isOfOne && isUnsettled(filter.type)) narrowed = narrowed.where(IS_UNSETTLED)
  if (filter.start_timestamp > 0) {
    narrowed = narrowed.where('created_at', '>=', filter.start_timestamp)
  }
  if (filter.end_timestamp > 0) {
    narrowed = narrowed.where('created_at', '<=', filter.end_timestamp)
  }
  return narrowed
}

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
