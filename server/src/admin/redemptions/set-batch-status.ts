import { setStatusOfBatch } from '../../store/redemptions.ts'
import type { AdminDeps } from '../deps.ts'
import { type CallerContext, reauthorize } from '../reauthorize.ts'
import { note } from './note.ts'
import { batchText } from './redemption-notes.ts'

export async function setBatchStatus(
  deps: AdminDeps,
  context: CallerContext,
  { batch, status }: { batch: string; status: 1 | 2 },
): Promise<number> {
  return deps.database.transaction(async (tx) => {
    const count = await setStatusOfBatch(tx, { batch, to: status })
    const caller = await reauthorize(tx, deps, context)
    if (count > 0) await note(tx, deps, caller, batchText({ batch, count, status }))
    return count
  })
}
