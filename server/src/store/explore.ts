import { type Kysely, type RawBuilder, sql } from 'kysely'
import {
  LOG_TYPE,
  type StatStep,
  USAGE_FILTERS,
  type UsageDimension,
  type UsageMetric,
} from '@tollgate/contract'
import type { HourSpan } from './hour-span.ts'
import { HISTOGRAM_BUCKETS } from './hour-tables.ts'
import { idsOfSpan } from './log-span.ts'
import { firstHourOf, secondsOf, sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

export type ExploreScope = {
  by: UsageDimension
  metric: UsageMetric
  hours: HourSpan
  filter: ExploreFilter
}

/** Keys that usage is narrowed to. Absent dimensions match everything. */
export type ExploreFilter = {
  model?: string | undefined
  user?: number | undefined
  token?: number | undefined
  channel?: number | undefined
}

/** Sums of the columns that the metric is made of, in their order. */
export type ExploredSums = { key: string; requests: number; sums: number[] }

const histogram = (name: 'latency' | 'first_token') =>
  HISTOGRAM_BUCKETS.map((bucket) => `${name}_${bucket}`)

function columnsOf(metric: UsageMetric): readonly string[] {
  switch (metric) {
    case 'latency':
    case 'first_token':
      return histogram(metric)
    case 'margin':
      return ['costed_quota', 'provider_cost']
    case 'quota':
    case 'requests':
    case 'failures':
    case 'prompt_tokens':
    case 'cached_tokens':
    case 'completion_tokens':
    case 'provider_cost':
      return [metric]
  }
}

const KEYS = {
  model: 'model_name',
  token: 'token_id',
  user: 'user_id',
  channel: 'channel_id',
  group: 'group_name',
} as const

/** Columns that only the finest rollups and the channels' have. */
const isDetailed = (metric: UsageMetric) =>
  metric === 'cached_tokens' || metric === 'latency' || metric === 'first_token'

/** The smallest table with the columns. */
function tableOf({ by, metric, filter }: ExploreScope): string {
  if (by === 'group') return 'group_hours'
  const used = USAGE_FILTERS.filter((name) => name === by || filter[name] !== undefined)
  if (used.join() === 'channel' && metric !== 'cached_tokens') return 'channel_hours'
  if (isDetailed(metric) || used.includes('token') || used.includes('channel')) return 'rollups'
  return used.includes('user') ? 'user_hours' : 'model_hours'
}

/** Conditions in addition to the time. */
function narrowed(filter: ExploreFilter, columns: Readonly<Record<keyof ExploreFilter, string>>) {
  const conditions = USAGE_FILTERS.flatMap((name) =>
    filter[name] === undefined ? [] : [sql`and ${sql.ref(columns[name])} = ${filter[name]}`],
  )
  return conditions.length === 0 ? sql`` : sql.join(conditions, sql` `)
}

async function sourceOf(db: Db, scope: ExploreScope): Promise<RawBuilder<unknown>> {
  const { by, metric, hours, filter } = scope
  if (by === 'endpoint') return endpointSource(db, scope)
  const columns = [...new Set(['requests', ...columnsOf(metric)])].map((name) => sql.ref(name))
  return sql`(select hour, cast(${sql.ref(KEYS[by])} as text) as key, ${sql.join(columns)}
    from ${sql.table(tableOf(scope))}
    where hour >= ${hours.firstHour} and hour < ${hours.endHour} ${narrowed(filter, KEYS)})`
}

const SECONDS_PER_HOUR = 3600

/** No rollup has the endpoint, so its figures come from the log, as far back as it is kept. */
async function endpointSource(db: Db, { hours, filter }: ExploreScope) {
  const start = hours.firstHour * SECONDS_PER_HOUR
  const end = hours.endHour * SECONDS_PER_HOUR - 1
  const ids = await idsOfSpan(db, { start_timestamp: start, end_timestamp: end })
  return sql`(select created_at / ${sql.lit(SECONDS_PER_HOUR)} as hour, endpoint as key,
      1 as requests, case when outcome = 'void' then 1 else 0 end as failures, quota,
      prompt_tokens, completion_tokens
    from logs
    where id >= ${ids.min ?? 0} and id <= ${ids.max ?? 0}
      and created_at >= ${start} and created_at <= ${end}
      and coalesce(type, 0) = ${LOG_TYPE.consume} and outcome in ('settled', 'void')
      ${narrowed(filter, { ...KEYS, channel: 'channel' })})`
}

type SumRow = Record<string, number | string>

function toSums(row: SumRow, columns: readonly string[]): ExploredSums {
  const sums = columns.map((column) => Number(row[`sum_${column}`] ?? 0))
  return { key: String(row['key']), requests: Number(row['requests']), sums }
}

const sumColumns = (columns: readonly string[]) =>
  sql.join(columns.map((name) => sql`${sumOf(name)} as ${sql.ref(`sum_${name}`)}`))

/** Sums by key, the greatest first by the first column of the metric, or by requests. */
export async function listExplored(
  db: Db,
  scope: ExploreScope,
  { keys, limit }: { keys?: readonly string[]; limit: number },
): Promise<ExploredSums[]> {
  const columns = columnsOf(scope.metric)
  const order = isDetailed(scope.metric) ? 'requests' : (columns[0] ?? 'requests')
  const rows = await db
    .selectFrom(
      sql<SumRow>`(select key, ${sumOf('requests')} as requests, ${sumColumns(columns)}
        from ${await sourceOf(db, scope)} as usage
        ${keys === undefined ? sql`` : sql`where key in (${sql.join(keys)})`}
        group by key order by sum(${sql.ref(order)}) desc, key limit ${limit})`.as('explored'),
    )
    .selectAll()
    .execute()
  return rows.map((row) => toSums(row, columns))
}

/** Sums of the whole span. */
export async function sumExplored(db: Db, scope: ExploreScope): Promise<ExploredSums> {
  const columns = columnsOf(scope.metric)
  const row = await db
    .selectFrom(
      sql<SumRow>`(select '' as key, coalesce(${sumOf('requests')}, 0) as requests,
        ${sumColumns(columns)} from ${await sourceOf(db, scope)} as usage)`.as('explored'),
    )
    .selectAll()
    .executeTakeFirstOrThrow()
  return toSums(row, columns)
}

/** Oldest first. Keys that are not named are summed under the empty key. */
export async function listExploredBuckets(
  db: Db,
  scope: ExploreScope,
  { step, named }: { step: StatStep; named: readonly string[] },
): Promise<(ExploredSums & { start: number })[]> {
  const columns = columnsOf(scope.metric)
  const needed = [...new Set(['requests', ...columns])]
  const shown =
    named.length === 0
      ? sql`''`
      : sql`case when key in (${sql.join(named)})
    then key else '' end`
  const rows = await db
    .selectFrom(
      sql<SumRow>`(select start, key, ${sumOf('requests')} as requests, ${sumColumns(columns)}
        from (select ${firstHourOf(step, scope.hours)} as start, ${shown} as key,
            ${sql.join(needed.map((name) => sql.ref(name)))}
          from ${await sourceOf(db, scope)} as usage) as shown
        group by start, key order by start, key)`.as('explored'),
    )
    .selectAll()
    .execute()
  return rows.map((row) => ({ ...toSums(row, columns), start: secondsOf(Number(row['start'])) }))
}
