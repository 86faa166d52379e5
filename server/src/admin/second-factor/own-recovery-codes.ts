import { AppError } from '@tollgate/contract'
import { factorsOf } from '../../store/second-factors.ts'
import type { AdminDeps } from '../deps.ts'
import type { Asking } from '../reauthorize.ts'
import { changeFactors } from './change-factors.ts'
import { isSetUp } from './factors.ts'
import { renewRecoveryCodes } from './recovery-codes.ts'

export async function createRecoveryCodes(deps: AdminDeps, asking: Asking): Promise<string[]> {
  const { id } = asking.caller
  const kind = { event: 'recovery_codes_made', endsSessions: false } as const
  return changeFactors(deps, asking, kind, async (tx) => {
    if (!isSetUp(await factorsOf(tx, id))) throw new AppError('recovery_codes_unneeded')
    return renewRecoveryCodes(tx, deps, id)
  })
}
