import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { StatFigures, StatStep } from '@tollgate/contract'
import type { HourSpan } from '../domain/hour-span.ts'
import type { HourFigures, Schema } from './schema.ts'

const HOURS_PER_DAY = 24
const SECONDS_PER_HOUR = 3600

export const sumOf = (column: string) => sql<number>`sum(${sql.ref(column)})`

/** What is told of any set of rows. */
export const FIGURES = [
  'requests',
  'failures',
  'quota',
  'prompt_tokens',
  'completion_tokens',
] as const satisfies (keyof HourFigures)[]

/** The table is named where another has a column of that name. */
export const figures = (table?: string) =>
  FIGURES.map((column) => sumOf(table === undefined ? column : `${table}.${column}`).as(column))

const NOTHING: StatFigures = {
  requests: 0,
  failures: 0,
  quota: 0,
  prompt_tokens: 0,
  completion_tokens: 0,
}

/** Of rows that are few and leave nothing out. */
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

/** The first hour of the step that an hour lies in. */
export const firstHourOf = (step: StatStep, { offsetHours }: HourSpan): RawBuilder<number> =>
  step === 'hour'
    ? sql`hour`
    : sql`(hour + ${sql.lit(offsetHours)}) / ${sql.lit(HOURS_PER_DAY)} * ${sql.lit(HOURS_PER_DAY)} - ${sql.lit(offsetHours)}`

/** Days may begin before the epoch, seconds do not. */
export const secondsOf = (hour: number) => Math.max(0, hour) * SECONDS_PER_HOUR

/** A user's requests from a day on, by day and model; `day` is days since the epoch, UTC. */
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
