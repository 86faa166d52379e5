import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Logger } from 'pino'
import type { OptionValues } from '@tollgate/contract'
import { createControlPlane } from './admin/control-plane.ts'
import { createGateway, type Gateway, type GatewayDeps } from './gateway/gateway.ts'
import { isPageVisit } from './gateway/intake/browser-request.ts'
import { isRelayPath, meantPathOf, pathOf } from './gateway/intake/paths.ts'
import { createCallLimit } from './http/call-limit.ts'
import { createClientAddress } from './http/client-address.ts'
import { createPasswords } from './http/password.ts'
import { createJsonClient, PRICE_LIST_RULES } from './integrations/json-client.ts'
import { startJobs } from './jobs/start-jobs.ts'
import { type OpenLedger, openLedger } from './ledger/create-ledger.ts'
import type { EndRecord } from './ledger/record.ts'
import type { Metrics } from './metrics/metrics.ts'
import type { Outgoing, OutgoingDeps } from './network/outgoing.ts'
import type { AccessLog } from './process/access-log.ts'
import type { Checks } from './process/checks.ts'
import type { Env } from './process/env.ts'
import { setByEnv } from './process/set-by-env.ts'
import type { Secrets } from './secrets.ts'
import { openSettings, type Settings } from './settings/settings.ts'
import { createDatabaseCheck, type DatabaseCheck } from './store/database-check.ts'
import type { Database } from './store/database.ts'
import type { Telemetry } from './telemetry/telemetry.ts'
import { UPSTREAM_LIMITS } from './upstream/limits.ts'
import { createUpstream } from './upstream/send.ts'

export type App = {
  /** For paths that `isRelayPath` accepts. */
  relay: Gateway['serve']
  /** For every path. */
  serve: (request: IncomingMessage, response: ServerResponse) => void
  /** For requests that `isSocketUpgrade` accepts. */
  upgrade: Gateway['upgrade']
  check: () => Promise<Checks>
  /** Stops accepting relay requests and resolves when none is running. */
  shutDown: () => Promise<void>
  close: () => Promise<void>
}

export type AppDeps = {
  env: Env
  database: Database
  secrets: Secrets
  log: Logger
  version: string
  consoleDir: string
  observers: Observers
}

/** Observers learn of every request. Each is absent unless the operator asks for it. */
export type Observers = {
  readonly metrics?: Metrics
  readonly telemetry?: Telemetry
  readonly accessLog?: AccessLog
}

/** Connects the data plane and the control plane to one database. */
export async function createApp(deps: AppDeps): Promise<App> {
  const { env, database, secrets, log, observers } = deps
  const now = Date.now
  const settings = await openSettings({ database, secrets, log, now, ...setByEnv(env) })
  const ledger = await openLedgerOf(deps, settings)
  const checkDatabase = createDatabaseCheck(database)
  const callLimit = openCallLimit(env, settings)
  const upstream = createUpstream(UPSTREAM_LIMITS, outgoingOf(settings, env))
  const { outgoing } = upstream
  const { close: closeClients, ...clients } = openClients(outgoing)
  const gateway = await createGateway({
    database,
    settings,
    ledger,
    secrets,
    upstream,
    trustedProxies: env.TRUSTED_PROXIES,
    callLimit,
    redisUrl: env.REDIS_URL,
    onRefusal: onRefusalOf(observers),
    tracing: observers.telemetry,
    log,
    random: Math.random,
  })
  const checkAll = () => check(ledger, checkDatabase)
  observers.metrics?.watch({
    database,
    check: checkAll,
    vitals: ledger.vitals,
    health: gateway.health,
    keysOf: gateway.keysOf,
    settings,
  })
  const controlPlane = await createControlPlane({
    ...deps,
    settings,
    ledger,
    upstream,
    ...sharedStateOf(gateway),
    checkDatabase,
    callLimit,
    passwords: createPasswords(),
    ...clients,
    now,
    startedAt: Math.floor(now() / 1000),
  })
  const claimed = observers.metrics?.claimed
  const jobs = startJobs({ ...deps, settings, upstream, outgoing, now, claimed, ...clients })
  return {
    relay: gateway.serve,
    serve: (request, response) => {
      request.url = withoutOrigin(request.url ?? '/')
      if (isRelayPath(request.url) || isMisaddressed(request)) gateway.serve(request, response)
      else controlPlane.routing(request, response)
    },
    upgrade: gateway.upgrade,
    check: checkAll,
    shutDown: () => gateway.shutDown(),
    close: async () => {
      await controlPlane.close()
      await jobs.stop()
      await ledger.close()
      upstream.close()
      await closeClients()
      await observers.telemetry?.close()
    },
  }
}

const onRefusalOf =
  ({ metrics, accessLog }: Observers): GatewayDeps['onRefusal'] =>
  (refusal, requestId) => {
    metrics?.refused(refusal)
    accessLog?.refused(refusal, requestId)
  }

const onEndOf =
  ({ metrics, telemetry, accessLog }: Observers) =>
  (record: EndRecord) => {
    metrics?.ended(record)
    const traceId = telemetry?.ended(record)
    accessLog?.ended(record, traceId)
  }

const openLedgerOf = ({ env, database, log, observers }: AppDeps, settings: Settings) =>
  openLedger({
    database,
    databaseUrl: env.DATABASE_URL,
    dataDir: env.DATA_DIR,
    sharesFolder: env.WORKERS > 1,
    label: env.NODE_ID,
    syncAlways: env.SYNC_JOURNAL === 'always',
    log,
    onEnd: onEndOf(observers),
    keepsLog: () => keptLogs(settings.current()),
    remindBelow: () => settings.current().QuotaRemindThreshold,
  })

const openCallLimit = ({ TRUSTED_PROXIES }: Env, settings: Settings) =>
  createCallLimit({
    client: createClientAddress(TRUSTED_PROXIES),
    max: () => settings.current().GlobalApiRateLimit,
    now: () => performance.now(),
  })

/** Clients of servers other than providers. */
function openClients(outgoing: Outgoing) {
  const questions = createJsonClient({ outgoing })
  const lists = createJsonClient({ outgoing, ...PRICE_LIST_RULES })
  return {
    ask: questions.ask,
    fetchJson: lists.ask,
    close: async () => {
      await Promise.all([questions.close(), lists.close()])
    },
  }
}

const sharedStateOf = ({ health, sessions }: Gateway) => ({ health, sessions })

const keptLogs = ({ LogConsumeEnabled, LogErrorEnabled }: OptionValues) => ({
  settled: LogConsumeEnabled,
  void: LogErrorEnabled,
})

async function check(ledger: OpenLedger, checkDatabase: DatabaseCheck): Promise<Checks> {
  const answer = await checkDatabase()
  const fault = ledger.fault()
  const isAway = !answer.answers || fault === 'database'
  return {
    database: isAway ? { status: 'unavailable' } : { status: 'ok', latency_ms: answer.latencyMs },
    journal: { status: fault === 'journal' ? 'unwritable' : fault === 'backlog' ? fault : 'ok' },
  }
}

/** Whether a program sent the request to a base address without `/v1`. */
const isMisaddressed = (request: IncomingMessage): boolean =>
  meantPathOf(pathOf(request)) !== null && !isPageVisit(request)

const outgoingOf = (
  settings: Settings,
  { UPSTREAM_PRIVATE_NETWORKS: privateNetworks }: Env,
): OutgoingDeps => ({
  privateNetworks,
  allowsPrivate: () => settings.current().ChannelPrivateNetworksEnabled,
})

/**
 * Clients of a proxy send absolute targets, which a server must accept as well (RFC 9112, 3.2.2).
 */
const withoutOrigin = (target: string): string => target.replace(/^https?:\/\/[^/?#]*\/?/i, '/')
