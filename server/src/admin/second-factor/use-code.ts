import type { Tx } from '../../store/database.ts'
import { findFactorRow, spendRecoveryCode, spendTotpStep } from '../../store/second-factors.ts'
import type { AdminDeps } from '../deps.ts'
import { normalCode, recoveryCodeHash } from './recovery-codes.ts'
import { stepOf, TOTP_DIGITS } from './totp.ts'

const TOTP_CODE = new RegExp(`^\\d{${TOTP_DIGITS}}$`)

/** Consumes a TOTP or recovery code; null if the code is wrong. */
export async function useCode(
  tx: Tx,
  deps: Pick<AdminDeps, 'secrets' | 'now'>,
  { userId, code: typed }: { userId: number; code: string },
): Promise<'totp' | 'recovery_code' | null> {
  const code = normalCode(typed)
  if (TOTP_CODE.test(code)) return (await useTotp(tx, deps, { userId, code })) ? 'totp' : null
  const hash = recoveryCodeHash(deps, { userId, code })
  return (await spendRecoveryCode(tx, { userId, hash })) ? 'recovery_code' : null
}

async function useTotp(
  tx: Tx,
  { secrets, now }: Pick<AdminDeps, 'secrets' | 'now'>,
  { userId, code }: { userId: number; code: string },
): Promise<boolean> {
  const sealed = (await findFactorRow(tx, userId))?.totp_sealed ?? ''
  const step = stepOf(secrets, { userId, sealed, code, now: now() })
  return step !== null && spendTotpStep(tx, { userId, sealed, step })
}
