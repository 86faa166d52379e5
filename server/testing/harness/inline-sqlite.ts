import { EventEmitter } from 'node:events'
import {
  openSqlite,
  serveSqlite,
  type SqliteCall,
  type SqliteExecutor,
  type SqlitePort,
  type SqliteReply,
  type SqliteStart,
} from '../../src/store/sqlite-connection.ts'
import type { SqliteWorker, StartSqlite } from '../../src/store/sqlite-thread.ts'

/** Tests may replace the global timers, and the database still has to answer. */
const { setImmediate: soon, setTimeout: later } = globalThis

const SQLITE_BUSY = 5
const RETRY_MS = 2
const RETRY_MS_MAX = 10_000

/** A call that finds the database locked is repeated later, so SQLite itself waits for nothing. */
export const openInlineSqlite = (start: SqliteStart): SqliteExecutor => openSqlite(start, 0)

export const startInlineSqlite: StartSqlite = (start) => serveInline(openInlineSqlite(start))

/**
 * Serves SQLite in the thread of the test. Waking a thread for each statement and back takes a
 * third of the CPU time of a typical test. While another connection writes, a call is repeated
 * later, because the transaction of the other one may be the same test's.
 */
export function serveInline(executor: Pick<SqliteExecutor, 'answer' | 'close'>): SqliteWorker {
  const calls: (SqliteCall | 'close')[] = []
  const events = new EventEmitter()
  let serve = (_call: SqliteCall | 'close') => {}
  let busySince: number | null = null

  const next = () => {
    const [call] = calls
    if (call !== undefined) serve(call)
  }
  const port: SqlitePort = {
    on: (_event, listener) => (serve = listener),
    close: () => void soon(() => events.emit('exit')),
    postMessage(reply: SqliteReply) {
      busySince ??= performance.now()
      const isBusy = 'error' in reply && reply.code === SQLITE_BUSY
      if (isBusy && isUndone(calls[0]) && performance.now() - busySince < RETRY_MS_MAX) {
        return void later(next, RETRY_MS)
      }
      busySince = null
      calls.shift()
      events.emit('message', reply)
      if (calls.length > 0) soon(next)
    },
  }
  serveSqlite(executor, port)
  return Object.assign(events, {
    postMessage(call: SqliteCall | 'close') {
      calls.push(call)
      if (calls.length === 1) soon(next)
    },
  })
}

/** Whether a call that failed for a lock has changed nothing. */
const isUndone = (call: SqliteCall | 'close' | undefined) =>
  typeof call === 'object' &&
  (call.statements.length === 1 || call.statements[0]?.sql === 'begin immediate')
