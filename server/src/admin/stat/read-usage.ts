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
import { listTopModels, listUsageBuckets } from '../../store/usage.ts'

type UsageFilter = { hours: HourSpan; step: StatStep }

/** Queries run one after another, so that a database reader stays free for short queries. */
export async function readUsage(
  db: Kysely<Schema>,
  { step, ...scope }: UsageFilter & { userId: number | null },
): Promise<Usage> {
  const models = await listTopModels(db, scope, STAT_TOP_MAX)
  const named = models.slice(0, STAT_MODELS_MAX).map(({ model_name }) => model_name)
  const buckets = await listUsageBuckets(db, scope, { step, named })
  return { total: sumFigures(buckets), buckets, models }
}

export async function readAllUsage(db: Kysely<Schema>, wanted: UsageFilter): Promise<AllUsage> {
  const usage = await readUsage(db, { ...wanted, userId: null })
  return { ...usage, users: await listTopUsers(db, wanted.hours, STAT_TOP_MAX) }
}
