import { type Kysely, sql } from 'kysely'
import type { HourSpan } from './hour-span.ts'
import { figures, sumOf } from './rollups.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

const HOURS_PER_DAY = 24

/** Users with the highest charges. `username` is empty if the user no longer exists. */
export function listTopUsers(db: Db, hours: HourSpan, limit: number) {
  const top = ranking(db, hours).limit(limit).as('top')
  return db
    .selectFrom(top)
    .innerJoin('user_hours', 'user_hours.user_id', 'top.user_id')
    .leftJoin('users', 'users.id', 'top.user_id')
    .where('hour', '>=', hours.firstHour)
    .where('hour', '<', hours.endHour)
    .groupBy(['top.user_id', 'users.username'])
    .select((eb) => ['top.user_id', eb.fn.coalesce('users.username', sql.lit('')).as('username')])
    .select(figures('user_hours'))
    .orderBy('quota', 'desc')
    .orderBy('requests', 'desc')
    .orderBy('top.user_id')
    .execute()
}

/** A subquery of the users with the highest charges. */
export const topUserIds = (db: Db, hours: HourSpan, limit: number) =>
  db.selectFrom(ranking(db, hours).limit(limit).as('top')).select('user_id')

/**
 * Ranks by whole UTC days from `ledger_days`, plus the hours before and after them from the
 * rollups.
 */
function ranking(db: Db, { firstHour, endHour }: HourSpan) {
  const firstDay = Math.ceil(firstHour / HOURS_PER_DAY)
  const endDay = Math.max(firstDay, Math.floor(endHour / HOURS_PER_DAY))
  const days = db
    .selectFrom('ledger_days')
    .select(['user_id', 'charged as quota', 'requests'])
    .where('day', '>=', firstDay)
    .where('day', '<', endDay)
  const hours = (from: number, to: number) =>
    db
      .selectFrom('rollups')
      .select(['user_id', 'quota', 'requests'])
      .where('hour', '>=', from)
      .where('hour', '<', to)
  const parts = days
    .unionAll(hours(firstHour, Math.min(endHour, firstDay * HOURS_PER_DAY)))
    .unionAll(hours(endDay * HOURS_PER_DAY, endHour))
  return db
    .selectFrom(parts.as('parts'))
    .select(['user_id', sumOf('quota').as('ranked_quota'), sumOf('requests').as('ranked_requests')])
    .groupBy('user_id')
    .orderBy('ranked_quota', 'desc')
    .orderBy('ranked_requests', 'desc')
    .orderBy('user_id')
}
