import { AppError } from '@tollgate/contract'
import { spendCode } from '../../store/verification-codes.ts'
import type { AdminDeps } from '../deps.ts'
import type { CallerContext } from '../reauthorize.ts'
import type { AccountCallLimits } from '../session/account-call-limits.ts'
import type { LoginLimits } from '../session/login-limits.ts'
import { requireOwnMailbox } from '../session/require-own-mailbox.ts'
import { requireValidCode } from '../session/require-valid-code.ts'
import { bind } from './bind.ts'

type Limits = { binders: LoginLimits; codes: AccountCallLimits }
type EmailProof = { email: string; code: string; address: string }

/** Checks the code first: only its holder may learn that the address is taken. */
export async function bindEmail(
  deps: AdminDeps,
  limits: Limits,
  { binder, email, code: typed, address }: EmailProof & { binder: CallerContext },
) {
  const { id } = binder.caller
  const binding = { address, name: String(id), user: { id }, device: null }
  const { forgive } = await limits.binders.take(binding)
  const code = await requireValidCode(deps, limits.codes, {
    email,
    code: typed,
    address,
    field: 'code',
  })
  await bind(deps, binder, {
    change: { email },
    used: { way: 'reset_mail' },
    inTransaction: async (tx) => {
      if (!(await spendCode(tx, code)))
        throw new AppError('verification_code_wrong', { field: 'code' })
      await requireOwnMailbox(tx, deps, { email, exceptId: id })
    },
  })
  await forgive()
}
