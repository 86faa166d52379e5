import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { type InBoth, LOG_TYPE } from '@tollgate/contract'
import type { Tx } from './database.ts'
import { idsOfSpan, withinIds } from './log-span.ts'
import { type Page, pageOf, totalOf } from './page.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** Exact matches; 0 and the empty text match everything. */
export type LogFilter = {
  userId?: number
  type: number
  username?: string
  token_name: string
  model_name: string
  channel?: number
  /** Both ends are included. */
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
] as const

/** The ids come first, from an index alone where it can be; only their rows are read whole. */
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

/** One row with all that its receipt says; of somebody's rows only, when a user is named. */
export async function findReceipt(db: Db, { id, userId }: { id: number; userId?: number }) {
  return db
    .selectFrom('logs')
    .select([...SHOWN_OF_LOG, 'attempts', 'held', 'disconnect_policy'])
    .where('id', '=', id)
    .$if(userId !== undefined, (query) => query.where('user_id', '=', userId ?? 0))
    .executeTakeFirst()
}

export type StoredReceipt = NonNullable<Awaited<ReturnType<typeof findReceipt>>>

/** As it stands in the indexes of these rows: what is no request, and requests that cost nothing. */
export const IS_UNSETTLED = sql<boolean>`outcome <> 'settled'`

/** Only requests are charged; their type is by far the most frequent. */
const isUnsettled = (type: number) => type !== 0 && type !== LOG_TYPE.consume

export const ofType = <Row>(query: SelectQueryBuilder<Schema, 'logs', Row>, type: number) =>
  query.where('type', '=', type).$if(isUnsettled(type), (rows) => rows.where(IS_UNSETTLED))

/** What is no request has none of these. */
const isOfRequest = ({ token_name, model_name, channel = 0 }: LogFilter) =>
  token_name !== '' || model_name !== '' || channel !== 0

/** Filters by one value, those that leave the fewest rows first. */
function equalities(filter: LogFilter): [string, number | string][] {
  const wanted: [string, number | string | undefined][] = [
    ['user_id', filter.userId],
    ['username', filter.username],
    ['token_name', filter.token_name],
    ['channel', filter.channel],
    ['model_name', filter.model_name],
    ['type', filter.type],
  ]
  return wanted.flatMap(([column, value]) =>
    value === undefined || value === 0 || value === '' ? [] : [[column, value]],
  )
}

export function filtered<Row>(
  query: SelectQueryBuilder<Schema, 'logs', Row>,
  filter: LogFilter,
): SelectQueryBuilder<Schema, 'logs', Row> {
  let narrowed = query
  for (const [index, [column, value]] of equalities(filter).entries()) {
    // Every column has an index; SQLite, which has no statistics, must not choose a worse one.
    const compared = index === 0 ? sql.ref(column) : sql`coalesce(${sql.ref(column)}, ${value})`
    narrowed = narrowed.where(sql<boolean>`${compared} = ${value}`)
  }
  if (isUnsettled(filter.type) && isOfRequest(filter)) narrowed = narrowed.where(sql.lit(false))
  // Of somebody's rows those of such a type are few; of all rows the index by type has them.
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
  /** A lone text is one that somebody wrote. */
  content: InBoth | string
  /** What was given or taken; 0 when the row tells of something else. */
  quota?: number
  created_at: number
}

/** A row that is no request: what an administrator or the system did. */
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
