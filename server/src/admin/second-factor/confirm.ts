import { AppError } from '@tollgate/contract'
import type { Site } from '../../http/site.ts'
import type { Tx } from '../../store/database.ts'
import { readFactors } from '../../store/second-factors.ts'
import { markConfirmed } from '../../store/sessions.ts'
import { findCredentials, lockCredentials } from '../../store/users.ts'
import { createAttemptLimit, type LimitDeps, takeOrRefuse } from '../attempt-limit.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { sessionHash } from '../session/session-hash.ts'
import { isSetUp } from './factors.ts'
import { notifyOwner } from './notify.ts'
import { relyingParty } from './relying-party.ts'
import type { PasskeyChallenge } from './sign-in-by-passkey.ts'
import { issueTicket, spendChallenge } from './tickets.ts'
import { useCode } from './use-code.ts'
import { verifyPasskey } from './use-passkey.ts'
import { requestOptions } from './webauthn.ts'

const WINDOW_SECONDS = 20 * 60
const FAILURES_MAX = 10
const DAY_SECONDS = 24 * 3600
const FAILURES_PER_DAY_MAX = 50

export type ConfirmLimits = {
  /** Throws `too_many_requests`. Resolves to a function that refunds a successful attempt. */
  take: (key: string) => Promise<() => Promise<void>>
}

/** Keyed by session, so that a stolen session cannot keep its owner from confirming in another. */
export function createConfirmLimits(deps: LimitDeps): ConfirmLimits {
  const limits = [
    createAttemptLimit(deps, { name: 'confirm', most: FAILURES_MAX, seconds: WINDOW_SECONDS }),
    createAttemptLimit(deps, {
      name: 'confirm day',
      most: FAILURES_PER_DAY_MAX,
      seconds: DAY_SECONDS,
    }),
  ]
  return {
    take: async (key) => {
      for (const limit of limits) await takeOrRefuse(limit, key)
      return async () => {
        for (const limit of limits) await limit.release(key)
      }
    },
  }
}

type ConfirmationProof = {
  password?: string | undefined
  code?: string | undefined
  ticket?: string | undefined
  response?: unknown
}

type Confirming = CallerContext & { site: Site }

/** Verifies the session's user again. Returns the time of confirmation in epoch seconds. */
export async function confirm(
  deps: AdminDeps,
  limits: ConfirmLimits,
  { asking, given }: { asking: Confirming; given: ConfirmationProof },
): Promise<number> {
  const forgive = await limits.take(sessionHash(deps, asking))
  const confirmedAt = await prove(deps, asking, given)
  await forgive()
  return confirmedAt
}

function prove(deps: AdminDeps, asking: Confirming, proof: ConfirmationProof): Promise<number> {
  const { password, code, ticket, response } = proof
  if (password !== undefined) return byPassword(deps, asking, password)
  if (code !== undefined) return byCode(deps, asking, code)
  if (ticket !== undefined && response !== undefined) {
    return byPasskey(deps, asking, { ticket, response })
  }
  throw new AppError('field_missing', { field: 'password' })
}

async function byPassword(deps: AdminDeps, asking: Confirming, password: string) {
  const { database } = deps
  const { id } = asking.caller
  const stored = (await findCredentials(database.kysely, id))?.password_hash
  const isAllowed = stored !== '' && !isSetUp(await readFactors(database.kysely, id))
  if (!isAllowed) throw new AppError('confirmation_way_unavailable')
  if (!(await deps.passwords.verify(password, stored))) throw new AppError('wrong_password')
  return confirmIn(deps, asking, async (tx, user) => {
    // Password and factors may have changed during the check.
    if (user.password_hash !== stored) throw new AppError('wrong_password')
    if (isSetUp(await readFactors(tx, id))) throw new AppError('confirmation_way_unavailable')
  })
}

const byCode = (deps: AdminDeps, asking: Confirming, code: string) =>
  confirmIn(deps, asking, async (tx, user) => {
    if (!isSetUp(await readFactors(tx, user.id))) throw new AppError('confirmation_way_unavailable')
    const way = await useCode(tx, deps, { userId: user.id, code })
    if (way === null) throw new AppError('code_wrong')
    if (way === 'recovery_code') await notifyOwner(tx, deps, user, 'recovery_code_used')
  })

async function byPasskey(
  deps: AdminDeps,
  asking: Confirming,
  { ticket, response }: { ticket: string; response: unknown },
) {
  const { challenge, userId } = await spendChallenge(deps, 'passkey_confirm', ticket)
  if (userId !== asking.caller.id) throw new AppError('passkey_expired')
  const use = await verifyPasskey(deps, { response, challenge, site: asking.site, userId })
  return confirmIn(deps, asking, (tx) => use.record(tx))
}

type Owner = NonNullable<Awaited<ReturnType<typeof findCredentials>>>

async function confirmIn(
  deps: AdminDeps,
  asking: Confirming,
  check: (tx: Tx, user: Owner) => Promise<void>,
): Promise<number> {
  const { database } = deps
  const now = nowSeconds(deps)
  await database.transaction(async (tx) => {
    const user = await lockCredentials(tx, database.kind, asking.caller.id)
    await reauthorize(tx, deps, asking)
    if (!user) throw new AppError('not_signed_in')
    await check(tx, user)
    await markConfirmed(tx, sessionHash(deps, asking), now)
  })
  return now
}

export async function beginPasskeyConfirmation(
  deps: AdminDeps,
  { caller, site }: Confirming,
): Promise<PasskeyChallenge> {
  const rp = relyingParty(deps, site)
  const { passkeys } = await readFactors(deps.database.kysely, caller.id)
  const allowed = passkeys.filter(({ rp_id }) => rp_id === rp.id)
  if (allowed.length === 0) throw new AppError('confirmation_way_unavailable')
  const ticket = await deps.database.transaction((tx) =>
    issueTicket(tx, deps, { purpose: 'passkey_confirm', userId: caller.id }),
  )
  const challenge = deps.secrets.challengeOf(ticket)
  return { ticket, options: await requestOptions({ rp, challenge, allowed }) }
}
