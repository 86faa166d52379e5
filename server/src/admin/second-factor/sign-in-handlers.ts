import type { secondFactorSignInEndpoints } from '@tollgate/contract'
import type { Handlers } from '../../http/mount.ts'
import { addressKey } from '../../http/rate-limit.ts'
import { deleteSession } from '../../store/sessions.ts'
import { createAttemptLimit, takeOrRefuse } from '../attempt-limit.ts'
import type { AdminDeps } from '../deps.ts'
import { createCodeLimits } from './code-limits.ts'
import { signInByCode } from './sign-in-by-code.ts'
import { beginPasskeySignIn, signInByPasskey } from './sign-in-by-passkey.ts'
import { TICKET_SECONDS } from './tickets.ts'

/**
 * A login page requests a challenge whenever it is opened, and many people may share an address.
 */
const CHALLENGES_PER_ADDRESS_MAX = 100
const WINDOW_SECONDS = 20 * 60
const FAILURES_PER_ADDRESS_MAX = 20

export function secondFactorSignInHandlers(
  deps: AdminDeps,
): Handlers<typeof secondFactorSignInEndpoints> {
  const codes = createCodeLimits(deps)
  const limitOf = (name: string, most: number, seconds: number) =>
    createAttemptLimit(deps, { name, most, seconds })
  const challenges = limitOf('passkey challenge', CHALLENGES_PER_ADDRESS_MAX, TICKET_SECONDS)
  const failures = limitOf('passkey', FAILURES_PER_ADDRESS_MAX, WINDOW_SECONDS)
  const forget = async (sessionId: string | null) => {
    if (sessionId === null) return
    await deleteSession(deps.database.kysely, deps.secrets.hashSession(sessionId))
  }
  return {
    signInByCode: async (context, { body }) => {
      const { address, userAgent, site, device: shown, sessionId } = context
      const attempt = { ...body, address, userAgent, site, device: shown }
      const { device, ...signedIn } = await signInByCode(deps, codes, attempt)
      await forget(sessionId)
      return { data: signedIn.user, session: signedIn.sessionId, device }
    },
    beginPasskeySignIn: async ({ address, site }, { body }) => {
      await takeOrRefuse(challenges, addressKey(address))
      return { data: await beginPasskeySignIn(deps, { ...body, site }) }
    },
    signInByPasskey: async (context, { body }) => {
      const { address, userAgent, site, device: shown, sessionId } = context
      const here = addressKey(address)
      await takeOrRefuse(failures, here)
      const attempt = { ...body, address, userAgent, site, device: shown }
      const { device, ...signedIn } = await signInByPasskey(deps, attempt)
      await failures.release(here)
      await forget(sessionId)
      return { data: signedIn.user, session: signedIn.sessionId, device }
    },
  }
}
