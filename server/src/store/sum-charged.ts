import { type Kysely, sql } from 'kysely'
import { LOG_TYPE } from '@tollgate/contract'
import { logsKeptSince } from './delete-logs.ts'
import { filtered, type LogFilter, needsLog } from './log-filter.ts'
import { withPlan } from './log-plan.ts'
import { idsOfSpan, withinIds } from './log-span.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

const SECONDS_PER_HOUR = 3600

type Span = { start: number; end: number }

/** 0 and the empty string match everything. */
type HourFilter = { user_id: number; model_name: string; channel_id: number }

/**
 * Sum of all charges that match the filter, ignoring its `type`, as far back as the log is kept.
 * Names that can change are looked up in the log; everything else comes from sums that are kept
 * with each charge.
 */
export async function sumCharged(db: Db, filter: LogFilter, nowSeconds: number): Promise<number> {
  const { userId, username = '', token_name, model_name, channel = 0 } = filter
  // An end in the future counts as open, so that the current hour is read from the rollups. The log
  // of a busy hour has millions of rows.
  const isOpen = filter.end_timestamp === 0 || filter.end_timestamp >= nowSeconds
  const end = isOpen ? Infinity : filter.end_timestamp
  if (username !== '' || token_name !== '' || needsLog(filter)) return sumOfLog(db, filter)
  const span = { start: Math.max(filter.start_timestamp, await logsKeptSince(db)), end }
  const isEverything = span.start === 0 && isOpen && model_name === '' && channel === 0
  if (isEverything) return sumOfUsers(db, userId)

  const firstHour = Math.ceil(span.start / SECONDS_PER_HOUR)
  const endHour = end === Infinity ? Infinity : Math.floor((end + 1) / SECONDS_PER_HOUR)
  if (firstHour >= endHour) return sumOfSpan(db, filter, span)
  const head = { start: span.start, end: firstHour * SECONDS_PER_HOUR - 1 }
  const tail = { start: endHour * SECONDS_PER_HOUR, end }
  const parts = await Promise.all([
    sumOfSpan(db, filter, head),
    sumOfHours(db, filter, { firstHour, endHour }),
    sumOfSpan(db, filter, tail),
  ])
  return parts.reduce((sum, part) => sum + part, 0)
}

const sumOf = (column: string) => sql<number>`coalesce(sum(${sql.ref(column)}), 0)`.as('sum')

async function sumOfLog(db: Db, given: LogFilter): Promise<number> {
  const ids = await idsOfSpan(db, given)
  const filter = await withPlan(db, { ...given, type: LOG_TYPE.consume }, { scans: true, ids })
  const charges = filtered(db.selectFrom('logs').select(sumOf('quota')), filter)
  return (await withinIds(charges, ids).executeTakeFirstOrThrow()).sum
}

async function sumOfUsers(db: Db, userId: number | undefined): Promise<number> {
  let query = db.selectFrom('users').select(sumOf('used_quota'))
  if (userId !== undefined) query = query.where('id', '=', userId)
  return (await query.executeTakeFirstOrThrow()).sum
}

async function sumOfHours(
  db: Db,
  { userId = 0, model_name, channel = 0 }: LogFilter,
  { firstHour, endHour }: { firstHour: number; endHour: number },
): Promise<number> {
  const filters = { user_id: userId, model_name, channel_id: channel }
  let query = db
    .selectFrom(hoursTable(filters))
    .select(sumOf('quota'))
    .where('hour', '>=', firstHour)
  if (endHour !== Infinity) query = query.where('hour', '<', endHour)
  for (const [column, value] of Object.entries(filters)) {
    if (value === 0 || value === '') continue
    query = query.where(sql<boolean>`${sql.ref(column)} = ${value}`)
  }
  return (await query.executeTakeFirstOrThrow()).sum
}

/** The smallest table that has the wanted columns. */
function hoursTable({ user_id, model_name, channel_id }: HourFilter) {
  if (channel_id === 0) return user_id === 0 ? 'model_hours' : 'user_hours'
  return user_id === 0 && model_name === '' ? 'channel_hours' : 'rollups'
}

/** Sums less than two hours of the log, found by their time. */
async function sumOfSpan(
  db: Db,
  { userId = 0, model_name, channel = 0 }: LogFilter,
  { start, end }: Span,
): Promise<number> {
  if (end < start || start === Infinity) return 0
  const filters = { type: LOG_TYPE.consume, user_id: userId, model_name, channel }
  let query = db
    .selectFrom('logs')
    .select(sumOf('quota'))
    .where('created_at', '>=', start)
    .where('created_at', '<=', end)
  for (const [column, value] of Object.entries(filters)) {
    if (value === 0 || value === '') continue
    // The coalesce keeps the database from using any index but the one by time.
    query = query.where(sql<boolean>`coalesce(${sql.ref(column)}, ${value}) = ${value}`)
  }
  return (await query.executeTakeFirstOrThrow()).sum
}
