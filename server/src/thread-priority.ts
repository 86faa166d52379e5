import { getPriority, setPriority } from 'node:os'

/** A nice value that gives a thread a third of the other threads' CPU share under contention. */
const NICENESS = 5
const NICENESS_MAX = 19

/**
 * Lowers the priority of the calling thread. Linux only: elsewhere the priority applies to the
 * whole process.
 */
export function lowerThreadPriority() {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(NICENESS_MAX, getPriority() + NICENESS))
  } catch {
    // Some sandboxes forbid setting the priority; the thread works without it.
  }
}
