import type { Kysely } from 'kysely'
import type { Tx } from './database.ts'
import type { Schema } from './schema.ts'

const TRIES_MAX = 5

type NewState = {
  state_hash: string
  browser_hash: string
  provider: string
  expires_at: number
}

/** Also deletes expired states. */
export async function insertOAuthState(tx: Tx, state: NewState, nowSeconds: number) {
  await tx.deleteFrom('oauth_states').where('expires_at', '<=', nowSeconds).execute()
  await tx.insertInto('oauth_states').values(state).execute()
}

/**
 * Counts one attempt to use a live state, in the browser and for the provider that it was issued
 * for. Undefined if there is no such state or its attempts are exhausted. A failed exchange may be
 * repeated up to `TRIES_MAX` times.
 */
export async function tryOAuthState(
  db: Kysely<Schema>,
  { state_hash, browser_hash, provider }: Omit<NewState, 'expires_at'>,
  nowSeconds: number,
) {
  return db
    .updateTable('oauth_states')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('state_hash', '=', state_hash)
    .where('browser_hash', '=', browser_hash)
    .where('provider', 'in', ['', provider])
    .where('expires_at', '>', nowSeconds)
    .where('tries', '<', TRIES_MAX)
    .returning('provider')
    .executeTakeFirst()
}

/** False if another request has already used the state. */
export async function consumeOAuthState(tx: Tx, stateHash: string): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom('oauth_states')
    .where('state_hash', '=', stateHash)
    .executeTakeFirst()
  return numDeletedRows === 1n
}
