import cluster, { type Worker } from 'node:cluster'
import type { Logger } from 'pino'
import { claimDataFolder } from '../store/data-folder.ts'
import { prepareDataDir } from './data-dir.ts'
import type { Env } from './env.ts'

const RESTART_MS = 1000
const READY = 'ready'

/** Tells the parent process that this worker accepts requests. */
export function reportReady() {
  if (cluster.isWorker) process.send?.(READY)
}

/**
 * Starts the worker processes that share the port. The first worker starts alone, because it may
 * migrate the tables. Restarts workers that exit. Resolves with the exit code when all have ended.
 */
export async function superviseWorkers(env: Env, log: Logger): Promise<number> {
  const dataDir = prepareDataDir(env.DATA_DIR, env.SECRET_KEY)
  const folder = claimDataFolder(env.DATA_DIR)
  if (env.METRICS_PORT !== undefined) {
    const { createClusterScrape, serveMetrics } = await import('../metrics/metrics-server.ts')
    await serveMetrics({ env, port: env.METRICS_PORT, scrape: createClusterScrape() })
  }
  let isStopping = false
  const stop = () => {
    isStopping = true
    for (const worker of workersOf()) worker.process.kill('SIGTERM')
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  process.on('disconnect', stop)

  cluster.on('message', (worker, message: unknown) => {
    if (message === READY) log.info({ worker: worker.id }, 'a worker is ready')
  })
  const isFirstReady = await untilReady(cluster.fork())
  if (!isFirstReady) {
    folder.release()
    if (!isStopping) dataDir.undo()
    return isStopping ? 0 : 1
  }
  for (let count = 1; count < env.WORKERS && !isStopping; count += 1) cluster.fork()
  cluster.on('message', (sender, text: unknown) => {
    if (typeof text !== 'string' || text === READY) return
    for (const worker of workersOf()) {
      // A worker that has just died cannot receive the message. Without this callback the error
      // would end this process.
      if (worker !== sender) worker.send(text, () => {})
    }
  })
  const code = await new Promise<number>((resolve) => {
    cluster.on('exit', (worker, exitCode, signal) => {
      if (isStopping && workersOf().length === 0) return resolve(0)
      if (isStopping) return
      log.error({ worker: worker.id, exitCode, signal }, 'a worker has died; starting another')
      setTimeout(() => !isStopping && cluster.fork(), RESTART_MS)
    })
    if (isStopping && workersOf().length === 0) resolve(0)
  })
  folder.release()
  return code
}

const workersOf = (): Worker[] =>
  Object.values(cluster.workers ?? {}).filter((worker) => worker !== undefined)

function untilReady(worker: Worker): Promise<boolean> {
  return new Promise((resolve) => {
    worker.once('exit', () => resolve(false))
    worker.on('message', (message: unknown) => message === READY && resolve(true))
  })
}
