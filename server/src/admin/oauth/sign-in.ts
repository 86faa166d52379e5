import { AppError, isRoot, USER_STATUS } from '@tollgate/contract'
import type { Identity } from '../../integrations/identity.ts'
import { requireConfirmedWay } from '../../settings/identity-ways.ts'
import type { Tx } from '../../store/database.ts'
import { hasIdentity, lockUserByIdentity } from '../../store/identities.ts'
import type { AdminDeps } from '../deps.ts'
import { passFirstFactor, type SignInOutcome, type Visit } from '../second-factor/begin-session.ts'
import { createAccount, withNewAccount } from '../users/create-account.ts'
import { newAccountOf } from './new-account.ts'
import type { Way } from './providers.ts'

export type SignInRequest = {
  identity: Identity
  visit: Visit
  /** Runs in the transaction of the login. */
  inTransaction?: (tx: Tx) => Promise<void>
}

const ATTEMPTS_MAX = 5
/** Another request has just claimed the identity, name or address. */
const LOST_RACES = new Set(['identity_taken', 'username_taken', 'email_taken'])

/**
 * Logs in the identity's owner or creates an account. If two requests race, the second logs in.
 */
export async function signInByIdentity(
  deps: AdminDeps,
  way: Way,
  request: SignInRequest,
): Promise<SignInOutcome> {
  for (let attempts = 1; ; attempts++) {
    try {
      const { kysely } = deps.database
      const isKnown = await hasIdentity(kysely, way.column, request.identity.id)
      return isKnown ? await signIn(deps, way, request) : await signUp(deps, way, request)
    } catch (error) {
      const isLost = error instanceof AppError && LOST_RACES.has(error.code)
      if (!isLost || attempts >= ATTEMPTS_MAX) throw error
    }
  }
}

const signIn = (deps: AdminDeps, way: Way, request: SignInRequest): Promise<SignInOutcome> =>
  deps.database.transaction((tx) => openIdentitySession(tx, deps, way, request))

async function signUp(deps: AdminDeps, way: Way, request: SignInRequest): Promise<SignInOutcome> {
  if (!deps.settings.current().RegisterEnabled) throw new AppError('registration_disabled')
  const account = await newAccountOf(deps, way, request.identity)
  return withNewAccount(deps, account, async (tx) => {
    await createAccount(tx, deps, account)
    return openIdentitySession(tx, deps, way, request)
  })
}

async function openIdentitySession(
  tx: Tx,
  deps: AdminDeps,
  { column, used }: Way,
  { identity, visit, inTransaction }: SignInRequest,
): Promise<SignInOutcome> {
  const by = { column, identity: identity.id }
  const user = await lockUserByIdentity(tx, deps.database.kind, by)
  if (!user) throw new AppError('user_not_found')
  if (isRoot(user.role)) throw new AppError('root_signs_in_by_password')
  if (user.status !== USER_STATUS.enabled) throw new AppError('account_banned')
  await requireConfirmedWay(tx, used, user.role)
  await inTransaction?.(tx)
  return passFirstFactor(tx, deps, user, visit)
}
