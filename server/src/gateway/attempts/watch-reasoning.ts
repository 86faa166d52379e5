import type { Timer } from '../../clock.ts'
import { hiddenOutputOf } from '../billing/hidden-output.ts'
import { createStreamBudget } from '../billing/stream-budget.ts'
import type { RelayContext, RelayDeps } from '../context.ts'
import type { RunningAttempt } from './running-attempt.ts'

/**
 * Raises the hold while a provider reasons before its first token, and abandons the attempt where
 * the balance ends. Returns a function that stops it; null if there is nothing to watch.
 */
export function watchReasoning(
  deps: Pick<RelayDeps, 'health' | 'clock'>,
  context: Pick<RelayContext, 'parsedRequest' | 'terms' | 'authorization' | 'user'>,
  attempt: Pick<RunningAttempt, 'target'> & {
    readonly exchange: Pick<RunningAttempt['exchange'], 'abandon'>
  },
): (() => void) | null {
  const { clock } = deps
  if (context.authorization.headroomTokens === null) return null
  const hidden = hiddenOutputOf(deps, context, clock.monotonic())
  if (hidden === null) return null
  const budget = createStreamBudget(context, attempt.target, { hidden, countOutput: async () => 0 })
  if (budget === null) return null
  const abandon = () => attempt.exchange.abandon()
  let timer: Timer | undefined
  let isStopped = false
  const check = async () => {
    const isPaid = await budget.covers(0)
    if (isStopped) return
    if (isPaid) arm()
    else abandon()
  }
  const arm = () => {
    const ms = budget.growsInMs()
    if (ms < Infinity) timer = clock.after(ms, () => void check().catch(abandon))
  }
  arm()
  return () => {
    isStopped = true
    timer?.close()
  }
}
