import type { sessionEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { deleteSession } from '../../store/sessions.ts'
import type { AdminDeps } from '../deps.ts'
import { logIn } from './log-in.ts'
import { createLoginLimits } from './login-limits.ts'

export function sessionHandlers(deps: AdminDeps): Handlers<typeof sessionEndpoints> {
  const limits = createLoginLimits(deps.now)
  const forget = async (sessionId: string | null) => {
    if (sessionId === null) return
    await deleteSession(deps.database.kysely, deps.secrets.hashSession(sessionId))
  }
  return {
    login: async ({ address, sessionId: old }, { body }) => {
      const { user, sessionId } = await logIn(deps, limits, { ...body, address })
      await forget(old)
      return { data: user, session: sessionId }
    },
    logout: async ({ sessionId }) => {
      await forget(sessionId)
      return { session: null }
    },
  }
}
