import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { StatFigures, StatStep } from '@tollgate/contract'
import type { HourSpan } from './hour-span.ts'
import type { HourFigures } from './hour-tables.ts'
import type { Schema } from './schema.ts'

const HOURS_PER_DAY = 24
const SECONDS_PER_HOUR = 3600

export const sumOf = (column: string) => sql<number>`sum(${sql.ref(column)})`

/** Sums that every statistic reports. */
export const FIGURES = [
  'requests',
  'failures',
  'quota',
  'prompt_tokens',
  'completion_tokens',
] as const satisfies (keyof HourFigures)[]

/** `table` disambiguates columns in a join. */
export const figures = (table?: string) =>
  FIGURES.map((column) => sumOf(table === undefined ? column : `${table}.${column}`).as(column))

const NOTHING: StatFigures = {
  requests: 0,
  failures: 0,
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
}

/** Sums rows in memory. `rows` must be complete, not a page of them. */
export const sumFigures = (rows: readonly StatFigures[]): StatFigures =>
  rows.reduce(
    (sum, row) => ({
      requests: sum.requests + row.requests,
      failures: sum.failures + row.failures,
      quota: sum.quota + row.quota,
      prompt_tokens: sum.prompt_tokens + row.prompt_tokens,
      completion_tokens: sum.completion_tokens + row.completion_tokens,
    }),
    NOTHING,
  )

/** The first hour of the step that contains `hour`. */
export const firstHourOf = (step: StatStep, { offsetHours }: HourSpan): RawBuilder<number> =>
  step === 'hour'
    ? sql`hour`
    : sql`(hour + ${sql.lit(offsetHours)}) / ${sql.lit(HOURS_PER_DAY)} * ${sql.lit(HOURS_PER_DAY)} - ${sql.lit(offsetHours)}`

/** The first day may begin before the epoch; the result is at least 0. */
export const secondsOf = (hour: number) => Math.max(0, hour) * SECONDS_PER_HOUR

/** A user's usage since `firstDay`, by day and model. Days are counted from the epoch, in UTC. */
export async function listDaysOfUser(
  db: Kysely<Schema>,
  { userId, firstDay }: { userId: number; firstDay: number },
) {
  const day = sql<number>`hour / ${sql.lit(HOURS_PER_DAY)}`
  return db
    .selectFrom('user_hours')
    .select([day.as('day'), 'model_name', ...figures()])
    .where('user_id', '=', userId)
    .where('hour', '>=', firstDay * HOURS_PER_DAY)
    .groupBy([day, 'model_name'])
    .execute()
}
