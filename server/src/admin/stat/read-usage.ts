import type { Kysely } from 'kysely'
import {
  type AllUsage,
  STAT_MODELS_MAX,
  STAT_TOP_MAX,
  type StatStep,
  type Usage,
} from '@tollgate/contract'
import type { HourSpan } from '../../store/hour-span.ts'
import { sumFigures } from '../../store/rollups.ts'
import type { Schema } from '../../store/schema.ts'
import { listTopUsers } from '../../store/top-users.ts'
import { listTopModels, listUsageBuckets, listUsageHours, sumCacheUse } from '../../store/usage.ts'

type UsageFilter = {
  hours: HourSpan
  step: StatStep
  /** Minutes by which the caller's clock is ahead of UTC. */
  utcOffset: number
  /** Epoch seconds. */
  now: number
}

const HOURS_PER_DAY = 24
const SECONDS_PER_HOUR = 3600
const SECONDS_PER_MINUTE = 60
const MINUTES_PER_DAY = 1440

/** Queries run one after another, so that a database reader stays free for short queries. */
export async function readUsage(
  db: Kysely<Schema>,
  { step, now, utcOffset, ...scope }: UsageFilter & { userId: number | null },
): Promise<Usage> {
  const models = await listTopModels(db, scope, STAT_TOP_MAX)
  const named = models.slice(0, STAT_MODELS_MAX).map(({ model_name }) => model_name)
  const buckets = await listUsageBuckets(db, scope, { step, named })
  const yesterday_so_far = await readYesterdaySoFar(db, scope, { now, utcOffset })
  const cache = await sumCacheUse(db, scope)
  return { total: sumFigures(buckets), buckets, models, yesterday_so_far, cache }
}

/**
 * Days begin as in the span. Within an hour, requests are assumed to be spread evenly. A day that
 * begins within an hour is counted from the next, so its first minutes compare with nothing.
 */
async function readYesterdaySoFar(
  db: Kysely<Schema>,
  { hours, userId }: { hours: HourSpan; userId: number | null },
  { now, utcOffset }: { now: number; utcOffset: number },
) {
  const hour = Math.floor(now / SECONDS_PER_HOUR)
  const { offsetHours } = hours
  const localMinute = Math.floor(now / SECONDS_PER_MINUTE) + utcOffset
  const isNewDay =
    Math.floor(localMinute / MINUTES_PER_DAY) > Math.floor((hour + offsetHours) / HOURS_PER_DAY)
  if (isNewDay) return { quota: 0, requests: 0 }
  const ofDay = (hour + offsetHours) % HOURS_PER_DAY
  const endHour = hour - HOURS_PER_DAY + 1
  const firstHour = endHour - 1 - ofDay
  const rows = await listUsageHours(db, { hours: { firstHour, endHour, offsetHours }, userId })
  const share = (now % SECONDS_PER_HOUR) / SECONDS_PER_HOUR
  const sum = (column: 'quota' | 'requests') =>
    Math.round(
      rows.reduce((all, row) => all + row[column] * (row.hour === endHour - 1 ? share : 1), 0),
    )
  return { quota: sum('quota'), requests: sum('requests') }
}

export async function readAllUsage(db: Kysely<Schema>, wanted: UsageFilter): Promise<AllUsage> {
  const usage = await readUsage(db, { ...wanted, userId: null })
  return { ...usage, users: await listTopUsers(db, wanted.hours, STAT_TOP_MAX) }
}
