import { type RawBuilder, sql } from 'kysely'
import { replaceAbilities } from './abilities.ts'
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

/** In a comma-separated list of groups; each group stays once. */
const renamed = (groups: string, from: string, to: string): string =>
  [...new Set(groups.split(',').map((group) => (group === from ? to : group)))].join(',')

/** Moves the users and channels of a group, and returns their numbers. */
export async function moveGroupUse(tx: Tx, from: string, to: string): Promise<GroupUse> {
  const used = await countGroupUse(tx, from)
  const rows = await tx.selectFrom('users').select('group').distinct().where(isIn(from)).execute()
  for (const { group } of rows) {
    const change = { group: renamed(group, from, to) }
    await tx.updateTable('users').set(change).where('group', '=', group).execute()
  }
  const channels = await tx
    .selectFrom('channels')
    .select(['id', 'group', 'models'])
    .where(isIn(from))
    .orderBy('id')
    .execute()
  for (const { id, group, models } of channels) {
    const moved = renamed(group, from, to)
    await tx.updateTable('channels').set({ group: moved }).where('id', '=', id).execute()
    await replaceAbilities(tx, id, { groups: moved.split(','), models: models.split(',') })
  }
  return used
}
