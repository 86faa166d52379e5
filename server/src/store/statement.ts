import { sql } from 'kysely'
import { type Seconds, STATEMENT_CREDITS_MAX } from '@tollgate/contract'
import type { Tx } from './database.ts'
import { readAll } from './execute-all.ts'
import { sumOf } from './rollups.ts'

const HOURS_PER_DAY = 24
const SECONDS_PER_HOUR = 3600

/** The first hour of each day of a span, and the hour after its last. */
export type DayHours = { firstHours: readonly number[]; endHour: number }

/**
 * What a user was credited and charged, in one round trip. Must run in a snapshot, so that balances
 * and movements are of the same moment.
 */
export async function readMovements(tx: Tx, userId: number, days: DayHours) {
  const { firstHours, endHour } = days
  const firstHour = firstHours[0] ?? endHour
  const from = firstHour * SECONDS_PER_HOUR
  const credits = creditsOf(tx, userId)
  const within = credits
    .where('created_at', '>=', from)
    .where('created_at', '<', endHour * SECONDS_PER_HOUR)
  const found = await readAll(tx, {
    creditedBefore: credits.where('created_at', '<', from).select(sumOf('amount').as('total')),
    ...chargedBefore(tx, userId, firstHour),
    sums: within.select(({ fn }) => [sumOf('amount').as('total'), fn.countAll().as('rows')]),
    credits: within
      .select(['created_at', 'amount', 'reason', 'source'])
      .orderBy('id', 'desc')
      .limit(STATEMENT_CREDITS_MAX),
    usage: usageOf(tx, userId, days),
    firstCredit: credits.select(({ fn }) => fn.min('created_at').as('at')),
    firstCharge: tx
      .selectFrom('ledger_days')
      .where('user_id', '=', userId)
      .select(({ fn }) => fn.min('day').as('day')),
  })
  const charged = Number(found.chargedDays[0]?.total) + Number(found.chargedHours[0]?.total)
  const firstDay = found.firstCharge[0]?.day ?? null
  return {
    opening: Number(found.creditedBefore[0]?.total) - charged,
    credits: found.credits,
    credited: Number(found.sums[0]?.total),
    creditCount: Number(found.sums[0]?.rows),
    usage: found.usage.map(toUsage),
    firstAt: earliest([
      found.firstCredit[0]?.at ?? null,
      firstDay === null ? null : Number(firstDay) * HOURS_PER_DAY * SECONDS_PER_HOUR,
    ]),
  }
}

const creditsOf = (db: Tx, userId: number) =>
  db.selectFrom('credits').where('kind', '=', 'user').where('owner_id', '=', userId)

/** Whole UTC days from `ledger_days`, which has fewer rows, and the hours of the last day. */
function chargedBefore(db: Tx, userId: number, hour: number) {
  const day = Math.floor(hour / HOURS_PER_DAY)
  return {
    chargedDays: db
      .selectFrom('ledger_days')
      .where('user_id', '=', userId)
      .where('day', '<', day)
      .select(sumOf('charged').as('total')),
    chargedHours: db
      .selectFrom('user_hours')
      .where('user_id', '=', userId)
      .where('hour', '>=', day * HOURS_PER_DAY)
      .where('hour', '<', hour)
      .select(sumOf('quota').as('total')),
  }
}

/** By position of the day in the span, and by model. */
function usageOf(db: Tx, userId: number, days: DayHours) {
  const { firstHours, endHour } = days
  const day = dayIndex(days)
  return db
    .selectFrom('user_hours')
    .where('user_id', '=', userId)
    .where('hour', '>=', firstHours[0] ?? endHour)
    .where('hour', '<', endHour)
    .select([day.as('day'), 'model_name', sumOf('requests').as('requests')])
    .select([sumOf('prompt_tokens').as('prompt_tokens'), sumOf('quota').as('quota')])
    .select(sumOf('completion_tokens').as('completion_tokens'))
    .groupBy([day, 'model_name'])
}

/**
 * The position of an hour's day. Days of 24 hours are counted by division, because to compare each
 * hour with 30 days takes longer than the rest of the query.
 */
function dayIndex({ firstHours, endHour }: DayHours) {
  const isUsual = (index: number) =>
    (firstHours[index + 1] ?? endHour) - (firstHours[index] ?? 0) === HOURS_PER_DAY
  const cases = firstHours.flatMap((first, index) => {
    if (index > 0 && isUsual(index - 1) && isUsual(index)) return []
    const hoursSince = sql`(hour - ${sql.lit(first)})`
    const days = isUsual(index) ? sql`${hoursSince} / ${sql.lit(HOURS_PER_DAY)}` : sql.lit(0)
    return [sql`when hour >= ${sql.lit(first)} then ${sql.lit(index)} + ${days}`]
  })
  return sql<number>`case ${sql.join(cases.toReversed(), sql` `)} end`
}

type UsageRow = Awaited<ReturnType<ReturnType<typeof usageOf>['execute']>>[number]

const toUsage = ({ day, model_name, ...sums }: UsageRow) => ({
  dayIndex: Number(day),
  model_name,
  requests: Number(sums.requests),
  prompt_tokens: Number(sums.prompt_tokens),
  completion_tokens: Number(sums.completion_tokens),
  quota: Number(sums.quota),
})

/** The earliest moment that is known; undefined for none. */
function earliest(moments: readonly (number | null)[]): Seconds | undefined {
  const known = moments.filter((moment) => moment !== null)
  return known.length === 0 ? undefined : Math.min(...known.map(Number))
}
