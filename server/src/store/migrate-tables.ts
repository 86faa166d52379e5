import { type Dialect, type Kysely, PostgresAdapter, sql, type Transaction } from 'kysely'
import { type Migration, Migrator } from 'kysely/migration'
import { initial } from './migrations/0001-initial.ts'
import { controlPlane } from './migrations/0002-control-plane.ts'
import { heldOfLogs } from './migrations/0003-held-of-logs.ts'
import { channelStatusTime } from './migrations/0004-channel-status-time.ts'
import { usageHours } from './migrations/0005-usage-hours.ts'
import { leases } from './migrations/0006-leases.ts'
import { languagesOfLogs } from './migrations/0007-languages-of-logs.ts'
import { testError } from './migrations/0008-test-error.ts'
import { lostAttempts } from './migrations/0009-lost-attempts.ts'
import { sharedCounts } from './migrations/0010-shared-counts.ts'
import { logPartitions } from './migrations/0011-log-partitions.ts'
import { unbilledQuota } from './migrations/0012-unbilled-quota.ts'
import { logFilters } from './migrations/0013-log-filters.ts'
import { askedOfCredits } from './migrations/0014-asked-of-credits.ts'
import { confirmedOptions } from './migrations/0016-confirmed-options.ts'
import { secondFactors } from './migrations/0017-second-factors.ts'
import { mailboxes } from './migrations/0018-mailboxes.ts'
import { unpricedModels } from './migrations/0020-unpriced-models.ts'
import { priceFeeds } from './migrations/0021-price-feeds.ts'
import { providerCosts } from './migrations/0022-provider-costs.ts'
import { bills } from './migrations/0023-bills.ts'
import { plannedPrices } from './migrations/0024-planned-prices.ts'
import { writtenTokens } from './migrations/0025-written-tokens.ts'
import { testOutcome } from './migrations/0026-test-outcome.ts'
import { logFacts } from './migrations/0027-log-facts.ts'
import { channelFaults } from './migrations/0028-channel-faults.ts'
import { imports } from './migrations/0029-imports.ts'
import { alerts } from './migrations/0030-alerts.ts'
import { redemptionExpiry } from './migrations/0031-redemption-expiry.ts'
import { managedObjects } from './migrations/0033-managed-objects.ts'
import { cacheSavings } from './migrations/0034-cache-savings.ts'
import { redemptionBatches } from './migrations/0035-redemption-batches.ts'
import { ownReminder } from './migrations/0036-own-reminder.ts'
import { storedItems } from './migrations/0037-stored-items.ts'
import { batchDisabling } from './migrations/0038-batch-disabling.ts'
import { maskedAddresses } from './migrations/0039-masked-addresses.ts'
import { roomForBalances } from './migrations/0040-room-for-balances.ts'
import { incompleteLogs } from './migrations/0041-incomplete-logs.ts'
import { measuredLogs } from './migrations/0042-measured-logs.ts'
import { channelTags } from './migrations/0043-channel-tags.ts'
import { keyTests } from './migrations/0044-key-tests.ts'
import { groupOfLogs } from './migrations/0045-group-of-logs.ts'
import { endpointOfLogs } from './migrations/0046-endpoint-of-logs.ts'
import { idsByEndpoint } from './migrations/0047-ids-by-endpoint.ts'
import type { Schema } from './schema.ts'

type Kind = 'sqlite' | 'postgres'

const migrationsOf = (kind: Kind): Record<string, Migration> => ({
  '0001-initial': initial(kind),
  '0002-control-plane': controlPlane(kind),
  '0003-held-of-logs': heldOfLogs,
  '0004-channel-status-time': channelStatusTime,
  '0005-usage-hours': usageHours(kind),
  '0006-leases': leases(kind),
  '0007-languages-of-logs': languagesOfLogs(kind),
  '0008-test-error': testError,
  '0009-lost-attempts': lostAttempts,
  '0010-shared-counts': sharedCounts,
  '0011-log-partitions': logPartitions(kind),
  '0012-unbilled-quota': unbilledQuota,
  '0013-log-filters': logFilters(kind),
  '0014-asked-of-credits': askedOfCredits,
  '0016-confirmed-options': confirmedOptions,
  '0017-second-factors': secondFactors(kind),
  '0018-mailboxes': mailboxes,
  '0020-unpriced-models': unpricedModels,
  '0021-price-feeds': priceFeeds(kind),
  '0022-provider-costs': providerCosts(kind),
  '0023-bills': bills(kind),
  '0024-planned-prices': plannedPrices,
  '0025-written-tokens': writtenTokens,
  '0026-test-outcome': testOutcome,
  '0027-log-facts': logFacts(kind),
  '0028-channel-faults': channelFaults,
  '0029-imports': imports,
  '0030-alerts': alerts(kind),
  '0031-redemption-expiry': redemptionExpiry,
  '0033-managed-objects': managedObjects,
  '0034-cache-savings': cacheSavings,
  '0035-redemption-batches': redemptionBatches,
  '0036-own-reminder': ownReminder,
  '0037-stored-items': storedItems,
  '0038-batch-disabling': batchDisabling,
  '0039-masked-addresses': maskedAddresses,
  '0040-room-for-balances': roomForBalances(kind),
  '0041-incomplete-logs': incompleteLogs(kind),
  '0042-measured-logs': measuredLogs(kind),
  '0043-channel-tags': channelTags,
  '0044-key-tests': keyTests,
  '0045-group-of-logs': groupOfLogs(kind),
  '0046-endpoint-of-logs': endpointOfLogs(kind),
  '0047-ids-by-endpoint': idsByEndpoint(kind),
})

export const MIGRATION_NAMES: readonly string[] = Object.keys(migrationsOf('sqlite'))

/**
 * Migrations after which code that does not know them cannot use the tables. All others only add,
 * so that servers of the version before can run next to this version, and start again.
 */
export const BREAKING_MIGRATIONS: readonly string[] = [
  '0002-control-plane',
  '0006-leases',
  '0011-log-partitions',
  '0017-second-factors',
]

const HISTORY = 'kysely_migration'
/** Row of `meta`: the newest breaking migration that has run. */
const NEEDED = 'needed_migration'
/** Also taken by Kysely. */
const LOCK_ID = '3853314791062309107'
const TOO_NEW =
  'its tables are of a newer version that changed what this version relies on; start that version, or restore a backup made before it'

/**
 * Whether all known migrations have run. Kysely reads the whole catalog under a lock to find out.
 * Throws if a newer version has changed the tables so that this version cannot use them.
 */
export async function isMigrated(kysely: Kysely<Schema>): Promise<boolean> {
  const ran = await readHistory(kysely)
  if ([...ran].every((name) => MIGRATION_NAMES.includes(name))) {
    return ran.size === MIGRATION_NAMES.length
  }
  const row = await kysely
    .selectFrom('meta')
    .select('value')
    .where('name', '=', NEEDED)
    .executeTakeFirst()
  const isUsable = MIGRATION_NAMES.every((name) => ran.has(name))
  if (isUsable && MIGRATION_NAMES.includes(row?.value ?? '')) return true
  throw new Error(TOO_NEW)
}

async function readHistory(kysely: Kysely<Schema>): Promise<Set<string>> {
  try {
    const rows = await kysely
      .$extendTables<{ [HISTORY]: { name: string } }>()
      .selectFrom(HISTORY)
      .select('name')
      .execute()
    return new Set(rows.map(({ name }) => name))
  } catch (error) {
    // An empty database has no history.
    if (error instanceof Error && error.message.includes(HISTORY)) return new Set()
    throw error
  }
}

/** Migrates to the newest version, or to the migration named `last`, in one transaction. */
export async function migrateTables(kysely: Kysely<Schema>, kind: Kind, last?: string) {
  await kysely.transaction().execute(async (tx) => {
    // Poolers lend connections for a transaction, so Kysely's lock of a session would not hold.
    if (kind === 'postgres') {
      await sql`select pg_advisory_xact_lock(${sql.lit(LOCK_ID)})`.execute(tx)
      await holdLedger(tx)
    }
    const provider = { getMigrations: async () => migrationsOf(kind) }
    const migrationTableSchema = kind === 'postgres' ? await schemaOf(tx) : undefined
    const migrator = new Migrator({
      db: tx,
      provider,
      ...(migrationTableSchema !== undefined && { migrationTableSchema }),
    })
    const { error } = await (last === undefined
      ? migrator.migrateToLatest()
      : migrator.migrateTo(last))
    if (error instanceof Error) throw error
    if (error !== undefined) throw new Error('the tables cannot be migrated', { cause: error })
    await noteNeeded(tx, last)
  })
}

/**
 * Each batch of a ledger first changes its row of this table, so running batches end before a
 * migration locks what they need, and further batches wait without a lock of their own.
 */
async function holdLedger(tx: Transaction<Schema>) {
  const { rows } = await sql<{ name: string | null }>`
    select to_regclass('ledger_nodes') as name`.execute(tx)
  if (rows[0]?.name) await sql`lock table ledger_nodes in exclusive mode`.execute(tx)
}

async function noteNeeded(tx: Transaction<Schema>, last: string | undefined) {
  const value = BREAKING_MIGRATIONS.findLast((name) => last === undefined || name <= last)
  if (value === undefined) return
  await tx
    .insertInto('meta')
    .values({ name: NEEDED, value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value }))
    .execute()
}

/** PostgreSQL without Kysely's lock of a session; `migrateTables` locks for its transaction. */
export const withoutMigrationLock = (dialect: Dialect): Dialect => ({
  createAdapter: () => new UnlockedAdapter(),
  createDriver: () => dialect.createDriver(),
  createIntrospector: (db) => dialect.createIntrospector(db),
  createQueryCompiler: () => dialect.createQueryCompiler(),
})

class UnlockedAdapter extends PostgresAdapter {
  override async acquireMigrationLock() {}
  override async releaseMigrationLock() {}
}

/** Other schemas of the database may have tables of the same names. */
async function schemaOf(kysely: Kysely<Schema>): Promise<string> {
  const { rows } = await sql<{ name: string | null }>`select current_schema() as name`.execute(
    kysely,
  )
  const name = rows[0]?.name
  if (typeof name !== 'string') throw new Error('its search_path names no schema that exists')
  return name
}
