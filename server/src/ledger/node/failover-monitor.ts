import type { Logger } from 'pino'
import type { LedgerDatabase } from '../batch.ts'
import type { Clock } from '../clock.ts'

const LOOK_MS = 30_000
/** Three times the 5 minutes for which a node admits requests without hearing from the database. */
const STILL_MS_MAX = 15 * 60_000

type Deps = {
  database: LedgerDatabase
  /** Name of this node's own epoch. */
  run: () => string
  clock: Clock
  log: Pick<Logger, 'warn'>
}

/**
 * Closes epochs of other nodes whose sequence number stops advancing, so that their leases return
 * to the accounts. Only time during which the database answered this node counts, measured by the
 * monotonic clock. Returns a function that stops the monitor.
 */
export function monitorFailover({ database, run, clock, log }: Deps): () => void {
  const seen = new Map<string, { beat: number; stillMs: number }>()
  let lookedAt = Infinity
  let isStopped = false
  let stop = () => {}

  const look = async () => {
    const others = await database.otherEpochs(run())
    const at = clock.monotonic()
    // A node that was suspended observed nothing in the meantime: count two intervals at most.
    const passedMs = Math.min(Math.max(0, at - lookedAt), 2 * LOOK_MS)
    lookedAt = at
    const names = new Set(others.map((other) => other.run))
    for (const name of seen.keys()) if (!names.has(name)) seen.delete(name)
    for (const { run: name, beat } of others) {
      const known = seen.get(name)
      const stillMs = known?.beat === beat ? known.stillMs + passedMs : 0
      seen.set(name, { beat, stillMs })
      if (stillMs < STILL_MS_MAX) continue
      await database.closeEpoch({ run: name, type: 'abandoned', beat })
      log.warn({ run: name }, 'a node has been silent for too long; what it leased is given back')
    }
  }
  const wait = () => {
    if (isStopped) return
    stop = clock.after(LOOK_MS, () => {
      look().then(wait, () => {
        seen.clear()
        lookedAt = Infinity
        wait()
      })
    })
  }
  wait()
  return () => {
    isStopped = true
    stop()
  }
}
