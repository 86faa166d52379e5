import { type RawBuilder, sql } from 'kysely'
import type { Tx } from './database.ts'

/** Users and channels store their groups as comma-separated names. */
function isIn(group: string): RawBuilder<boolean> {
  const pattern = `%,${group.replace(/[\\%_]/g, '\\$&')},%`
  return sql<boolean>`',' || "group" || ',' like ${pattern} escape '\\'`
}

type GroupUse = { readonly users: number; readonly channels: number }

/** Counts the users and channels of a group. */
export async function countGroupUse(tx: Tx, group: string): Promise<GroupUse> {
  const count = async (table: 'users' | 'channels') => {
    const { rows } = await tx
      .selectFrom(table)
      .select(({ fn }) => fn.countAll<number>().as('rows'))
      .where(isIn(group))
      .executeTakeFirstOrThrow()
    return Number(rows)
  }
  return { users: await count('users'), channels: await count('channels') }
}
