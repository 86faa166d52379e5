import type { Logger } from 'pino'
import { billingEndpoints } from '@tollgate/contract'
import type { ClientDialect } from '@tollgate/relay'
import { type Clock, systemClock } from '../clock.ts'
import { Deadlines } from '../deadlines.ts'
import type { SharedHealth, SharedSessions } from '../domain/channel-health.ts'
import type { CallLimit } from '../http/call-limit.ts'
import { type ClientAddress, createClientAddress } from '../http/client-address.ts'
import { createConsoleHost } from '../http/console-host.ts'
import { setConstantHeaders } from '../http/constant-headers.ts'
import { newRequestId } from '../http/request-id.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Secrets } from '../secrets.ts'
import type { Settings } from '../settings/settings.ts'
import type { Database } from '../store/database.ts'
import type { Upstream } from '../upstream/send.ts'
import { warnOfLostEncodings } from './billing/counting.ts'
import { createExpectedOutput } from './billing/expected-output.ts'
import { Losses } from './billing/losses.ts'
import { createPendingSettlements } from './billing/pending-settlements.ts'
import { UnpricedModels } from './billing/unpriced-models.ts'
import type { Arrival, RelayDeps } from './context.ts'
import { internalError, wrongHost, Refusal, shuttingDown } from './errors.ts'
import type { ClientRequest, ClientResponse } from './http-types.ts'
import { InFlight } from './in-flight.ts'
import { createAuthenticate } from './intake/authenticate.ts'
import { refuseBodyType, refuseNavigation } from './intake/browser-request.ts'
import { Client } from './intake/client.ts'
import { Drains } from './intake/drains.ts'
import { identify } from './intake/identify.ts'
import {
  isTokenCountPath,
  dialectOf,
  type DialectOptions,
  endpointAt,
  modelAt,
  pathOf,
  REALTIME_PATH,
  RESPONSES_PATH,
} from './intake/paths.ts'
import { paymentRefusal } from './intake/payment-refusal.ts'
import { RefusedRequests } from './intake/refused-requests.ts'
import { PREFLIGHT_HEADERS, RELAY_HEADERS } from './intake/relay-headers.ts'
import { finishResponse, respondWithJson, respondWithRefusal } from './intake/respond.ts'
import { StoredItems } from './intake/stored-items.ts'
import { notImplemented, unknownPath } from './intake/unknown-path.ts'
import { hasUnreadBody } from './intake/unread-body.ts'
import { Uploads } from './intake/uploads.ts'
import { GATEWAY_LIMITS, type GatewayLimits } from './limits.ts'
import { answerModels } from './local-answers/answer-models.ts'
import { answerTokenCount } from './local-answers/answer-token-count.ts'
import {
  billingQuery,
  type BillingQuery,
  createBillingQueries,
} from './local-answers/billing-query.ts'
import { Admission } from './rate-limits/admission.ts'
import type { LimitStore } from './rate-limits/limit-store.ts'
import { createMemoryStore } from './rate-limits/memory-limits.ts'
import { upgradeRequired, webSocketNotOffered } from './realtime/handshake.ts'
import { createRealtime, type Realtime } from './realtime/upgrade.ts'
import { relayRequest } from './relay-request.ts'
import type { RequestTracing } from './request-trace.ts'
import { createResponsesSocket } from './responses-socket/upgrade.ts'
import { type AffinityStore, createMemoryAffinity } from './routing/affinity-store.ts'
import { createChannelAutoDisable } from './routing/channel-auto-disable.ts'
import { openChannelRegistry } from './routing/channel-registry.ts'
import { createHealthTracker } from './routing/health.ts'
import type { KeyRing } from './routing/key-ring.ts'

export type Gateway = {
  /** Answers every path that `isRelayPath` accepts. Never throws. */
  serve: (request: ClientRequest, response: ClientResponse) => void
  /** Handles every request that `isSocketUpgrade` accepts. Never throws. */
  upgrade: Realtime['upgrade']
  /** Rejects new requests, and resolves when none is running and all are settled. */
  shutDown: () => Promise<void>
  health: SharedHealth
  /** The keys of an enabled channel; null for other channels. */
  keysOf: (channel: number) => Pick<KeyRing, 'size' | 'refused'> | null
  /** Sessions bound to channels, by model. */
  sessions: SharedSessions
}

export type GatewayDeps = {
  database: Database
  settings: Settings
  ledger: Ledger
  secrets: Secrets
  upstream: Upstream
  trustedProxies: readonly string[]
  /** Shared by the billing queries and /api. The relay has its own limits. */
  callLimit: CallLimit
  /** Redis in which all nodes count rate limits together. If absent, each node counts its own. */
  redisUrl?: string | undefined
  log: Logger
  /** Called with each error answer of the gateway itself. */
  onRefusal?: ((refusal: Pick<Refusal, 'status' | 'code'>, requestId: string) => void) | undefined
  tracing?: RequestTracing | null | undefined
  clock?: Clock
  random: () => number
  limits?: GatewayLimits
}

export async function createGateway(deps: GatewayDeps): Promise<Gateway> {
  const { settings, log, limits = GATEWAY_LIMITS, clock = systemClock } = deps
  warnOfLostEncodings(log)
  const drains = new Drains({ settings, limits, clock })
  const relay = await openRelay(deps, { drains, limits, clock })
  const limitStore = await openLimitStore(deps, clock)
  const realtime = createRealtime({ ...relay, limitStore }, log)
  const [running, dialectOptions] = [new InFlight<Client>(), dialectOptionsOf(relay, deps.secrets)]
  let isShuttingDown = false

  const answer = async (arrival: Arrival): Promise<void> => {
    const { client } = arrival
    const slot = running.begin(client)
    try {
      if (isShuttingDown) throw shuttingDown()
      await dispatch(relay, arrival)
    } catch (error) {
      const refusal = refusalFor(error, arrival, log)
      deps.onRefusal?.(refusal, arrival.requestId)
      await refuse(refusal, arrival, limits)
      await relay.refusedRequests.note(arrival, refusal)
    } finally {
      client.dispose()
      arrival.admission.end()
      running.end(slot)
    }
  }

  const serve = (request: ClientRequest, response: ClientResponse) => {
    const arrivedAt = clock.now()
    const requestId = newRequestId(arrivedAt)
    if (request.takeBody === undefined) ignoreErrors(request, response)
    const dialect = dialectOf(request, dialectOptions)
    setHeaders(response, requestId, dialect)
    const client = new Client(response, drains, dialect)
    const admission = new Admission({ store: limitStore, settings, requestId, response })
    const summary = { model: '', endpoint: '', isStream: false, hasRow: false }
    void answer({ request, client, admission, requestId, arrivedAt, summary })
  }
  const responsesSocket = createResponsesSocket(relay, serve, log)

  return {
    serve,
    upgrade: (request, socket, head) => {
      const isResponses = pathOf(request) === RESPONSES_PATH
      ;(isResponses ? responsesSocket : realtime).upgrade(request, socket, head)
    },
    health: relay.health,
    keysOf: (channel) => relay.registry().channel(channel)?.keys ?? null,
    sessions: relay.affinity.counts,
    shutDown: async () => {
      isShuttingDown = true
      drains.stop()
      for (const client of running.all) client.shortenDrain()
      await Promise.all([realtime.shutDown(), responsesSocket.shutDown()])
      await running.whenIdle()
      await writesOf(relay)
      await Promise.all([limitStore.close(), relay.affinity.close()])
    },
  }
}

/** What all requests of this process share. */
async function openRelay(
  deps: GatewayDeps,
  { drains, limits, clock }: Pick<RelayDeps, 'drains' | 'limits' | 'clock'>,
): Promise<RelayDeps> {
  const { database, secrets, log, random, settings, ledger, upstream } = deps
  const clientAddress = createClientAddress(deps.trustedProxies)
  const authenticate = createAuthenticate(database, secrets, clock)
  return {
    storedItems: openStoredItems(deps, clock),
    settings,
    ledger,
    upstream,
    authenticate,
    refusedRequests: new RefusedRequests({ database, settings, authenticate, log, clock }),
    billingQueries: createBillingQueries({ database, settings, ledger }),
    callLimit: deps.callLimit,
    registry: await openChannelRegistry({ database, secrets, log, clock }),
    ...writersOf(deps, limits, clock),
    drains,
    autoDisable: createChannelAutoDisable({ database, settings, log, now: clock.now }),
    health: createHealthTracker({ now: clock.monotonic, random, limits }),
    expectedOutput: createExpectedOutput(clock.monotonic),
    affinity: await openAffinity(deps, clock),
    addressOf: clientAddress.read,
    consoleHost: consoleHostOf(clientAddress, settings),
    limits,
    uploads: new Uploads(limits),
    tracing: deps.tracing ?? null,
    clock,
    deadlines: new Deadlines(clock),
    random,
  }
}

const openStoredItems = ({ database, secrets, settings, log }: GatewayDeps, clock: Clock) =>
  new StoredItems({
    database,
    secrets,
    hours: () => settings.current().ResponseStoreHours,
    log,
    clock,
  })

/** These write to the database after the responses of their requests. */
const writersOf = ({ database, log }: GatewayDeps, limits: GatewayLimits, clock: Clock) => ({
  pendingSettlements: createPendingSettlements(limits, clock),
  unpricedModels: new UnpricedModels({ database, log, clock }),
  losses: new Losses({ database, log, clock }),
})

/** Resolves when everything that requests left to write is written. */
const writesOf = (relay: RelayDeps) => {
  const { autoDisable, pendingSettlements, unpricedModels, losses, refusedRequests } = relay
  const requests = [pendingSettlements, refusedRequests, relay.storedItems]
  const writers = [...requests, autoDisable, unpricedModels, losses]
  return Promise.all(writers.map((writer) => writer.flushed()))
}

/** Closes the connection unless the whole request body arrives within `lingerMs`. */
async function refuse(
  error: Refusal,
  { request, client, requestId }: Arrival,
  limits: GatewayLimits,
): Promise<void> {
  const refusal = paymentRefusal(error, { request, client })
  const unread = refusal.closesConnection || hasUnreadBody(request, limits.lingerMs, client.clock)
  const closes = unread instanceof Promise ? await unread : unread
  await respondWithRefusal(client, refusal, { requestId, closes }, limits)
}

/**
 * For Node's own objects: `close` reports broken connections, and an `error` without a listener
 * would throw. Others report no errors.
 */
function ignoreErrors(request: ClientRequest, response: ClientResponse) {
  request.on('error', ignore)
  response.on('error', ignore)
}

const ignore = () => {}

const dialectOptionsOf = (
  { storedItems, settings, clock }: RelayDeps,
  { contentCipherFor }: Secrets,
): DialectOptions => ({
  recentItems: () => storedItems.recentItems,
  cipherFor: contentCipherFor,
  now: clock.now,
  allowsUnpriced: () => settings.current().UnpricedFeaturesEnabled,
})

const consoleHostOf = (client: ClientAddress, settings: Settings) =>
  createConsoleHost(client, () => settings.confirmed().ConsoleAddress)

/** Logs the cause of an error, which the client does not see. */
function refusalFor(error: unknown, { request, requestId }: Arrival, log: Logger): Refusal {
  if (!(error instanceof Refusal)) {
    log.error({ error, requestId, path: pathOf(request) }, 'a relay request failed')
    return internalError()
  }
  if (error.cause !== undefined) log.warn({ error: error.cause, requestId }, error.message)
  return error
}

function setHeaders(response: ClientResponse, requestId: string, dialect: ClientDialect) {
  response.setHeader('x-oneapi-request-id', requestId)
  // The official clients show the id from this header.
  response.setHeader('x-request-id', requestId)
  if (dialect.requestIdHeader !== null) response.setHeader(dialect.requestIdHeader, requestId)
  setConstantHeaders(response, RELAY_HEADERS)
}

async function openLimitStore(
  { redisUrl: url, log }: GatewayDeps,
  clock: Clock,
): Promise<LimitStore> {
  if (url === undefined) return createMemoryStore(clock.monotonic)
  // The Redis client is loaded only if Redis is configured.
  const { openSharedStore } = await import('./rate-limits/shared-store.ts')
  return openSharedStore({ url, clock, log })
}

async function openAffinity(
  { redisUrl: url, log }: GatewayDeps,
  clock: Clock,
): Promise<AffinityStore> {
  if (url === undefined) return createMemoryAffinity(clock)
  const { openSharedAffinity } = await import('./routing/redis-affinity.ts')
  return openSharedAffinity({ url, clock, log })
}

function dispatch(relay: RelayDeps, arrival: Arrival): Promise<void> {
  const { request, client } = arrival
  const { method = 'GET' } = request
  const path = pathOf(request)
  if (!relay.consoleHost.servesRelay(request)) throw wrongHost()
  refuseNavigation(request)
  if (method === 'OPTIONS') {
    client.response.writeHead(204, PREFLIGHT_HEADERS)
    return finishResponse(client, '', relay.limits)
  }
  const { counting } = client.dialect
  if (method === 'POST' && counting !== null && isTokenCountPath(path)) {
    refuseBodyType(request, null)
    return answerTokenCount(relay, arrival, counting)
  }
  const endpoint = method === 'POST' ? endpointAt(path) : undefined
  if (endpoint !== undefined) {
    refuseBodyType(request, endpoint)
    return relayRequest(relay, arrival, endpoint)
  }
  const model = method === 'GET' ? modelAt(path) : null
  if (model !== null) return answerModels(relay, arrival, model)
  const billing = method === 'GET' ? billingQuery(path) : undefined
  if (billing !== undefined) return answerBilling(relay, arrival, billing)
  const deletesModel = method === 'DELETE' && path.startsWith('/v1/models/')
  if (deletesModel) throw notImplemented()
  if (path === REALTIME_PATH) throw upgradeRequired()
  if (path === RESPONSES_PATH && isStrippedUpgrade(request)) throw webSocketNotOffered()
  throw unknownPath(method, path)
}

/** A proxy has removed the header that asks for a WebSocket. */
const isStrippedUpgrade = ({ method, headers }: ClientRequest) =>
  method === 'GET' && headers['sec-websocket-key'] !== undefined

async function answerBilling(relay: RelayDeps, arrival: Arrival, query: BillingQuery) {
  const seconds = relay.callLimit.take(arrival.request)
  if (seconds !== null) throw tooManyCalls(seconds)
  const caller = await identify(relay, arrival)
  const body = billingEndpoints[query].parts.data.parse(await relay.billingQueries[query](caller))
  return respondWithJson(arrival.client, body, relay.limits)
}

const tooManyCalls = (seconds: number) =>
  new Refusal({
    status: 429,
    code: 'rate_limit_exceeded',
    message: `Too many calls from your address. Try again in ${seconds} seconds.`,
    retryAfterSeconds: seconds,
  })
