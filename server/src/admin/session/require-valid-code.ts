import { AppError } from '@tollgate/contract'
import { findCodeHash, type HashedCode, tryCode } from '../../store/verification-codes.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import type { AccountCallLimits } from './account-call-limits.ts'
import { typedCode } from './one-time-code.ts'
import { requireEmailDomain } from './require-email-domain.ts'

type TypedCode = {
  email: string
  code: string
  address: string
  /** The input field that has the code. */
  field: string
}

/** Verifies a mailed code without consuming it; the caller must spend it. */
export async function requireValidCode(
  deps: AdminDeps,
  limits: Pick<AccountCallLimits, 'takeCodeAttempt'>,
  { email, code: typed, address, field }: TypedCode,
): Promise<HashedCode> {
  requireEmailDomain(deps.settings.current(), email)
  const { kysely } = deps.database
  const code = typedCode(deps.secrets, email, typed)
  const mailed = await findCodeHash(kysely, code)
  const forgive = await limits.takeCodeAttempt(mailed ?? `none ${email}`, address)
  const isRight = await tryCode(kysely, code, nowSeconds(deps))
  if (!isRight) throw new AppError('verification_code_wrong', { field })
  await forgive()
  return code
}
