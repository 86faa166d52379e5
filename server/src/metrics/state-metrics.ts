import { Gauge } from '@prometheus-io/client'
import { CHANNEL_STATUS } from '@tollgate/contract'
import { type Clock, systemClock, within } from '../clock.ts'
import type { SharedHealth } from '../domain/channel-health.ts'
import { readMapping } from '../domain/model-mapping.ts'
import type { Gateway } from '../gateway/gateway.ts'
import type { LedgerVitals } from '../ledger/ledger.ts'
import type { Checks } from '../process/checks.ts'
import type { Settings } from '../settings/settings.ts'
import type { Database } from '../store/database.ts'

/** What a scrape reads. Absent parts of a starting process are not reported. */
export type MetricsSources = {
  database: Database
  check: () => Promise<Checks>
  vitals: () => LedgerVitals
  health: Pick<SharedHealth, 'view'>
  keysOf: Gateway['keysOf']
  settings: Pick<Settings, 'current'>
  clock?: Clock
}

/** Prometheus gives up after ten seconds by default. */
const DATABASE_MS_MAX = 3000
const MS = 1000

/**
 * Registers gauges that are read at each scrape. With several processes, `sum` adds what each has
 * of its own, and `max` takes what all read from one place.
 */
export function registerStateMetrics(sources: MetricsSources) {
  const gauges = createGauges(() => refresh())
  let running: Promise<void> | null = null

  /** All gauges of a scrape share one pass. */
  const refresh = (): Promise<void> => {
    running ??= read(sources, gauges).finally(() => {
      running = null
    })
    return running
  }
}

type Gauges = ReturnType<typeof createGauges>

async function read(sources: MetricsSources, gauges: Gauges): Promise<void> {
  const { check, clock = systemClock } = sources
  setLedger(sources, gauges)
  setPools(sources.database, gauges)
  const { database, journal } = await check()
  gauges.databaseUp.set(database.status === 'ok' ? 1 : 0)
  gauges.journalUp.set(journal.status === 'unwritable' ? 0 : 1)
  if (database.status !== 'ok') return
  // A database that stops answering now leaves these gauges at their last values.
  await within(clock, DATABASE_MS_MAX, readDatabase(sources, gauges)).catch(() => {})
}

function setLedger({ vitals, settings, clock = systemClock }: MetricsSources, gauges: Gauges) {
  const { holds, held, leased, journal, unappliedSince } = vitals()
  const perDollar = settings.current().QuotaPerUnit
  gauges.holds.set(holds)
  gauges.held.set(held / perDollar)
  gauges.leased.set(leased / perDollar)
  gauges.journalBytes.set(journal.bytes)
  gauges.journalRecords.set(journal.records)
  const lagSeconds = unappliedSince === null ? 0 : clock.now() / MS - unappliedSince
  gauges.applyLag.set(Math.max(0, lagSeconds))
}

function setPools(database: Database, gauges: Gauges) {
  for (const { pool, inUse, idle, max, waiting } of database.pools()) {
    gauges.databaseConnections.set({ pool, state: 'in_use' }, inUse)
    gauges.databaseConnections.set({ pool, state: 'idle' }, idle)
    gauges.databaseConnectionsMax.set({ pool }, max)
    gauges.databaseWaiting.set({ pool }, waiting)
  }
}

async function readDatabase(sources: MetricsSources, gauges: Gauges): Promise<void> {
  const { kysely } = sources.database
  const [faults, outbox] = await Promise.all([
    kysely
      .selectFrom('ledger_faults')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('resolved_at', 'is', null)
      .executeTakeFirstOrThrow(),
    kysely
      .selectFrom('outbox')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow(),
    readChannels(sources, gauges),
    readNodes(sources, gauges),
  ])
  gauges.faults.set(Number(faults.count))
  gauges.outbox.set(Number(outbox.count))
}

async function readChannels(sources: MetricsSources, gauges: Gauges): Promise<void> {
  const { database, health, keysOf } = sources
  const channels = await database.kysely
    .selectFrom('channels')
    .select(['id', 'name', 'status', 'models', 'model_mapping', 'balance'])
    .select(['key_sealed', 'base_url', 'status_time'])
    .execute()
  // Deleted channels and former names disappear.
  for (const gauge of gauges.ofChannels) gauge.reset()
  for (const channel of channels) {
    const labels = { channel: channel.id, name: channel.name }
    const mapping = readMapping(channel.model_mapping)
    const models = channel.models.split(',').filter((model) => model !== '')
    const cooling = models.filter(
      (model) => health.view(channel, mapping.get(model) ?? model).cooldownMs > 0,
    )
    const isUp = channel.status === CHANNEL_STATUS.enabled && cooling.length < models.length
    gauges.channelUp.set(labels, isUp ? 1 : 0)
    gauges.channelCooling.set(labels, cooling.length)
    gauges.channelBalance.set(labels, channel.balance)
    const keys = keysOf(channel.id)
    if (keys === null) continue
    gauges.channelKeys.set(labels, keys.size)
    gauges.channelKeysRefused.set(labels, keys.refused)
  }
}

/** More than that are nodes that no other has closed yet. */
const NODES_MAX = 500

/** All nodes of the installation, also those that no longer answer, as the database knows them. */
async function readNodes({ database, settings }: MetricsSources, gauges: Gauges): Promise<void> {
  const nodes = await database.kysely
    .selectFrom('ledger_nodes')
    .select(({ selectFrom }) => [
      'label',
      'beat',
      selectFrom('quota_leases')
        .select(({ fn }) => fn.sum<number | null>('amount').as('amount'))
        .whereRef('quota_leases.run', '=', 'ledger_nodes.run')
        .where('kind', '=', 'user')
        .as('leased'),
    ])
    .where('closed_at', 'is', null)
    .orderBy('started_at', 'desc')
    .limit(NODES_MAX)
    .execute()
  const perDollar = settings.current().QuotaPerUnit
  gauges.nodeBatches.reset()
  gauges.nodeLeased.reset()
  // Processes of a node share its name.
  for (const { label: node, beat, leased } of nodes) {
    gauges.nodeBatches.inc({ node }, beat)
    gauges.nodeLeased.inc({ node }, Number(leased ?? 0) / perDollar)
  }
}

function createGauges(collect: () => Promise<void>) {
  const gauge = (
    aggregator: 'sum' | 'max' | 'min',
    name: string,
    help: string,
    labelNames: readonly string[] = [],
  ) => new Gauge({ name: `tollgate_${name}`, help, labelNames, aggregator, collect })
  const channel = ['channel', 'name']
  const ofEachChannel = {
    channelUp: gauge('max', 'channel_up', '1 if enabled, with a model not cooling down.', channel),
    channelCooling: gauge('max', 'channel_cooling_models', 'Models in cooldown.', channel),
    channelBalance: gauge('max', 'channel_balance_dollars', 'Balance last read.', channel),
    channelKeys: gauge('max', 'channel_keys', 'Enabled keys of an enabled channel.', channel),
    channelKeysRefused: gauge('max', 'channel_refused_keys', 'Keys skipped as refused.', channel),
  }
  return {
    ...ofEachChannel,
    ofChannels: Object.values(ofEachChannel),
    holds: gauge('sum', 'holds', 'Admitted requests that have not ended.'),
    held: gauge('sum', 'held_dollars', 'Held for running requests.'),
    leased: gauge('sum', 'leased_dollars', 'Quota of users that this node has leased.'),
    journalBytes: gauge('sum', 'journal_pending_bytes', 'Journal records not applied yet.'),
    journalRecords: gauge('sum', 'journal_pending_records', 'Journal records not applied yet.'),
    applyLag: gauge('max', 'apply_lag_seconds', 'Age of the oldest charge not in the database.'),
    databaseUp: gauge('min', 'database_up', '1 if the database answers.'),
    journalUp: gauge('min', 'journal_up', '1 if the journal can be written.'),
    faults: gauge('max', 'ledger_faults', 'Records that cannot be applied and are not resolved.'),
    outbox: gauge('max', 'outbox_messages', 'Messages that wait to be sent.'),
    nodeBatches: gauge('max', 'node_batches', 'Batches of a node, one every 2 s or more.', [
      'node',
    ]),
    nodeLeased: gauge('max', 'node_leased_dollars', 'Leased by a node, silent or not.', ['node']),
    databaseConnections: gauge('sum', 'database_connections', 'Open connections of a pool.', [
      'pool',
      'state',
    ]),
    databaseConnectionsMax: gauge('sum', 'database_connections_max', 'Limit of a pool.', ['pool']),
    databaseWaiting: gauge('sum', 'database_waiting_statements', 'Wait for a connection.', [
      'pool',
    ]),
  }
}
