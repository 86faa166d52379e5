import { type RawBuilder, sql } from 'kysely'
import { LOG_TYPE } from '@tollgate/contract'
import type { Tx } from '../store/database.ts'
import { HISTOGRAM_BOUNDS_MS, HISTOGRAM_BUCKETS, type RollupsTable } from '../store/schema.ts'
import type { Charge } from './charge.ts'
import type { EndRecord } from './record.ts'

const SECONDS_PER_HOUR = 3600
export const SECONDS_PER_DAY = 86_400

type Histogram<Name extends string> = Record<`${Name}_${(typeof HISTOGRAM_BUCKETS)[number]}`, 0 | 1>

/** The books behind the log: kept whatever becomes of the log's rows. */
export function bookDay(tx: Tx, { context, at }: EndRecord, charge: Charge) {
  const amounts = {
    charged: charge.charged,
    token_charged: charge.tokenCharged,
    uncollected: charge.uncollected,
    requests: 1,
  }
  return tx
    .insertInto('ledger_days')
    .values({
      user_id: context.userId,
      token_id: context.tokenId,
      day: Math.floor(at / SECONDS_PER_DAY),
      ...amounts,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['user_id', 'token_id', 'day'])
        .doUpdateSet(increments('ledger_days', Object.keys(amounts))),
    )
}

/** What dashboards read, so that they never scan the log. */
export function bookHour(tx: Tx, record: EndRecord, charge: Charge) {
  const amounts = rollupAmounts(record, charge)
  return tx
    .insertInto('rollups')
    .values({
      hour: Math.floor(record.at / SECONDS_PER_HOUR),
      user_id: record.context.userId,
      token_id: record.context.tokenId,
      channel_id: record.channel,
      model_name: record.context.model,
      ...amounts,
    })
    .onConflict((conflict) =>
      conflict
        .columns(['hour', 'user_id', 'token_id', 'channel_id', 'model_name'])
        .doUpdateSet(increments('rollups', Object.keys(amounts))),
    )
}

type RollupKey = 'hour' | 'user_id' | 'token_id' | 'channel_id' | 'model_name'

function rollupAmounts(record: EndRecord, charge: Charge): Omit<RollupsTable, RollupKey> {
  const { basis, elapsedMs, firstTokenMs } = record
  const answered = record.outcome === 'settled'
  return {
    requests: 1,
    failures: answered ? 0 : 1,
    prompt_tokens: basis?.prompt_tokens ?? 0,
    cached_tokens: basis?.cached_tokens ?? 0,
    cache_write_tokens: basis?.cache_write_tokens ?? 0,
    completion_tokens: basis?.completion_tokens ?? 0,
    reasoning_tokens: basis?.reasoning_tokens ?? 0,
    quota: charge.charged,
    ...histogram('latency', answered ? elapsedMs : null),
    ...histogram('first_token', answered && firstTokenMs > 0 ? firstTokenMs : null),
  }
}

function histogram<Name extends string>(name: Name, milliseconds: number | null): Histogram<Name> {
  const found = HISTOGRAM_BOUNDS_MS.findIndex((bound) => (milliseconds ?? 0) <= bound)
  const hit = found === -1 ? HISTOGRAM_BOUNDS_MS.length : found
  const counts = Object.fromEntries(
    HISTOGRAM_BUCKETS.map((bucket) => [
      `${name}_${bucket}`,
      milliseconds !== null && bucket === hit ? 1 : 0,
    ]),
  )
  return counts as Histogram<Name> // safe because there is an entry for every bucket
}

function increments(table: string, columns: string[]): Record<string, RawBuilder<number>> {
  return Object.fromEntries(
    columns.map((column) => [
      column,
      saturatingIncrement(sql.ref(`${table}.${column}`), sql.ref(`excluded.${column}`)),
    ]),
  )
}

/** A counter that is full stands still rather than stop the charges that it counts. */
export function saturatingIncrement(
  current: RawBuilder<unknown>,
  added: RawBuilder<unknown> | number,
): RawBuilder<number> {
  const most = sql.lit(Number.MAX_SAFE_INTEGER)
  return sql`case when ${current} > ${most} - ${added} then ${most} else ${current} + ${added} end`
}

export function writeLog(tx: Tx, record: EndRecord, charge: Charge, held: number) {
  const { context, basis } = record
  return tx.insertInto('logs').values({
    user_id: context.userId,
    created_at: record.at,
    type: LOG_TYPE.consume,
    content: record.content,
    username: context.username,
    token_id: context.tokenId,
    token_name: context.tokenName,
    model_name: context.model,
    upstream_model: record.upstreamModel,
    quota: charge.charged,
    uncollected: charge.uncollected,
    prompt_tokens: basis?.prompt_tokens ?? 0,
    completion_tokens: basis?.completion_tokens ?? 0,
    channel: record.channel,
    request_id: context.requestId,
    elapsed_time: record.elapsedMs,
    first_token_time: record.firstTokenMs,
    is_stream: context.isStream ? 1 : 0,
    outcome: record.outcome,
    end_reason: record.endReason,
    attempts: JSON.stringify(record.attempts),
    basis: basis === null ? '' : JSON.stringify({ ...basis, held }),
    held,
  })
}
