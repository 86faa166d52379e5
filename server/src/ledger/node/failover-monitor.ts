import type { Logger } from 'pino'
import type { LedgerDatabase } from '../batch.ts'
import type { Clock } from '../clock.ts'

const LOOK_MS = 30_000
/** Three times as long as a node admits requests without having heard from the database. */
const STILL_MS_MAX = 15 * 60_000

type Deps = {
  database: LedgerDatabase
  /** The name of the run that watches. */
  run: () => string
  clock: Clock
  log: Pick<Logger, 'warn'>
}

/**
 * Closes runs whose beat stands still, so that what they lease comes back. Only time in which the
 * database answered this node counts, by a clock that never jumps. Gives how to stop.
 */
export function monitorFailover({ database, run, clock, log }: Deps): () => void {
  const seen = new Map<string, { beat: number; stillMs: number }>()
  let lookedAt = Infinity
  let isStopped = false
  let stop = () => {}

  const look = async () => {
    const others = await database.otherEpochs(run())
    const at = clock.monotonic()
    // A node that was itself stopped for long has seen nothing of that time.
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
