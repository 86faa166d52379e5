import { once } from 'node:events'
import type { Server } from 'node:http'
import type { LookupFunction } from 'node:net'
import { promisify } from 'node:util'
import { pino, type Logger } from 'pino'
import { type OptionKey, ROLE } from '@tollgate/contract'
import { type Clock, systemClock } from '../../src/clock.ts'
import { createGateway, type Gateway } from '../../src/gateway/gateway.ts'
import { isRelayPath } from '../../src/gateway/intake/paths.ts'
import { GATEWAY_LIMITS, type GatewayLimits } from '../../src/gateway/limits.ts'
import { isSocketUpgrade } from '../../src/gateway/realtime/handshake.ts'
import { createCallLimit } from '../../src/http/call-limit.ts'
import { createClientAddress } from '../../src/http/client-address.ts'
import { FastPathServer } from '../../src/http/fast-path/fast-path-server.ts'
import { type LedgerDeps, type OpenLedger, openLedger } from '../../src/ledger/create-ledger.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import { deriveSecrets } from '../../src/secrets.ts'
import { openSettings, type Settings } from '../../src/settings/settings.ts'
import { type Database, openDatabase } from '../../src/store/database.ts'
import { UPSTREAM_LIMITS, type UpstreamLimits } from '../../src/upstream/limits.ts'
import { createUpstream } from '../../src/upstream/send.ts'
import { type DatabaseKind, openKeptDatabase } from '../harness/databases.ts'
import { createRowMaker, type RowMaker } from './row-maker.ts'

export type GatewayWorld = RowMaker & {
  database: Database
  settings: Settings
  ledger: OpenLedger
  databaseUrl: string | undefined
  /** Sets an option as root, or with another role. */
  setOption: (key: OptionKey, value: string, role?: number) => Promise<void>
  /** Starts the gateway on the rows added so far and returns its URL. */
  start: () => Promise<string>
  gateway: () => Gateway
  /** Transactions that the gateway has begun since the start. */
  transactionCount: () => number
  connectionCount: () => Promise<number>
  /** Whether the gateway has a connection from this local port. */
  isConnected: (port: number) => boolean
  close: () => Promise<void>
}

export type WorldParts = {
  limits?: Partial<GatewayLimits>
  upstreamLimits?: Partial<UpstreamLimits>
  /** Decides the choice of channels and the retry delays. */
  random?: () => number
  clock?: Clock
  log?: Logger
  redisUrl?: string
  /** Worlds have the same key by default, as the nodes of an installation. */
  secretKey?: string
  /** Value of UPSTREAM_PRIVATE_NETWORKS. */
  privateNetworks?: readonly string[]
  /** Resolves the host names of upstreams and proxies. */
  lookup?: LookupFunction
  /** Wraps the ledger to inject faults. */
  withLedger?: (ledger: Ledger) => Ledger
}

const editorOf = (role: number) =>
  ({ actor: { id: 0, username: 'test', role }, language: 'en', nowSeconds: 0 }) as const

/** A gateway on a real database, with its own port. */
export async function openGatewayWorld(
  kind: DatabaseKind = 'sqlite',
  parts: WorldParts = {},
): Promise<GatewayWorld> {
  const { log = pino({ level: 'silent' }), random = Math.random, clock = systemClock } = parts
  const place = await openKeptDatabase(kind)
  const database = await openDatabase(place)
  const counted = countTransactions(database)
  const secrets = deriveSecrets(parts.secretKey ?? 'a secret of the tests only')
  const ledger = await openTestLedger({ ...place, database, log })
  const settings = await openSettings({ database, secrets, log, now: clock.now })
  const upstreamLimits = { ...UPSTREAM_LIMITS, ...parts.upstreamLimits }
  const upstream = createUpstream(upstreamLimits, { ...outgoingOf(parts, settings), clock })
  const trustedProxies = ['127.0.0.1']
  const client = createClientAddress(trustedProxies)
  const limit = () => settings.current().GlobalApiRateLimit
  const callLimit = createCallLimit({ client, max: limit, now: Date.now })
  let gateway: Gateway | undefined
  const server = serverOf(() => gateway)
  const clientPorts = watchPorts(server)

  return {
    database,
    settings,
    ledger,
    databaseUrl: place.databaseUrl,
    ...createRowMaker({ database, ledger, secrets }),
    setOption: (key, value, role = ROLE.root) => settings.update({ key, value }, editorOf(role)),
    start: async () => {
      const opened = await createGateway({
        database: counted.database,
        settings,
        ledger: parts.withLedger?.(ledger) ?? ledger,
        secrets,
        upstream,
        trustedProxies,
        callLimit,
        redisUrl: parts.redisUrl,
        log,
        clock,
        random,
        limits: { ...GATEWAY_LIMITS, ...parts.limits },
      })
      gateway = opened
      server.on('upgrade', opened.upgrade).listen(0, '127.0.0.1')
      await once(server, 'listening')
      return addressOf(server.address())
    },
    gateway: () => {
      if (gateway === undefined) throw new Error('not started')
      return gateway
    },
    transactionCount: counted.count,
    connectionCount: () => promisify(server.getConnections.bind(server))(),
    isConnected: (port) => clientPorts.has(port),
    close: async () => {
      server.closeAllConnections()
      if (server.listening) {
        server.close()
        await once(server, 'close')
      }
      await gateway?.shutDown()
      upstream.close()
      await ledger.close()
      await database.close()
      await place.close()
    },
  }
}

const outgoingOf = ({ privateNetworks = [], lookup }: WorldParts, settings: Settings) => ({
  privateNetworks,
  allowsPrivate: () => settings.current().ChannelPrivateNetworksEnabled,
  ...(lookup && { lookup }),
})

/** The same server options as in production. */
const serverOf = (gateway: () => Gateway | undefined) =>
  new FastPathServer({
    noDelay: true,
    shouldUpgradeCallback: isSocketUpgrade,
    accepts: isRelayPath,
    serveFast: (request, response) => gateway()?.serve(request, response),
    serve: (request, response) => gateway()?.serve(request, response),
  })

/** The local ports of the connected clients. */
function watchPorts(server: Server): ReadonlySet<number> {
  const ports = new Set<number>()
  server.on('connection', (socket) => {
    const { remotePort = 0 } = socket
    ports.add(remotePort)
    socket.once('close', () => ports.delete(remotePort))
  })
  return ports
}

const openTestLedger = (place: Pick<LedgerDeps, 'database' | 'databaseUrl' | 'dataDir' | 'log'>) =>
  openLedger({
    ...place,
    label: 'test',
    syncAlways: false,
    keepsLog: () => ({ settled: true, void: true }),
    remindBelow: () => 0,
  })

export function addressOf(address: ReturnType<Server['address']>): string {
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}`
}

function countTransactions(database: Database): { database: Database; count: () => number } {
  let begun = 0
  return {
    count: () => begun,
    database: {
      ...database,
      transaction: (run) => {
        begun += 1
        return database.transaction(run)
      },
      change: (run) => {
        begun += 1
        return database.change(run)
      },
    },
  }
}
