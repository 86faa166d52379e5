import { type Kysely, sql } from 'kysely'
import type { BilledSum, RecordedUse } from '../domain/bills/bill.ts'
import { sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** Hours since the epoch, UTC; `end` excluded. */
export type Hours = { start: number; end: number }

const nullable = (value: number | string | null) => (value === null ? null : Number(value))

/** Lines that begin within the hours, summed by interval, model and key. */
export async function sumBilled(db: Db, sourceId: number, hours: Hours): Promise<BilledSum[]> {
  const rows = await db
    .selectFrom('bill_lines')
    // A line without a model is about the item it names, such as a credit.
    .select(['hour', 'hours', sql<string>`case model when '' then item else model end`.as('name')])
    .select(['key', sql<number>`count(*)`.as('lines'), sumOf('requests').as('requests')])
    .select([sumOf('input').as('input'), sumOf('cached').as('cached')])
    .select([sumOf('written').as('written'), sumOf('output').as('output')])
    .select(sumOf('amount').as('amount'))
    .where('source_id', '=', sourceId)
    .where('hour', '>=', hours.start)
    .where('hour', '<', hours.end)
    .groupBy(['hour', 'hours', 'name', 'key'])
    .execute()
  return rows.map((row) => ({
    start: row.hour,
    hours: row.hours,
    model: row.name,
    key: row.key,
    lines: Number(row.lines),
    requests: nullable(row.requests),
    input: nullable(row.input),
    cached: nullable(row.cached),
    written: nullable(row.written),
    output: nullable(row.output),
    amount: nullable(row.amount),
  }))
}

/** What these channels used, read from the hourly sums and never from the log. */
export async function listRecorded(
  db: Db,
  channels: readonly number[],
  hours: Hours,
): Promise<RecordedUse[]> {
  if (channels.length === 0) return []
  const rows = await db
    .selectFrom('provider_hours')
    .selectAll()
    .where('channel_id', 'in', channels)
    .where('hour', '>=', hours.start)
    .where('hour', '<', hours.end)
    .execute()
  return rows.map((row) => ({
    hour: row.hour,
    channel: row.channel_id,
    model: row.model_name,
    key: row.key,
    attempts: row.attempts,
    unknown: row.unknown,
    input: row.input_tokens,
    cached: row.cached_tokens,
    written: row.written_tokens,
    output: row.output_tokens,
    cost: row.cost,
  }))
}

/** Longest interval of a line that begins before a period and reaches into it: a month. */
const LINE_HOURS_MAX = 31 * 24

/** The first hour of the lines that reach into a period, or the period's own. */
export async function firstHourOfLines(db: Db, sourceId: number, start: number): Promise<number> {
  const row = await db
    .selectFrom('bill_lines')
    .select((eb) => eb.fn.min<number | null>('hour').as('hour'))
    .where('source_id', '=', sourceId)
    .where('hours', '>', 1)
    .where('hour', '>', start - LINE_HOURS_MAX)
    .where('hour', '<', start)
    .where(sql<boolean>`hour + hours > ${start}`)
    .executeTakeFirst()
  return Number(row?.hour ?? start)
}
