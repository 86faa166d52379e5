import type { Clock } from '../../clock.ts'
import { keyOf } from '../account.ts'
import type { LeaseDifference } from '../leases/leases.ts'
import type { EpochDeps } from './epoch.ts'
import type { OpenHold } from './hold-state.ts'

/** Longer than any deadline a request has. */
const HOLD_MS_MAX = 3 * 3_600_000
const CHECK_MS = 60_000

type Holds = {
  readonly open: Iterable<OpenHold>
  readonly end: (hold: OpenHold) => void
}

type LeakDetector = {
  /**
   * Logs leases that differ from what was promised. Logs at most once a minute, since batches run
   * ten times a second.
   */
  readonly report: (differences: readonly LeaseDifference[]) => void
  readonly stop: () => void
}

/**
 * Logs what only a bug can cause. Checks once a minute for holds that outlive every deadline and
 * ends them.
 */
export function detectLeaks(
  { clock, log }: Pick<EpochDeps, 'log'> & { readonly clock: Clock },
  { open, end }: Holds,
): LeakDetector {
  const check = () => {
    for (const hold of open) {
      if (clock.monotonic() - hold.since <= HOLD_MS_MAX) continue
      log.error({ requestId: hold.context.requestId }, 'a request has never ended')
      end(hold)
    }
    timer.refresh()
  }
  const timer = clock.after(CHECK_MS, check)

  let reportedAt = -Infinity
  const report: LeakDetector['report'] = ([difference, ...others]) => {
    if (difference === undefined || clock.monotonic() - reportedAt < CHECK_MS) return
    reportedAt = clock.monotonic()
    const { account, lease, expected } = difference
    const facts = { account: keyOf(account), lease, expected, others: others.length }
    log.error(facts, 'a lease is not what was promised out of it')
  }
  return { report, stop: () => void timer.close() }
}
