import type { Logger } from 'pino'
import type { Clock, Timer } from '../../clock.ts'
import type { LedgerDatabase } from '../batch.ts'

const CHECK_MS = 30_000
/** Three times the 5 minutes for which a node authorizes without hearing from the database. */
const UNCHANGED_MS_MAX = 15 * 60_000

type Deps = {
  database: LedgerDatabase
  /** Name of this node's own epoch. */
  epoch: () => string
  clock: Clock
  log: Pick<Logger, 'warn'>
}

/**
 * Closes epochs of other nodes whose sequence number stops advancing, so that their leases return
 * to the accounts. Only time during which the database answered this node counts, measured by the
 * monotonic clock. Returns a function that stops the monitor.
 */
export function monitorFailover({ database, epoch, clock, log }: Deps): () => void {
  const lastSeen = new Map<string, { sequence: number; unchangedMs: number }>()
  let checkedAt = Infinity
  let isStopped = false
  let timer: Timer | undefined

  const check = async () => {
    const peers = await database.otherEpochs(epoch())
    const at = clock.monotonic()
    // A node that was suspended observed nothing in the meantime: count two intervals at most.
    const passedMs = Math.min(Math.max(0, at - checkedAt), 2 * CHECK_MS)
    checkedAt = at
    const names = new Set(peers.map((peer) => peer.epoch))
    for (const name of lastSeen.keys()) if (!names.has(name)) lastSeen.delete(name)
    for (const { epoch: name, sequence } of peers) {
      const known = lastSeen.get(name)
      const unchangedMs = known?.sequence === sequence ? known.unchangedMs + passedMs : 0
      lastSeen.set(name, { sequence, unchangedMs })
      if (unchangedMs < UNCHANGED_MS_MAX) continue
      await database.closeEpoch({ epoch: name, type: 'abandoned', sequence })
      log.warn({ epoch: name }, 'the epoch of a silent node is closed and its leases are released')
    }
  }
  const wait = () => {
    if (isStopped) return
    timer = clock.after(CHECK_MS, () => {
      check().then(wait, () => {
        lastSeen.clear()
        checkedAt = Infinity
        wait()
      })
    })
  }
  wait()
  return () => {
    isStopped = true
    timer?.close()
  }
}
