import { getPriority, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { serveSqlite, type SqliteStart } from './sqlite-connection.ts'

/** A nice value that gives readers a third of the other threads' CPU share under contention. */
const READER_NICENESS = 5
const NICENESS_MAX = 19

if (parentPort === null) throw new Error('sqlite-worker must be started as a worker thread')
const start = workerData as SqliteStart // safe because only SqliteThread starts this worker
if (start.role === 'reader') yieldToOthers()
serveSqlite(start, parentPort)

/**
 * A long read must not delay charges. Linux only: elsewhere the priority applies to the whole
 * process.
 */
function yieldToOthers() {
  if (process.platform !== 'linux') return
  try {
    setPriority(Math.min(NICENESS_MAX, getPriority() + READER_NICENESS))
  } catch {
    // Some sandboxes forbid setting the priority; reads work without it.
  }
}
