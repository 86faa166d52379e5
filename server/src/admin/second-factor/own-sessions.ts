import { AppError, type OwnSession } from '@tollgate/contract'
import type { SessionInfo } from '../../http/session.ts'
import {
  deleteOwnSession,
  deleteSessionsOf,
  listSessions,
  noteSessionUse,
} from '../../store/sessions.ts'
import { lockUser } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { sessionHash } from '../session/session-hash.ts'
import { presentUserAgent } from './present-user-agent.ts'

/** Minimum interval between updates of a session, to limit writes. */
const NOTED_SECONDS = 60

export async function ownSessions(
  deps: AdminDeps,
  { caller, session }: CallerContext,
): Promise<OwnSession[]> {
  const rows = await listSessions(deps.database.kysely, caller.id, nowSeconds(deps))
  return rows.map((row) => ({ ...row, is_current: row.id === session?.id }))
}

/** `session` is null if the caller ended their own session. */
export async function endSession(
  deps: AdminDeps,
  context: CallerContext,
  id: number,
): Promise<{ session?: null }> {
  const { database } = deps
  await database.transaction(async (tx) => {
    await lockUser(tx, database.kind, { id: context.caller.id })
    await reauthorize(tx, deps, context)
    const isEnded = await deleteOwnSession(tx, { userId: context.caller.id, id })
    if (!isEnded) throw new AppError('session_not_found')
  })
  return id === context.session?.id ? { session: null } : {}
}

export async function endOtherSessions(deps: AdminDeps, context: CallerContext) {
  const { database } = deps
  await database.transaction(async (tx) => {
    await lockUser(tx, database.kind, { id: context.caller.id })
    await reauthorize(tx, deps, context)
    await deleteSessionsOf(tx, context.caller.id, sessionHash(deps, context))
  })
}

type From = { address: string; userAgent: string }

/** Records when and from where a session was last used, at most once a minute. */
export async function noteUse(
  deps: Pick<AdminDeps, 'database' | 'now'>,
  { id, lastSeenAt }: SessionInfo,
  { address, userAgent }: From,
) {
  const at = nowSeconds(deps)
  if (at < lastSeenAt + NOTED_SECONDS) return
  const use = { at, address, user_agent: presentUserAgent(userAgent) }
  await noteSessionUse(deps.database.kysely, { sessionId: id, former: lastSeenAt, seen: use })
}
