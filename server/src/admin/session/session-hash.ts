import type { AdminDeps } from '../deps.ts'

/** What the caller's own session is stored under; empty, which is no session, without one. */
export function sessionHash(
  { secrets }: Pick<AdminDeps, 'secrets'>,
  { sessionId }: { sessionId: string | null },
) {
  return sessionId === null ? '' : secrets.hashSession(sessionId)
}
