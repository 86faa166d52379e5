import { AppError } from '@tollgate/contract'
import { spendCode, tryCode } from '../../store/verification-codes.ts'
import { type AdminDeps, nowSeconds } from '../deps.ts'
import type { LoginLimits } from '../session/login-limits.ts'
import { typedCode } from '../session/one-time-code.ts'
import { requireEmailDomain } from '../session/require-email-domain.ts'
import type { Asking } from '../still-in.ts'
import { bind } from './bind.ts'

type Given = { email: string; code: string; address: string }

/** That an address is taken is told to those only who have the code of it. */
export async function bindEmail(
  deps: AdminDeps,
  limits: LoginLimits,
  { binder, email, code: typed, address }: Given & { binder: Asking },
) {
  const { id } = binder.caller
  const { forgive } = limits.take({ address, name: String(id), userId: id })
  requireEmailDomain(deps.settings.current(), email)
  const code = typedCode(deps.secrets, email, typed)
  const isRight = await tryCode(deps.database.kysely, code, nowSeconds(deps))
  if (!isRight) throw new AppError('verification_code_wrong')
  await bind(deps, binder, {
    change: { email },
    alongside: async (tx) => {
      if (!(await spendCode(tx, code))) throw new AppError('verification_code_wrong')
    },
  })
  forgive()
}
