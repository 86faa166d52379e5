import { AppError, type OwnSession } from '@tollgate/contract'
import type { SessionFacts } from '../../http/session.ts'
import { deleteOwnSession, deleteSessionsOf, listSessions, markSeen } from '../../store/sessions.ts'
import { lockUser } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type Asking, reauthorize } from '../reauthorize.ts'
import { sessionHash } from '../session/session-hash.ts'
import { shownUserAgent } from './present-user-agent.ts'

/** Minimum interval between updates of a session, to limit writes. */
const NOTED_SECONDS = 60

export async function ownSessions(
  deps: AdminDeps,
  { caller, session }: Asking,
): Promise<OwnSession[]> {
  const rows = await listSessions(deps.database.kysely, caller.id, nowSeconds(deps))
  return rows.map((row) => ({ ...row, is_current: row.id === session?.id }))
}

/** `session` is null if the caller ended their own session. */
export async function endSession(
  deps: AdminDeps,
  asking: Asking,
  id: number,
): Promise<{ session?: null }> {
  const { database } = deps
  await database.transaction(async (tx) => {
    await lockUser(tx, database.kind, { id: asking.caller.id })
    await reauthorize(tx, deps, asking)
    const isEnded = await deleteOwnSession(tx, { userId: asking.caller.id, id })
    if (!isEnded) throw new AppError('session_not_found')
  })
  return id === asking.session?.id ? { session: null } : {}
}

export async function endOtherSessions(deps: AdminDeps, asking: Asking) {
  const { database } = deps
  await database.transaction(async (tx) => {
    await lockUser(tx, database.kind, { id: asking.caller.id })
    await reauthorize(tx, deps, asking)
    await deleteSessionsOf(tx, asking.caller.id, sessionHash(deps, asking))
  })
}

type From = { address: string; userAgent: string }

/** Records when and from where a session was last used, at most once a minute. */
export async function noteUse(
  deps: Pick<AdminDeps, 'database' | 'now'>,
  { id, lastSeenAt }: SessionFacts,
  { address, userAgent }: From,
) {
  const at = nowSeconds(deps)
  if (at < lastSeenAt + NOTED_SECONDS) return
  const seen = { at, address, user_agent: shownUserAgent(userAgent) }
  await markSeen(deps.database.kysely, { sessionId: id, former: lastSeenAt, seen })
}
