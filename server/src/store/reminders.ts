import type { Kysely } from 'kysely'
import { type Quota, USER_STATUS } from '@tollgate/contract'
import type { Schema } from './schema.ts'

type Db = Kysely<Schema>

/** Undefined if the account no longer exists. */
export const findReminder = (db: Db, userId: number) =>
  db
    .selectFrom('users')
    .select(['email', 'remind_below'])
    .where('id', '=', userId)
    .where('status', '<>', USER_STATUS.deleted)
    .executeTakeFirst()

/** 0 stands for no mail. */
export async function setReminder(db: Db, userId: number, below: Quota) {
  await db
    .updateTable('users')
    .set({ remind_below: below })
    .where('id', '=', userId)
    .where('status', '<>', USER_STATUS.deleted)
    .execute()
}
