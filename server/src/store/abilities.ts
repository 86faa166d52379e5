import type { Kysely } from 'kysely'
import { CHANNEL_STATUS } from '@tollgate/contract'
import type { Tx } from './database.ts'
import type { Schema } from './schema.ts'

/** Each row binds three parameters. PostgreSQL allows 65 535 per statement, SQLite 32 766. */
const ROWS_PER_INSERT = 1000

export async function deleteAbilities(tx: Tx, channelId: number) {
  await tx.deleteFrom('abilities').where('channel_id', '=', channelId).execute()
}

/** The channels that serve a group. */
export async function listServingIds(tx: Tx, group: string): Promise<number[]> {
  const rows = await tx
    .selectFrom('abilities')
    .select('channel_id')
    .where('group', '=', group)
    .distinct()
    .execute()
  return rows.map(({ channel_id }) => channel_id)
}

/** Replaces all abilities of the channel with every combination of the groups and models. */
export async function replaceAbilities(
  tx: Tx,
  channelId: number,
  { groups, models }: { groups: readonly string[]; models: readonly string[] },
) {
  await deleteAbilities(tx, channelId)
  const rows = groups.flatMap((group) =>
    models.map((model) => ({ group, model, channel_id: channelId })),
  )
  for (let start = 0; start < rows.length; start += ROWS_PER_INSERT) {
    const part = rows.slice(start, start + ROWS_PER_INSERT)
    await tx.insertInto('abilities').values(part).execute()
  }
}

/** Distinct models that enabled channels serve to at least one of the groups. */
export async function listServedModels(
  db: Kysely<Schema>,
  groups: readonly string[],
): Promise<string[]> {
  const rows = await db
    .selectFrom('abilities')
    .innerJoin('channels', 'channels.id', 'abilities.channel_id')
    .select('abilities.model')
    .distinct()
    .where('abilities.group', 'in', groups)
    .where('channels.status', '=', CHANNEL_STATUS.enabled)
    .execute()
  return rows.map(({ model }) => model)
}
