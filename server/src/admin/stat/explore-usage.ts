import type { Kysely } from 'kysely'
import {
  EXPLORED_ROWS_MAX,
  EXPLORED_SERIES_MAX,
  type Exploration,
  NANO_DOLLARS,
  type StatStep,
  USAGE_FILTERS,
  type UsageDimension,
  type UsageMetric,
} from '@tollgate/contract'
import { findChannelNames } from '../../store/channels.ts'
import {
  type ExploredSums,
  type ExploreScope,
  listExplored,
  listExploredBuckets,
  sumExplored,
} from '../../store/explore.ts'
import type { HourSpan } from '../../store/hour-span.ts'
import { HISTOGRAM_BOUNDS_MS } from '../../store/hour-tables.ts'
import type { Schema } from '../../store/schema.ts'
import { findTokenNames, findTokenOwners } from '../../store/tokens.ts'
import { findUserNames } from '../../store/users.ts'
import { estimatePercentile } from './percentile.ts'

type Db = Kysely<Schema>

type Wanted = ExploreScope & {
  step: StatStep
  /** Null without a span to compare with. */
  previousHours: HourSpan | null
  quotaPerUnit: number
  /** Null for administrators. Others read their own usage alone. */
  readerId: number | null
}

const MEDIAN = 0.5

/** Queries run one after another, so that a database reader stays free for short queries. */
export async function exploreUsage(db: Db, wanted: Wanted): Promise<Exploration> {
  const { step, previousHours, quotaPerUnit, readerId, ...scope } = wanted
  const value = (sums: ExploredSums) => valueOf(sums.sums, scope.metric, quotaPerUnit)
  const listed = await listExplored(db, scope, { limit: EXPLORED_ROWS_MAX + 1 })
  const found = listed.slice(0, EXPLORED_ROWS_MAX)
  const keys = found.map(({ key }) => key)
  const named = keys.filter((key) => key !== '').slice(0, EXPLORED_SERIES_MAX)
  const buckets = await listExploredBuckets(db, scope, { step, named })
  const total = value(await sumExplored(db, scope))
  const before = previousHours === null ? null : { ...scope, hours: previousHours }
  const earlier =
    before === null || keys.length === 0
      ? []
      : await listExplored(db, before, { keys, limit: EXPLORED_ROWS_MAX })
  const previous = new Map(earlier.map((row) => [row.key, value(row)]))
  // Nothing was spent without requests, but there is no median of their times.
  const nothing = valueOf([], scope.metric, quotaPerUnit)
  const nameOf = await namesOf(db, { by: scope.by, readerId }, keys)
  return {
    total,
    previous: before === null ? null : value(await sumExplored(db, before)),
    filters: await filtersOf(db, wanted),
    rows: found.map((row) => ({
      ...nameOf(row.key),
      value: value(row),
      previous: before === null ? null : (previous.get(row.key) ?? nothing),
      requests: row.requests,
    })),
    more: listed.length > found.length,
    buckets: buckets.map((row) => ({ start: row.start, key: row.key, value: value(row) })),
  }
}

function valueOf(sums: readonly number[], metric: UsageMetric, quotaPerUnit: number) {
  const [first = 0, second = 0] = sums
  switch (metric) {
    case 'latency':
    case 'first_token':
      return estimatePercentile({ counts: sums, bounds: HISTOGRAM_BOUNDS_MS }, MEDIAN)
    case 'margin':
      return Math.round((first / quotaPerUnit) * NANO_DOLLARS) - second
    case 'quota':
    case 'requests':
    case 'failures':
    case 'prompt_tokens':
    case 'cached_tokens':
    case 'completion_tokens':
    case 'provider_cost':
      return first
  }
}

/** A reader's own usage is narrowed to the reader, which is no filter. */
async function filtersOf(db: Db, { filter, readerId }: Wanted): Promise<Exploration['filters']> {
  const filters: Exploration['filters'] = []
  for (const by of USAGE_FILTERS) {
    const value = filter[by]
    if (value === undefined || (by === 'user' && readerId !== null)) continue
    const key = String(value)
    filters.push({ by, ...(await namesOf(db, { by, readerId }, [key]))(key) })
  }
  return filters
}

type Naming = { by: UsageDimension; readerId: number | null }

type Name = Pick<Exploration['rows'][number], 'key' | 'label' | 'owner'>

/** Readers know the names of their own tokens alone. */
async function namesOf(
  db: Db,
  { by, readerId }: Naming,
  keys: readonly string[],
): Promise<(key: string) => Name> {
  const labels = await labelsOf(db, by, idsIn(keys))
  const owners = await findTokenOwners(db, by === 'token' ? idsIn(keys) : [])
  return (key) => {
    const owner = owners.get(Number(key))
    const isForeign = by === 'token' && readerId !== null && owner?.id !== readerId
    const label = isForeign ? key : (labels.get(Number(key)) ?? key)
    return { key, label, ...(owner && readerId === null && { owner }) }
  }
}

async function labelsOf(
  db: Db,
  by: UsageDimension,
  ids: readonly number[],
): Promise<ReadonlyMap<number, string>> {
  if (by !== 'user' && by !== 'channel' && by !== 'token') return new Map()
  const find = { user: findUserNames, channel: findChannelNames, token: findTokenNames }[by]
  return find(db, ids)
}

const idsIn = (keys: readonly string[]) => keys.map(Number).filter((id) => id > 0)
