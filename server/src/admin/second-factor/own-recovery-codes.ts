import { AppError } from '@tollgate/contract'
import { readFactors } from '../../store/second-factors.ts'
import type { AdminDeps } from '../deps.ts'
import type { CallerContext } from '../reauthorize.ts'
import { changeFactors } from './change-factors.ts'
import { isSetUp } from './factors.ts'
import { renewRecoveryCodes } from './recovery-codes.ts'

export async function createRecoveryCodes(
  deps: AdminDeps,
  context: CallerContext,
): Promise<string[]> {
  const { id } = context.caller
  const kind = { event: 'recovery_codes_made', endsSessions: false } as const
  return changeFactors(deps, context, kind, async (tx) => {
    if (!isSetUp(await readFactors(tx, id))) throw new AppError('recovery_codes_unneeded')
    return renewRecoveryCodes(tx, deps, id)
  })
}
