import { AppError, USER_STATUS } from '@tollgate/contract'
import { readFactors } from '../../store/second-factors.ts'
import { findTicket, spendTicket, tryTicket } from '../../store/tickets.ts'
import { lockCredentials } from '../../store/users.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import { isDeviceOf, newDevice } from '../session/device.ts'
import { openSession, type SignedIn, type Visit } from './begin-session.ts'
import { relyingParty } from './relying-party.ts'
import { ticketKey, issueTicket, spendChallenge } from './tickets.ts'
import { verifyPasskey } from './use-passkey.ts'
import { requestOptions } from './webauthn.ts'

export type PasskeyChallenge = { ticket: string; options: Record<string, unknown> }

/** With a login ticket only the account's passkeys are allowed; without a ticket any passkey. */
export async function beginPasskeySignIn(
  deps: AdminDeps,
  { ticket: signIn, site }: { ticket: string } & Pick<Visit, 'site'>,
): Promise<PasskeyChallenge> {
  const rp = relyingParty(deps, site)
  const { database } = deps
  const purpose = 'passkey_sign_in'
  if (signIn === '') {
    const ticket = await database.transaction((tx) => issueTicket(tx, deps, { purpose, userId: 0 }))
    const challenge = deps.secrets.challengeOf(ticket)
    return { ticket, options: await requestOptions({ rp, challenge, allowed: null }) }
  }
  const userId = (await findTicket(database.kysely, ticketKey(deps, 'sign_in', signIn)))?.user_id
  if (userId === undefined) throw new AppError('sign_in_expired')
  const { passkeys } = await readFactors(database.kysely, userId)
  const allowed = passkeys.filter(({ rp_id }) => rp_id === rp.id)
  if (allowed.length === 0) throw new AppError('confirmation_way_unavailable')
  const ticket = await database.transaction((tx) =>
    issueTicket(tx, deps, { purpose, userId, signIn }),
  )
  const challenge = deps.secrets.challengeOf(ticket)
  return { ticket, options: await requestOptions({ rp, challenge, allowed }) }
}

type PasskeySignIn = Visit & { ticket: string; response: unknown; device: string | null }

/** A passkey verifies its user on its own, so it counts as both factors. */
export async function signInByPasskey(
  deps: AdminDeps,
  { ticket, response, device, ...visit }: PasskeySignIn,
): Promise<SignedIn & { device: string }> {
  const { database, secrets } = deps
  const { challenge, userId, signInHash } = await spendChallenge(deps, 'passkey_sign_in', ticket)
  const signIn = {
    ticket_hash: signInHash,
    purpose: 'sign_in' as const,
    now: nowSeconds(deps),
  }
  const isSecond = signInHash !== ''
  if (isSecond && !(await tryTicket(database.kysely, signIn))) {
    throw new AppError('sign_in_expired')
  }
  const use = await verifyPasskey(deps, { response, challenge, site: visit.site, userId })
  return database.transaction(async (tx) => {
    const user = await lockCredentials(tx, database.kind, use.userId)
    if (!user) throw new AppError('passkey_refused')
    if (user.status !== USER_STATUS.enabled) throw new AppError('account_banned')
    await use.record(tx)
    if (isSecond && !(await spendTicket(tx, signIn))) throw new AppError('sign_in_expired')
    const signedIn = await openSession(tx, deps, user, visit)
    const isOwn = device !== null && isDeviceOf(secrets, device, user)
    return { ...signedIn, device: isOwn ? device : newDevice(secrets, user) }
  })
}
