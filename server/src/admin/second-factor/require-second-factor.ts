import { AppError, type Endpoint, isAdmin } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import { readFactors, hasSecondFactor } from '../../store/second-factors.ts'
import type { AdminDeps } from '../deps.ts'
import type { CallerContext } from '../reauthorize.ts'
import { isSetUp } from './factors.ts'

type Deps = Pick<AdminDeps, 'database' | 'settings'>

export const isFactorRequired = ({ settings }: Pick<Deps, 'settings'>, role: number) =>
  settings.current().SecondFactorRequired && isAdmin(role)

/**
 * Throws `second_factor_needed`. Access tokens cannot set a factor up, so they get no exceptions.
 */
export async function requireSecondFactor(
  deps: Deps,
  { parts }: Pick<Endpoint, 'parts'>,
  { caller, session }: CallerContext,
) {
  if (!isFactorRequired(deps, caller.role)) return
  if (session !== null && parts.beforeSecondFactor) return
  if (await hasSecondFactor(deps.database.kysely, caller.id)) return
  const error = new AppError('second_factor_needed')
  error.extra = { code: 'second_factor_needed' }
  throw error
}

/** Throws `last_second_factor` if a removal leaves fewer factors than the server requires. */
export async function requireFactorLeft(
  tx: Tx,
  deps: Deps,
  { id, role }: { id: number; role: number },
): Promise<{ hasFactor: boolean }> {
  const hasFactor = isSetUp(await readFactors(tx, id))
  if (!hasFactor && isFactorRequired(deps, role)) throw new AppError('last_second_factor')
  return { hasFactor }
}
