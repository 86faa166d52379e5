import { type Kysely, type SelectQueryBuilder, sql } from 'kysely'
import {
  FACET_ROWS_MAX,
  FACET_VALUES_MAX,
  LOG_RESULTS,
  type LogFacet,
  COMPLETE_REASONS,
  resultOf,
} from '@tollgate/contract'
import { conditionsOfEndpoint, filtered, isByMeasureAlone, type LogFilter } from './log-filter.ts'
import { lastIdOf } from './log-names.ts'
import { withPlan } from './log-plan.ts'
import { type Ids, idsOfSpan, withinIds } from './log-span.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

export type FacetValue = { value: string; count: number }

export type CountedFacets = {
  counted: number
  more: boolean
  facets: Map<LogFacet, FacetValue[]>
}

/** Facets that are a column each; `none` is the value of rows without one. */
const COLUMNS = {
  model: { column: 'model_name', none: `''` },
  token: { column: 'token_name', none: `''` },
  endpoint: { column: 'endpoint', none: `''` },
  user: { column: 'user_id', none: `0` },
  channel: { column: 'channel', none: `0` },
  group: { column: 'group', none: `''` },
} as const

const COUNTED = [
  'outcome',
  'end_reason',
  'is_stream',
  'model_name',
  'token_name',
  'endpoint',
  'user_id',
  'channel',
  'group',
] as const

/** These tell whether a condition is rare. */
const NEAR_ROWS = 20_000

type ColumnFacet = keyof typeof COLUMNS

const OWN_COLUMNS: readonly ColumnFacet[] = ['model', 'token', 'endpoint']
const ALL_COLUMNS: readonly ColumnFacet[] = [...OWN_COLUMNS, 'user', 'channel', 'group']

type CountRow = { name: string; value: string; reason: string; count: number }

/** Counts the newest rows of the filter by each facet, in one statement that reads them once. */
export async function countFacets(
  db: Db,
  filter: LogFilter,
  { isAdmin }: { isAdmin: boolean },
): Promise<CountedFacets> {
  const newest = await newestRows(db, filter)
  const counts = [
    sql`select 'outcome' as name, outcome as value, end_reason as reason, count(*) as count
      from newest group by outcome, end_reason`,
    sql`select 'stream' as name, cast(is_stream as text) as value, '' as reason,
      count(*) as count from newest where outcome <> '' group by is_stream`,
    ...(isAdmin ? ALL_COLUMNS : OWN_COLUMNS).map(countsOf),
  ]
  const rows = await db
    .with(
      (cte) => cte('newest').materialized(),
      () => newest,
    )
    .selectFrom(sql<CountRow>`(${sql.join(counts, sql` union all `)})`.as('counts'))
    .select(['counts.name', 'counts.value', 'counts.reason', 'counts.count'])
    .execute()
  return facetsOf(rows)
}

const countedRows = (db: Db) => db.selectFrom('logs').select(COUNTED)

/** The newest rows of the filter with all that is counted. */
async function newestRows(db: Db, given: LogFilter) {
  const ids = await idsOfSpan(db, given)
  const filter = await withPlan(db, given, { scans: true, ids, newest: FACET_ROWS_MAX })
  const rows = countedRows(db)
  const matching = withinIds(filtered(rows, filter, { scans: true }), ids)
  const edge = filter.rare?.column === 'endpoint' ? await edgeOfNewest(db, filter, ids) : undefined
  if (edge !== undefined) return newestByEdge(db, matching, edge)
  if (!isByMeasureAlone(filter) || !(await isSparse(db, matching, ids))) {
    return matching.orderBy('id', 'desc').limit(FACET_ROWS_MAX + 1)
  }
  // No index has the order of an expression, so the smallest index finds the rows.
  const found = matching
    .clearSelect()
    .select('id')
    .orderBy(sql`id + 0`, 'desc')
    .limit(FACET_ROWS_MAX + 1)
  return rows.where('id', 'in', found)
}

/**
 * The lowest id of the newest rows of an endpoint or group, from its index alone; undefined if all
 * its rows are counted.
 */
async function edgeOfNewest(db: Db, filter: LogFilter, ids: Ids): Promise<number | undefined> {
  const ofValue = conditionsOfEndpoint(filter).reduce(
    (query, condition) => query.where(condition),
    withinIds(db.selectFrom('logs').select('id'), ids),
  )
  const row = await ofValue.orderBy('id', 'desc').limit(1).offset(FACET_ROWS_MAX).executeTakeFirst()
  return row?.id
}

/** Older rows are read as far as further conditions leave too few of the newest. */
function newestByEdge(db: Db, matching: ReturnType<typeof countedRows>, edge: number) {
  const older = matching
    .where('id', '<', edge)
    // No index has the order of an expression.
    .orderBy(sql`id + 0`, 'desc')
    .limit(sql<number>`${sql.lit(FACET_ROWS_MAX + 1)} - (select count(*) from newer)`)
  return db
    .with(
      (cte) => cte('newer').materialized(),
      () => matching.where('id', '>=', edge).limit(FACET_ROWS_MAX + 1),
    )
    .selectFrom('newer')
    .selectAll()
    .unionAll(db.selectFrom(older.as('older')).selectAll())
}

/** Whether less than a hundredth of the newest rows match. */
async function isSparse<Row>(db: Db, matching: SelectQueryBuilder<Schema, 'logs', Row>, ids: Ids) {
  const upper = ids.max ?? (await lastIdOf(db))
  const near = matching
    .clearSelect()
    .select('id')
    .where('id', '>', upper - NEAR_ROWS)
    .limit(NEAR_ROWS / 100)
  return (await near.execute()).length < NEAR_ROWS / 100
}

function countsOf(name: ColumnFacet) {
  const { column, none } = COLUMNS[name]
  return sql`select * from (
    select ${sql.lit(name)} as name, cast(${sql.ref(column)} as text) as value, '' as reason,
      count(*) as count
    from newest where ${sql.ref(column)} <> ${sql.raw(none)} group by ${sql.ref(column)}
    order by count(*) desc, ${sql.ref(column)} limit ${sql.lit(FACET_VALUES_MAX)}
  ) as ${sql.ref(`by_${name}`)}`
}

function facetsOf(rows: readonly CountRow[]): CountedFacets {
  const ends = rows.filter(({ name }) => name === 'outcome')
  const counted = ends.reduce((sum, { count }) => sum + count, 0)
  const facets = new Map<LogFacet, FacetValue[]>()
  const results = ends.map(({ value, reason, count }) => ({
    value: resultOf({ outcome: value, end_reason: reason }),
    count,
  }))
  facets.set(
    'outcome',
    LOG_RESULTS.map((value) => ({
      value,
      count: results.reduce((sum, row) => (row.value === value ? sum + row.count : sum), 0),
    })).filter(({ count }) => count > 0),
  )
  const reasons = new Map<string, number>()
  for (const { reason, count } of ends) {
    if (COMPLETE_REASONS.includes(reason)) continue
    reasons.set(reason, (reasons.get(reason) ?? 0) + count)
  }
  facets.set('error', [...reasons].map(([value, count]) => ({ value, count })).toSorted(byCount))
  for (const { name, value, count } of rows.toSorted(byCount)) {
    if (name === 'stream') add(facets, 'stream', { value: value === '1' ? 'true' : 'false', count })
    else if (isColumnFacet(name)) add(facets, name, { value, count })
  }
  return { counted: Math.min(counted, FACET_ROWS_MAX), more: counted > FACET_ROWS_MAX, facets }
}

/** Equally frequent values are in a fixed order. */
const byCount = (a: FacetValue, b: FacetValue) => b.count - a.count || (a.value < b.value ? -1 : 1)

const isColumnFacet = (name: string): name is ColumnFacet => Object.hasOwn(COLUMNS, name)

function add(facets: Map<LogFacet, FacetValue[]>, name: LogFacet, value: FacetValue) {
  facets.set(name, [...(facets.get(name) ?? []), value])
}
