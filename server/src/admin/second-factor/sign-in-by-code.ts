import { AppError, USER_STATUS } from '@tollgate/contract'
import { findTicket, spendTicket, tryTicket } from '../../store/tickets.ts'
import { findCredentials, lockCredentials } from '../../store/users.ts'
import type { AdminDeps } from '../deps.ts'
import { isDeviceOf, newDevice } from '../session/device.ts'
import { openSession, type SignedIn, type Visit } from './begin-session.ts'
import type { CodeLimits } from './code-limits.ts'
import { notifyOwner } from './notify.ts'
import { ticketKey } from './tickets.ts'
import { useCode } from './use-code.ts'

type CodeSignIn = Visit & { ticket: string; code: string; device: string | null }

export async function signInByCode(
  deps: AdminDeps,
  limits: CodeLimits,
  { ticket, code, device: shownDevice, ...visit }: CodeSignIn,
): Promise<SignedIn & { device: string }> {
  const { database, secrets } = deps
  const known = ticketKey(deps, 'sign_in', ticket)
  const userId = (await findTicket(database.kysely, known))?.user_id
  const owner = userId === undefined ? undefined : await findCredentials(database.kysely, userId)
  if (!owner) throw new AppError('sign_in_expired')
  const device =
    shownDevice !== null && isDeviceOf(secrets, shownDevice, owner) ? shownDevice : null
  const forgive = await limits.take({ userId: owner.id, address: visit.address, device })
  if (!(await tryTicket(database.kysely, known))) throw new AppError('sign_in_expired')
  const signedIn = await database.transaction(async (tx) => {
    const user = await lockCredentials(tx, database.kind, owner.id)
    if (user?.status !== USER_STATUS.enabled) throw new AppError('sign_in_expired')
    const way = await useCode(tx, deps, { userId: user.id, code })
    if (way === null) return null
    if (!(await spendTicket(tx, known))) throw new AppError('sign_in_expired')
    if (way === 'recovery_code') await notifyOwner(tx, deps, user, 'recovery_code_used')
    const newest = device ?? newDevice(secrets, user)
    return { ...(await openSession(tx, deps, user, visit)), device: newest }
  })
  if (signedIn === null) throw new AppError('code_wrong')
  await forgive(signedIn.device)
  return signedIn
}
