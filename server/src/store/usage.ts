import { type Kysely, sql } from 'kysely'
import type { StatBucket, StatStep } from '@tollgate/contract'
import type { HourSpan } from './hour-span.ts'
import { FIGURES, figures, firstHourOf, secondsOf, sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

const CACHES = ['cached_tokens', 'cache_savings', 'cache_surcharge'] as const

/** Null stands for all users. */
export type UsageScope = { hours: HourSpan; userId: number | null }

function within(db: Db, { hours, userId }: UsageScope) {
  const columns = ['hour', 'model_name', ...FIGURES, ...CACHES] as const
  const rows =
    userId === null
      ? db.selectFrom('model_hours').select(columns)
      : db.selectFrom('user_hours').select(columns).where('user_id', '=', userId)
  return db
    .selectFrom(rows.as('usage'))
    .where('hour', '>=', hours.firstHour)
    .where('hour', '<', hours.endHour)
}

/** Charges and requests of each hour with requests. */
export const listUsageHours = (db: Db, scope: UsageScope) =>
  within(db, scope)
    .select(['hour', sumOf('quota').as('quota'), sumOf('requests').as('requests')])
    .groupBy('hour')
    .execute()

/** Input that was read from caches, and how much less was charged for it. */
export async function sumCacheUse(db: Db, scope: UsageScope) {
  const { cached_tokens, cache_savings, cache_surcharge } = await within(db, scope)
    .select(CACHES.map((column) => sql<number>`coalesce(${sumOf(column)}, 0)`.as(column)))
    .executeTakeFirstOrThrow()
  return { cached_tokens, saved_quota: cache_savings - cache_surcharge }
}

/** Highest charge first, then most requests. */
export const listTopModels = (db: Db, scope: UsageScope, limit: number) =>
  within(db, scope)
    .select(['model_name', ...figures()])
    .groupBy('model_name')
    .orderBy('quota', 'desc')
    .orderBy('requests', 'desc')
    .orderBy('model_name')
    .limit(limit)
    .execute()

/** Oldest first. Models outside `named` are summed under the empty name. */
export async function listUsageBuckets(
  db: Db,
  scope: UsageScope,
  { step, named }: { step: StatStep; named: readonly string[] },
): Promise<StatBucket[]> {
  const shown =
    named.length === 0
      ? sql<string>`''`
      : sql<string>`case when model_name in (${sql.join(named)}) then model_name else '' end`
  const shownRows = within(db, scope).select([
    firstHourOf(step, scope.hours).as('first_hour'),
    shown.as('shown_name'),
    ...FIGURES,
  ])
  const rows = await db
    .selectFrom(shownRows.as('shown'))
    .select(['first_hour', 'shown_name', ...figures()])
    .groupBy(['first_hour', 'shown_name'])
    .orderBy('first_hour')
    .orderBy('shown_name')
    .execute()
  return rows.map(({ first_hour, shown_name, ...sums }) => ({
    start: secondsOf(first_hour),
    model_name: shown_name,
    ...sums,
  }))
}
