import { parentPort, workerData } from 'node:worker_threads'
import { lowerThreadPriority } from '../thread-priority.ts'
import { openSqlite, serveSqlite, type SqliteStart } from './sqlite-connection.ts'

if (parentPort === null) throw new Error('sqlite-worker must be started as a worker thread')
const start = workerData as SqliteStart // safe because only SqliteThread starts this worker
// A long read must not delay charges.
if (start.role === 'reader') lowerThreadPriority()
// A lost call would get the answer of the next, so the thread ends.
parentPort.on('messageerror', (error) => {
  throw error
})
serveSqlite(openSqlite(start), parentPort)
