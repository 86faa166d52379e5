import { keyOf } from '../account.ts'
import type { Clock } from '../clock.ts'
import type { LeaseDifference } from '../leases/leases.ts'
import type { EpochDeps } from './epoch.ts'
import type { OpenHold } from './open-hold.ts'

/** Longer than any deadline a request has. */
const HOLD_MS_MAX = 3 * 3_600_000
const WATCH_MS = 60_000

type Watched = {
  readonly open: ReadonlySet<OpenHold>
  readonly end: (hold: OpenHold) => void
}

type Watch = {
  /**
   * Logs leases that differ from what was promised. Logs at most once a minute, since batches run
   * ten times a second.
   */
  readonly tell: (differences: readonly LeaseDifference[]) => void
  readonly stop: () => void
}

/**
 * Logs what only a bug can cause. Checks once a minute for holds that outlive every deadline and
 * ends them.
 */
export function detectLeaks(
  { clock, log }: Pick<EpochDeps, 'log'> & { readonly clock: Clock },
  { open, end }: Watched,
): Watch {
  let cancel = () => {}
  const look = () => {
    for (const hold of open) {
      if (clock.monotonic() - hold.since <= HOLD_MS_MAX) continue
      log.error({ requestId: hold.context.requestId }, 'a request has never ended')
      end(hold)
    }
    cancel = clock.after(WATCH_MS, look)
  }
  cancel = clock.after(WATCH_MS, look)

  let toldAt = -Infinity
  const tell: Watch['tell'] = ([difference, ...others]) => {
    if (difference === undefined || clock.monotonic() - toldAt < WATCH_MS) return
    toldAt = clock.monotonic()
    const { account, lease, expected } = difference
    const told = { account: keyOf(account), lease, expected, others: others.length }
    log.error(told, 'a lease is not what was promised out of it')
  }
  return { tell, stop: () => cancel() }
}
