import { REDEMPTION_STATUS } from '@tollgate/contract'
import { setStatusOfBatch } from '../../store/redemptions.ts'
import type { AdminDeps } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { note } from './note.ts'
import { batchText } from './redemption-notes.ts'

const { enabled, disabled } = REDEMPTION_STATUS

export async function setBatchStatus(
  deps: AdminDeps,
  context: CallerContext,
  { batch, status }: { batch: string; status: 1 | 2 },
): Promise<number> {
  return deps.database.transaction(async (tx) => {
    const from = status === enabled ? disabled : enabled
    const count = await setStatusOfBatch(tx, { batch, from, to: status })
    const caller = await reauthorize(tx, deps, context)
    if (count > 0) await note(tx, deps, caller, batchText({ batch, count, status }))
    return count
  })
}
