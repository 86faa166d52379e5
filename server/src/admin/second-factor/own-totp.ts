import { AppError } from '@tollgate/contract'
import { newUserHandle } from '../../secrets.ts'
import {
  disableTotp as clearTotp,
  enableTotp as storeTotp,
  readFactors,
  findFactorRow,
  ensureUserHandle,
  putPendingTotp,
} from '../../store/second-factors.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import type { CallerContext } from '../reauthorize.ts'
import { changeFactors } from './change-factors.ts'
import { normalCode, firstRecoveryCodes } from './recovery-codes.ts'
import { newTotp, type NewTotp, sealTotp, stepOf } from './totp.ts'

const PENDING_SECONDS = 30 * 60

/**
 * Creates a new TOTP secret. A secret in use stays valid until the new one is verified by a code.
 */
export async function beginTotp(deps: AdminDeps, context: CallerContext): Promise<NewTotp> {
  const { id: userId, username: label } = context.caller
  const totp = newTotp({ issuer: deps.settings.current().SystemName, label })
  await changeFactors(deps, context, { endsSessions: false }, async (tx) => {
    await ensureUserHandle(tx, { userId, newHandle: newUserHandle() })
    await putPendingTotp(tx, {
      userId,
      sealed: sealTotp(deps.secrets, { userId }, totp.secret),
      until: nowSeconds(deps) + PENDING_SECONDS,
    })
  })
  return totp
}

/** The verification code is consumed, so that it cannot also be used to log in. */
export async function enableTotp(
  deps: AdminDeps,
  context: CallerContext,
  typed: string,
): Promise<string[]> {
  const userId = context.caller.id
  return changeFactors(deps, context, { event: 'totp_added' }, async (tx) => {
    const row = await findFactorRow(tx, userId)
    const sealed = row?.pending_totp_sealed ?? ''
    const isPending = sealed !== '' && (row?.pending_totp_until ?? 0) > nowSeconds(deps)
    if (!isPending) throw new AppError('totp_not_begun')
    const code = normalCode(typed)
    const step = stepOf(deps.secrets, { userId, sealed, code, now: deps.now() })
    if (step === null) throw new AppError('code_wrong')
    await storeTotp(tx, { userId, sealed, step })
    return firstRecoveryCodes(tx, deps, userId)
  })
}

export async function disableTotp(deps: AdminDeps, context: CallerContext) {
  const userId = context.caller.id
  await changeFactors(deps, context, { event: 'totp_removed', removes: true }, async (tx) => {
    if ((await readFactors(tx, userId)).totp_sealed === '') throw new AppError('totp_not_enabled')
    await clearTotp(tx, userId)
  })
}
