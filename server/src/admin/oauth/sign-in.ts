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

export type SigningIn = {
  identity: Identity
  visit: Visit
  /** Runs in the transaction of the sign-in. */
  alongside?: (tx: Tx) => Promise<void>
}

const TRIES_MAX = 5
/** Another request has just claimed the identity, name or address. */
const LOST_RACES = new Set(['identity_taken', 'username_taken', 'email_taken'])

/**
 * Signs in the identity's owner or creates an account. If two requests race, the second signs in.
 */
export async function signInByIdentity(
  deps: AdminDeps,
  way: Way,
  signingIn: SigningIn,
): Promise<SignInOutcome> {
  for (let tries = 1; ; tries++) {
    try {
      const { kysely } = deps.database
      const isKnown = await hasIdentity(kysely, way.column, signingIn.identity.id)
      return isKnown ? await signIn(deps, way, signingIn) : await signUp(deps, way, signingIn)
    } catch (error) {
      const isLost = error instanceof AppError && LOST_RACES.has(error.code)
      if (!isLost || tries >= TRIES_MAX) throw error
    }
  }
}

const signIn = (deps: AdminDeps, way: Way, signingIn: SigningIn): Promise<SignInOutcome> =>
  deps.database.transaction((tx) => letIn(tx, deps, way, signingIn))

async function signUp(deps: AdminDeps, way: Way, signingIn: SigningIn): Promise<SignInOutcome> {
  if (!deps.settings.current().RegisterEnabled) throw new AppError('registration_disabled')
  const account = await newAccountOf(deps, way, signingIn.identity)
  return withNewAccount(deps, account, async (tx) => {
    await createAccount(tx, deps, account)
    return letIn(tx, deps, way, signingIn)
  })
}

async function letIn(
  tx: Tx,
  deps: AdminDeps,
  { column, used }: Way,
  { identity, visit, alongside }: SigningIn,
): Promise<SignInOutcome> {
  const by = { column, identity: identity.id }
  const user = await lockUserByIdentity(tx, deps.database.kind, by)
  if (!user) throw new AppError('user_not_found')
  if (isRoot(user.role)) throw new AppError('root_signs_in_by_password')
  if (user.status !== USER_STATUS.enabled) throw new AppError('account_banned')
  await requireConfirmedWay(tx, used, user.role)
  await alongside?.(tx)
  return passFirstFactor(tx, deps, user, visit)
}
