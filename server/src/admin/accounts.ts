import type { Kysely } from 'kysely'
import type { Accounts } from '../http/session.ts'
import type { Schema } from '../store/schema.ts'
import { findSession } from '../store/sessions.ts'
import { findUserByAccessToken } from '../store/users.ts'
import { type AdminDeps, nowSeconds } from './deps.ts'

/**
 * Accounts are read per request, so a ban or demotion applies from the next request. Calls that
 * change data read the account again (`reauthorize.ts`).
 */
export const createAccounts = (deps: Pick<AdminDeps, 'database' | 'secrets' | 'now'>): Accounts =>
  accountsIn(deps.database.kysely, deps)

export function accountsIn(db: Kysely<Schema>, deps: Pick<AdminDeps, 'secrets' | 'now'>): Accounts {
  return {
    findBySession: async (sessionId) => {
      const idHash = deps.secrets.hashSession(sessionId)
      const found = await findSession(db, idHash, nowSeconds(deps))
      if (!found) return null
      const { session_id, confirmed_at, last_seen_time, ...caller } = found
      return {
        caller,
        session: { id: session_id, confirmedAt: confirmed_at, lastSeenAt: last_seen_time },
      }
    },
    findByAccessToken: async (accessToken) => {
      const hash = deps.secrets.hashAccessToken(accessToken)
      return (await findUserByAccessToken(db, hash)) ?? null
    },
  }
}
