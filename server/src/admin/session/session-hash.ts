import type { AdminDeps } from '../deps.ts'

/** Storage key of the caller's session; without a session an empty string, which matches none. */
export function sessionHash(
  { secrets }: Pick<AdminDeps, 'secrets'>,
  { sessionId }: { sessionId: string | null },
) {
  return sessionId === null ? '' : secrets.hashSession(sessionId)
}
