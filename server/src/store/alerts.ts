import type { Kysely } from 'kysely'
import type { AlertsTable, OpenAlertsTable } from './alert-schema.ts'
import type { Tx } from './database.ts'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

export type StoredAlert = AlertsTable

/** Older alerts are deleted. */
const ALERTS_KEPT = 1000

/** False if the alert is known, because its message is being tried again. */
export async function addAlert(tx: Tx, alert: StoredAlert): Promise<boolean> {
  const inserted = await tx
    .insertInto('alerts')
    .values(alert)
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  if (inserted.numInsertedOrUpdatedRows !== 1n) return false
  await tx
    .deleteFrom('alerts')
    .where('id', '<=', (query) =>
      query.selectFrom('alerts').select('id').orderBy('id', 'desc').offset(ALERTS_KEPT).limit(1),
    )
    .execute()
  return true
}

/** The newest first. */
export const listAlerts = (db: Db, limit: number): Promise<StoredAlert[]> =>
  db.selectFrom('alerts').selectAll().orderBy('id', 'desc').limit(limit).execute()

export const findAlert = (db: Db, id: number): Promise<StoredAlert | undefined> =>
  db.selectFrom('alerts').selectAll().where('id', '=', id).executeTakeFirst()

/** 0 if the user has seen none. */
export async function lastSeenAlert(db: Db, userId: number): Promise<number> {
  const row = await db
    .selectFrom('seen_alerts')
    .select('alert_id')
    .where('user_id', '=', userId)
    .executeTakeFirst()
  return row?.alert_id ?? 0
}

export async function markAlertsSeen(db: Db, userId: number, alertId: number): Promise<void> {
  await db
    .insertInto('seen_alerts')
    .values({ user_id: userId, alert_id: alertId })
    .onConflict((conflict) => conflict.column('user_id').doUpdateSet({ alert_id: alertId }))
    .execute()
}

type OpenAlert = Pick<OpenAlertsTable, 'rule' | 'subject'>

export const listOpenAlerts = (db: Db): Promise<OpenAlert[]> =>
  db.selectFrom('open_alerts').select(['rule', 'subject']).execute()

/** True for the process that opened the alert. `now` is in epoch seconds. */
export async function openAlert(tx: Tx, alert: OpenAlert, now: number): Promise<boolean> {
  const { rule, subject } = alert
  const inserted = await tx
    .insertInto('open_alerts')
    .values({ rule, subject, since: now })
    .onConflict((conflict) => conflict.doNothing())
    .executeTakeFirst()
  return inserted.numInsertedOrUpdatedRows === 1n
}

export async function closeAlert(db: Db, { rule, subject }: OpenAlert): Promise<void> {
  await db
    .deleteFrom('open_alerts')
    .where('rule', '=', rule)
    .where('subject', '=', subject)
    .execute()
}
