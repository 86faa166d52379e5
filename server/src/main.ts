import cluster from 'node:cluster'
import type { IncomingMessage, Server } from 'node:http'
import { isIPv6 } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { Logger } from 'pino'
import { DEFAULT_ROOT_PASSWORD } from '@tollgate/contract'
import { type App, createApp, type Observers } from './app.ts'
import { isRelayPath } from './gateway/intake/paths.ts'
import { isSocketUpgrade } from './gateway/realtime/handshake.ts'
import { withoutBasePath } from './http/base-path.ts'
import { FastPathServer } from './http/fast-path/fast-path-server.ts'
import { createAccessLog } from './process/access-log.ts'
import { connect } from './process/connect.ts'
import { createForOwnerOnly, prepareDataDir } from './process/data-dir.ts'
import { isLostWithContainer } from './process/data-volume.ts'
import { ConfigurationError, type Env, readEnv } from './process/env.ts'
import { createLog } from './process/log.ts'
import { lostJournalsText, unfinishedWithoutJournal } from './process/lost-journals.ts'
import { Probes } from './process/probes.ts'
import { seed } from './process/seed.ts'
import { startFailure } from './process/start-failure.ts'
import { NOT_READY } from './process/starting-page.ts'
import { StopSignals } from './process/stop-signals.ts'
import { limitThreadMemory } from './process/thread-memory.ts'
import { reportReady, superviseWorkers } from './process/workers.ts'
import { deriveSecrets } from './secrets.ts'
import { secondsAhead } from './store/clock.ts'
import { claimDataFolder, type DataFolder, DataFolderError } from './store/data-folder.ts'
import type { Database } from './store/database.ts'

const VERSION = 'v0.1.0'
const CONSOLE_DIR = fileURLToPath(new URL('../../console/dist', import.meta.url))

/** Codes live for ten minutes, measured by the clock of the node that checks them. */
const CLOCK_DIFFERENCE_SECONDS_MAX = 30

/** Time limit for a request line, its headers and its body. */
const REQUEST_TIMEOUT_MS = 300_000
const HEADERS_TIMEOUT_MS = 30_000
const KEEP_ALIVE_TIMEOUT_MS = 75_000

/** Running streams get this long after SIGTERM. */
const DRAIN_MS = 120_000
/** After the relay has shut down, console requests and incomplete requests get this long. */
const LAST_CONNECTIONS_MS = 3000
/**
 * A longer stop means that the database does not answer. The next start voids what is still held.
 */
const STOP_MS_MAX = 180_000

type Open = Pick<App, 'relay' | 'serve' | 'upgrade'>
type Listener = { server: Server; probes: Probes; open: (app: App) => void }

async function main() {
  createForOwnerOnly()
  limitThreadMemory()
  const env = readEnv(process.env)
  const log = createLog(env.LOG_LEVEL)
  if (cluster.isPrimary && env.WORKERS > 1) process.exit(await superviseWorkers(env, log))
  const listener = await listen(env)
  try {
    await start(env, log, listener)
  } catch (error) {
    listener.server.close()
    throw error
  }
}

/** Takes the port before anything else, so that a failed start leaves nothing behind. */
async function listen({ PORT, HOST, BASE_PATH }: Env): Promise<Listener> {
  let app: Open = NOT_READY
  const probes = new Probes(VERSION)
  const removeBasePath = (request: IncomingMessage) => {
    request.url = withoutBasePath(request.url ?? '/', BASE_PATH)
  }
  const server = new FastPathServer({
    requestTimeout: REQUEST_TIMEOUT_MS,
    headersTimeout: HEADERS_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    noDelay: true,
    shouldUpgradeCallback: (request) => {
      removeBasePath(request)
      return isSocketUpgrade(request)
    },
    accepts: isRelayPath,
    serveFast: (request, response) => app.relay(request, response),
    serve: (request, response) => {
      removeBasePath(request)
      if (!probes.serve(request, response)) app.serve(request, response)
    },
  })
  server.on('upgrade', (request, socket, head) => app.upgrade(request, socket, head))
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error) => reject(listenError(error, { PORT, HOST })))
    server.listen(PORT, HOST, resolve)
  })
  const open = (ready: App) => {
    app = ready
    probes.open(ready.check)
  }
  return { server, probes, open }
}

function listenError(error: Error, { PORT, HOST }: Pick<Env, 'PORT' | 'HOST'>): ConfigurationError {
  const code = 'code' in error ? error.code : ''
  if (code === 'EADDRINUSE') return new ConfigurationError(`PORT ${PORT} is in use on ${HOST}.`)
  if (code === 'EACCES')
    return new ConfigurationError(`PORT ${PORT} needs more rights than this user has.`)
  return new ConfigurationError(`HOST ${HOST} cannot be listened on: ${error.message}.`)
}

async function start(env: Env, log: Logger, listener: Listener) {
  const signals = new StopSignals()
  const dataDir = prepareDataDir(env.DATA_DIR, env.SECRET_KEY)
  let folder: DataFolder | undefined
  let database: Database | undefined
  try {
    // With several workers, their parent process claims the folder.
    if (!cluster.isWorker) folder = claimDataFolder(env.DATA_DIR)
    signals.listen(stopEarly)
    database = await connect({ env, log })
    await checkClock(database, log)
    await checkJournals(database, env, log)
    const secrets = deriveSecrets(dataDir.masterKey)
    const observers = await openObservers(env, log, listener.server)
    const seeded = await seed({ database, secrets, env, now: Date.now })
    const app = await createApp({
      env,
      database,
      secrets,
      log,
      version: VERSION,
      consoleDir: CONSOLE_DIR,
      observers,
    })
    freeStartMemory()
    listener.open(app)
    stopOnSignal(signals, { listener, app, database, folder, log, env })
    if (!cluster.isWorker || cluster.worker?.id === 1) {
      announce(listener.server, env, seeded)
      warnOfSettings(env, log)
    }
    reportReady()
  } catch (error) {
    await database?.close()
    folder?.release()
    // A folder that another process has claimed must not be cleared.
    if (folder) dataDir.undo()
    throw startFailure(error, env)
  }
}

/**
 * Reading modules and migrating tables enlarges the young generation by 30 MB, which V8 would keep.
 * The function exists only with the flag --expose-gc.
 */
function freeStartMemory() {
  globalThis.gc?.({ type: 'major', flavor: 'last-resort' })
}

/** The libraries are loaded only if metrics or traces are collected. */
async function openObservers(env: Env, log: Logger, server: Server): Promise<Observers> {
  const { METRICS_PORT, ACCESS_LOG } = env
  return {
    ...(METRICS_PORT !== undefined && { metrics: await openMetrics(env, METRICS_PORT, server) }),
    ...(hasCollector(env) && { telemetry: await openTelemetry(env, log) }),
    ...(ACCESS_LOG === 'on' && { accessLog: createAccessLog(log) }),
  }
}

const hasCollector = (env: Env) =>
  env.OTEL_SDK_DISABLED === 'false' &&
  (env.OTEL_EXPORTER_OTLP_ENDPOINT ??
    env.OTEL_EXPORTER_OTLP_TRACES_ENDPOINT ??
    env.OTEL_EXPORTER_OTLP_METRICS_ENDPOINT) !== undefined

async function openTelemetry(env: Env, log: Logger) {
  const telemetry = await import('./telemetry/telemetry.ts')
  return telemetry.openTelemetry({ env, version: VERSION, log })
}

/** Worker processes report to their parent. */
async function openMetrics(env: Env, port: number, server: Server) {
  const { createMetrics } = await import('./metrics/metrics.ts')
  const metrics = createMetrics({
    version: VERSION,
    countConnections: promisify(server.getConnections.bind(server)),
  })
  if (cluster.isPrimary) {
    const { serveMetrics } = await import('./metrics/metrics-server.ts')
    await serveMetrics({ env, port, scrape: metrics.scrape })
  }
  return metrics
}

/** A container's first process ignores signals that it does not handle. */
const stopEarly = () => process.exit(0)

async function checkClock(database: Database, log: Logger) {
  const seconds = await secondsAhead(database, Date.now)
  if (Math.abs(seconds) <= CLOCK_DIFFERENCE_SECONDS_MAX) return
  const side = seconds > 0 ? 'ahead of' : 'behind'
  log.warn(
    `the clock of this machine is ${Math.abs(seconds)} s ${side} that of the database server; codes, links and mails may be lost`,
  )
}

async function checkJournals(database: Database, { DATA_DIR }: Env, log: Logger) {
  const lost = await unfinishedWithoutJournal(database, DATA_DIR)
  if (lost > 0) log.error(lostJournalsText(lost, DATA_DIR))
}

function announce(server: Server, env: Env, seeded: boolean) {
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : env.PORT
  const host = hostOf(env.HOST)
  const lines = [`Tollgate ${VERSION} is listening on http://${host}:${port}${env.BASE_PATH}`]
  if (seeded) {
    const isDefault = env.INITIAL_ROOT_PASSWORD === DEFAULT_ROOT_PASSWORD
    const password = isDefault ? DEFAULT_ROOT_PASSWORD : '(the one in INITIAL_ROOT_PASSWORD)'
    lines.push(`First login: root / ${password}. Change the password at once.`)
    if (isDefault) lines.push('Until then root can log in from private networks only.')
  }
  console.log(lines.join('\n'))
}

/** As in an address that a browser accepts. */
function hostOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return 'localhost'
  return isIPv6(host) ? `[${host}]` : host
}

function warnOfSettings({ DATA_DIR, METRICS_PORT, METRICS_TOKEN }: Env, log: Logger) {
  if (METRICS_TOKEN !== undefined && METRICS_PORT === undefined) {
    log.warn('METRICS_TOKEN has no effect without METRICS_PORT: nothing is measured')
  }
  if (!isLostWithContainer(DATA_DIR)) return
  log.warn(`DATA_DIR ${DATA_DIR} is lost when its container is removed: mount a volume there`)
}

type Running = {
  listener: Listener
  app: App
  database: Database
  /** Referenced so that the folder's lock is not garbage-collected while the process runs. */
  folder: DataFolder | undefined
  log: Logger
  env: Env
}

/** Finishes running requests, returns this epoch's leases and exits with 0. */
function stopOnSignal(signals: StopSignals, running: Running) {
  const { listener, app, database, folder, log, env } = running
  let stopping = false
  const stop = async () => {
    if (stopping) return
    stopping = true
    listener.probes.stop()
    // Load balancers send new connections until they have seen the failed probe.
    await sleep(env.SHUTDOWN_DELAY_SECONDS * 1000)
    console.log('Stopping after the running requests.')
    const cutOff = () => listener.server.closeAllConnections()
    setTimeout(() => {
      log.fatal(`not stopped after ${STOP_MS_MAX} ms`)
      process.exit(1)
    }, STOP_MS_MAX)
    const closed = new Promise((resolve) => listener.server.close(resolve))
    setTimeout(cutOff, DRAIN_MS)
    await app.shutDown()
    await app.close()
    listener.server.closeIdleConnections()
    setTimeout(cutOff, LAST_CONNECTIONS_MS)
    await closed
    await database.close()
    folder?.release()
    process.exit(0)
  }
  const stopAndSay = () => {
    stop().catch((error: unknown) => {
      log.fatal({ error }, 'the shutdown failed')
      process.exit(1)
    })
  }
  signals.listen(stopAndSay)
  // The launcher holds the other end of this channel. Without the launcher the process could not be
  // stopped.
  process.on('disconnect', stopAndSay)
}

main().catch((error: unknown) => {
  const isExpected = error instanceof ConfigurationError || error instanceof DataFolderError
  if (isExpected) console.error(error.message)
  else console.error(error)
  process.exit(1)
})
