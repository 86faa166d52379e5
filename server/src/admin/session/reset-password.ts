import { AppError } from '@tollgate/contract'
import { newPassword } from '../../secrets.ts'
import { requireConfirmedWay } from '../../settings/identity-ways.ts'
import { deleteSessionsOf } from '../../store/sessions.ts'
import { lockUser, updateUser } from '../../store/users.ts'
import { isRightToken, spendCode } from '../../store/verification-codes.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import type { AccountCallLimits } from './account-call-limits.ts'
import { newDevice } from './device.ts'
import { hashedCode } from './one-time-code.ts'
import { mayReset } from './send-reset-mail.ts'

type Reset = { email: string; token: string; address: string }

/**
 * Returns the new password and a device token. All sessions and the access token end, to lock out
 * intruders. Wrong tokens do not block the right one, or anyone could prevent a reset.
 */
export async function resetPassword(
  deps: AdminDeps,
  limits: AccountCallLimits,
  { email, token, address }: Reset,
): Promise<{ password: string; device: string }> {
  await limits.takeCall('reset', address)
  const { database, secrets } = deps
  const code = hashedCode(secrets, { purpose: 'reset', email }, token)
  if (!(await isRightToken(database.kysely, code, nowSeconds(deps)))) {
    await limits.takeReset(email)
    throw new AppError('reset_link_invalid')
  }
  const password = newPassword()
  const password_hash = await deps.passwords.hash(password)
  return database.transaction(async (tx) => {
    if (!(await spendCode(tx, code))) throw new AppError('reset_link_invalid')
    const user = await lockUser(tx, database.kind, { email })
    if (!user || !mayReset(user)) throw new AppError('reset_link_invalid')
    // Administrators' mails use confirmed settings only, so the current settings decide.
    await requireConfirmedWay(tx, { way: 'reset_mail' }, user.role)
    await updateUser(tx, user.id, { password_hash, access_token_hash: null })
    await deleteSessionsOf(tx, user.id)
    return { password, device: newDevice(secrets, { id: user.id, password_hash }) }
  })
}
