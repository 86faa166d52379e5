import type { Kysely } from 'kysely'
import { USER_STATUS } from '@tollgate/contract'
import { type Page, readPage, type Rows } from './page.ts'
import type { Schema } from './schema.ts'

type Credit = {
  id: number
  created_at: number
  amount: number
  reason: string
  source: string
  actor_id: number
  actor_name: string
}

/** Credits of a user, with the name of whoever caused each. */
export async function listCredits(
  db: Kysely<Schema>,
  { userId, ...page }: Page & { userId: number },
): Promise<Rows<Credit>> {
  const credits = db
    .selectFrom('credits')
    .select(['id', 'created_at', 'amount', 'reason', 'source', 'actor_id'])
    .select((eb) =>
      eb.fn
        .coalesce(
          eb
            .selectFrom('users')
            .select('users.username')
            .whereRef('users.id', '=', 'credits.actor_id')
            .where('users.status', '<>', USER_STATUS.deleted),
          eb.val(''),
        )
        .as('actor_name'),
    )
    .where('kind', '=', 'user')
    .where('owner_id', '=', userId)
  return readPage(db, credits, page)
}
