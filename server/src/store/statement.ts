import { type Kysely, sql } from 'kysely'
import { type Seconds, STATEMENT_CREDITS_MAX } from '@tollgate/contract'
import { sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

const HOURS_PER_DAY = 24
const SECONDS_PER_HOUR = 3600

/** The first hour of each day of a span, and the hour after its last. */
export type DayHours = { firstHours: readonly number[]; endHour: number }

/** Must run in one snapshot, so that balances and movements are of the same moment. */
export async function readMovements(db: Db, userId: number, { firstHours, endHour }: DayHours) {
  const firstHour = firstHours[0] ?? endHour
  const from = firstHour * SECONDS_PER_HOUR
  const opening =
    (await creditedBefore(db, userId, from)) - (await chargedBefore(db, userId, firstHour))
  const credits = await readCredits(db, userId, { from, to: endHour * SECONDS_PER_HOUR })
  return { opening, ...credits, usage: await listUsage(db, userId, { firstHours, endHour }) }
}

async function creditedBefore(db: Db, userId: number, before: Seconds): Promise<number> {
  const { total } = await creditsOf(db, userId)
    .where('created_at', '<', before)
    .select(sumOf('amount').as('total'))
    .executeTakeFirstOrThrow()
  return Number(total)
}

const creditsOf = (db: Db, userId: number) =>
  db.selectFrom('credits').where('kind', '=', 'user').where('owner_id', '=', userId)

/** Whole UTC days from `ledger_days`, which has fewer rows, and the hours of the last day. */
async function chargedBefore(db: Db, userId: number, hour: number): Promise<number> {
  const day = Math.floor(hour / HOURS_PER_DAY)
  const days = await db
    .selectFrom('ledger_days')
    .where('user_id', '=', userId)
    .where('day', '<', day)
    .select(sumOf('charged').as('total'))
    .executeTakeFirstOrThrow()
  const hours = await db
    .selectFrom('user_hours')
    .where('user_id', '=', userId)
    .where('hour', '>=', day * HOURS_PER_DAY)
    .where('hour', '<', hour)
    .select(sumOf('quota').as('total'))
    .executeTakeFirstOrThrow()
  return Number(days.total) + Number(hours.total)
}

async function readCredits(db: Db, userId: number, { from, to }: { from: Seconds; to: Seconds }) {
  const within = creditsOf(db, userId).where('created_at', '>=', from).where('created_at', '<', to)
  const sums = await within
    .select(({ fn }) => [sumOf('amount').as('total'), fn.countAll<number>().as('rows')])
    .executeTakeFirstOrThrow()
  const credits = await within
    .select(['created_at', 'amount', 'reason', 'source'])
    .orderBy('id', 'desc')
    .limit(STATEMENT_CREDITS_MAX)
    .execute()
  return { credits, credited: Number(sums.total), creditCount: Number(sums.rows) }
}

/** By position of the day in the span, and by model. */
async function listUsage(db: Db, userId: number, { firstHours, endHour }: DayHours) {
  const [firstHour = endHour, ...nextHours] = firstHours
  const ends = [...nextHours, endHour]
  const day = sql<number>`case ${sql.join(
    ends.map((end, index) => sql`when hour < ${sql.lit(end)} then ${sql.lit(index)}`),
    sql` `,
  )} end`
  const rows = await db
    .selectFrom('user_hours')
    .where('user_id', '=', userId)
    .where('hour', '>=', firstHour)
    .where('hour', '<', endHour)
    .select([day.as('day'), 'model_name', sumOf('requests').as('requests')])
    .select([sumOf('prompt_tokens').as('prompt_tokens'), sumOf('quota').as('quota')])
    .select(sumOf('completion_tokens').as('completion_tokens'))
    .groupBy([day, 'model_name'])
    .execute()
  return rows.map(({ day: index, model_name, ...sums }) => ({
    dayIndex: Number(index),
    model_name,
    requests: Number(sums.requests),
    prompt_tokens: Number(sums.prompt_tokens),
    completion_tokens: Number(sums.completion_tokens),
    quota: Number(sums.quota),
  }))
}

/** When the user was first charged or credited; undefined before that. */
export async function firstMovementAt(db: Db, userId: number): Promise<Seconds | undefined> {
  const credit = await creditsOf(db, userId)
    .select(({ fn }) => fn.min('created_at').as('at'))
    .executeTakeFirst()
  const charge = await db
    .selectFrom('ledger_days')
    .where('user_id', '=', userId)
    .select(({ fn }) => fn.min('day').as('day'))
    .executeTakeFirst()
  const moments = [
    ...(credit?.at === null || credit?.at === undefined ? [] : [Number(credit.at)]),
    ...(charge?.day === null || charge?.day === undefined
      ? []
      : [Number(charge.day) * HOURS_PER_DAY * SECONDS_PER_HOUR]),
  ]
  return moments.length === 0 ? undefined : Math.min(...moments)
}
