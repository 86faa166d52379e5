import { AppError, type ConfirmationWay, type Factor } from '@tollgate/contract'
import type { Site } from '../../http/site.ts'
import type { FactorSet } from '../../store/second-factors.ts'
import type { AdminDeps } from '../deps.ts'
import { relyingParty, relyingPartyOrNull } from './relying-party.ts'

/** Recovery codes alone are not a second factor; they only replace one. */
export const isSetUp = ({ totp_sealed, passkeys }: FactorSet) =>
  totp_sealed !== '' || passkeys.length > 0

/** Second factors that work at the browser's site. */
export function usableFactors(
  deps: Pick<AdminDeps, 'settings'>,
  { totp_sealed, passkeys, recovery_codes_left }: FactorSet,
  site: Site,
): Factor[] {
  const rpId = relyingPartyOrNull(deps, site)?.id
  const factors: Record<Factor, boolean> = {
    totp: totp_sealed !== '',
    passkey: passkeys.some(({ rp_id }) => rp_id === rpId),
    recovery_code: recovery_codes_left > 0,
  }
  return (['totp', 'passkey', 'recovery_code'] as const).filter((factor) => factors[factor])
}

/**
 * The error for an account whose factors do not work at this site. Only passkeys depend on the
 * site.
 */
export function noUsableFactorError(
  deps: Pick<AdminDeps, 'settings'>,
  { passkeys }: FactorSet,
  site: Site,
): AppError {
  try {
    relyingParty(deps, site)
  } catch (error) {
    if (error instanceof AppError) return error
    throw error
  }
  const hosts = [...new Set(passkeys.map(({ rp_id }) => rp_id))].join(', ')
  return new AppError('no_factor_here', { hosts })
}

/** With a second factor, a password alone cannot confirm. */
export function usableWays(
  deps: Pick<AdminDeps, 'settings'>,
  { factors, hasPassword }: { factors: FactorSet; hasPassword: boolean },
  site: Site,
): ConfirmationWay[] {
  if (isSetUp(factors)) return usableFactors(deps, factors, site)
  return hasPassword ? ['password'] : []
}
