import type { Accounts } from '../http/session.ts'
import { findSessionUser } from '../store/sessions.ts'
import { findUserByAccessToken } from '../store/users.ts'
import { type AdminDeps, nowSeconds } from './deps.ts'

/** Read anew for each request: a ban or a demotion counts from the next one. */
export function createAccounts(deps: Pick<AdminDeps, 'database' | 'secrets' | 'now'>): Accounts {
  const { kysely } = deps.database
  return {
    findBySession: async (sessionId) => {
      const idHash = deps.secrets.hashSession(sessionId)
      return (await findSessionUser(kysely, idHash, nowSeconds(deps))) ?? null
    },
    findByAccessToken: async (accessToken) => {
      const hash = deps.secrets.hashAccessToken(accessToken)
      return (await findUserByAccessToken(kysely, hash)) ?? null
    },
  }
}
