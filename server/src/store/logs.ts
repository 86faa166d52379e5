import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import { LOG_TYPE } from '@tollgate/contract'
import type { Tx } from './database.ts'
import { type Page, readPage } from './page.ts'
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

const SHOWN = [
  'id',
  'user_id',
  'created_at',
  'type',
  'content',
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
  'attempts',
  'basis',
] as const

export const listLogs = (db: Db, filter: LogFilter, page: Page) =>
  readPage(db, filtered(db.selectFrom('logs').select(SHOWN), filter), page)

export type ShownLog = Awaited<ReturnType<typeof listLogs>>['rows'][number]

function filtered<Row>(
  query: SelectQueryBuilder<Schema, 'logs', Row>,
  filter: LogFilter,
): SelectQueryBuilder<Schema, 'logs', Row> {
  const equal: Record<string, number | string | undefined> = {
    user_id: filter.userId,
    type: filter.type,
    username: filter.username,
    token_name: filter.token_name,
    model_name: filter.model_name,
    channel: filter.channel,
  }
  let narrowed = query
  for (const [column, value] of Object.entries(equal)) {
    if (value === undefined || value === 0 || value === '') continue
    narrowed = narrowed.where(sql<boolean>`${sql.ref(column)} = ${value}`)
  }
  if (filter.start_timestamp > 0) {
    narrowed = narrowed.where('created_at', '>=', filter.start_timestamp)
  }
  if (filter.end_timestamp > 0) {
    narrowed = narrowed.where('created_at', '<=', filter.end_timestamp)
  }
  return narrowed
}

/** What was charged by the rows that match, whatever type they ask for. */
export async function sumLogs(db: Db, filter: LogFilter): Promise<number> {
  const query = filtered(
    db
      .selectFrom('logs')
      .select((eb) => eb.fn.coalesce(eb.fn.sum<number>('quota'), sql.lit(0)).as('sum')),
    { ...filter, type: LOG_TYPE.consume },
  )
  const { sum } = await query.executeTakeFirstOrThrow()
  return sum
}

export type Note = {
  user_id: number
  username: string
  type: typeof LOG_TYPE.manage | typeof LOG_TYPE.system
  content: string
  created_at: number
}

/** A row that is no request: what an administrator or the system did. */
export async function insertNote(tx: Tx, note: Note) {
  await tx
    .insertInto('logs')
    .values({
      ...note,
      token_id: 0,
      token_name: '',
      model_name: '',
      upstream_model: '',
      quota: 0,
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
