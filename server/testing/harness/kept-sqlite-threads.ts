import { EventEmitter } from 'node:events'
import { MessageChannel, Worker } from 'node:worker_threads'
import type { StartSqlite } from '../../src/store/sqlite-thread.ts'
import type { KeptStart } from './kept-sqlite-thread.ts'

const SCRIPT = new URL('./kept-sqlite-thread.ts', import.meta.url)

const idle: Worker[] = []

/**
 * Starts a SQLite thread that serves further databases after this one. A start takes 30 ms of CPU,
 * and each database has three threads.
 */
export const startKeptSqlite: StartSqlite = (start) => {
  const worker = idle.pop() ?? newWorker()
  const { port1, port2 } = new MessageChannel()
  const events = new EventEmitter()
  const onError = (error: unknown) => events.emit('error', error)
  const onExit = () => port1.close()
  worker.once('error', onError).once('exit', onExit)
  port1.on('message', (message) => events.emit('message', message))
  port1.once('close', () => {
    worker.off('error', onError).off('exit', onExit)
    if (worker.threadId !== -1) idle.push(worker)
    events.emit('exit')
  })
  const message: KeptStart = { start, port: port2 }
  worker.postMessage(message, [port2])
  return Object.assign(events, { postMessage: (call: unknown) => port1.postMessage(call) })
}

function newWorker(): Worker {
  const worker = new Worker(SCRIPT)
  worker.unref()
  return worker
}
