import { type Account, keyOf } from './account.ts'
import type { NodeDeps, OpenHold } from './node.ts'

/** Past every deadline a request has. */
const HOLD_MS_MAX = 3 * 3_600_000
const WATCH_MS = 60_000

type Watched = {
  readonly open: ReadonlySet<OpenHold>
  readonly end: (hold: OpenHold) => void
  readonly overdrawn: () => Account | undefined
}

/**
 * Looks once a minute for what is a bug of ours: a hold that outlives every deadline, whose money goes back, and
 * a lease of which more is promised than it has. Returns what ends it.
 */
export function watchHolds(
  { clock, log }: Pick<NodeDeps, 'clock' | 'log'>,
  { open, end, overdrawn }: Watched,
): () => void {
  let cancel = () => {}
  const look = () => {
    for (const hold of open) {
      if (clock.monotonic() - hold.since <= HOLD_MS_MAX) continue
      log.error({ requestId: hold.context.requestId }, 'a request has never ended')
      end(hold)
    }
    const account = overdrawn()
    if (account) log.warn({ account: keyOf(account) }, 'more is promised than leased')
    cancel = clock.after(WATCH_MS, look)
  }
  cancel = clock.after(WATCH_MS, look)
  return () => cancel()
}
