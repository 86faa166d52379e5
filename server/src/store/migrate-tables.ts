import { isDeepStrictEqual } from 'node:util'
import { type Kysely, sql } from 'kysely'
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
})

const HISTORY = 'kysely_migration'

/**
 * Whether all known migrations have run, and no others. Kysely reads the whole catalog under a lock
 * to find out.
 */
export async function isMigrated(kysely: Kysely<Schema>, kind: Kind): Promise<boolean> {
  try {
    const rows = await kysely
      .$extendTables<{ [HISTORY]: { name: string } }>()
      .selectFrom(HISTORY)
      .select('name')
      .orderBy('name')
      .execute()
    return isDeepStrictEqual(
      rows.map(({ name }) => name),
      Object.keys(migrationsOf(kind)),
    )
  } catch (error) {
    // An empty database has no history.
    if (error instanceof Error && error.message.includes(HISTORY)) return false
    throw error
  }
}

/** Migrates to the newest version, or to the migration named `last`. */
export async function migrateTables(kysely: Kysely<Schema>, kind: Kind, last?: string) {
  const provider = { getMigrations: async () => migrationsOf(kind) }
  const migrationTableSchema = kind === 'postgres' ? await schemaOf(kysely) : undefined
  const migrator = new Migrator({
    db: kysely,
    provider,
    ...(migrationTableSchema !== undefined && { migrationTableSchema }),
  })
  const { error } = await (last === undefined
    ? migrator.migrateToLatest()
    : migrator.migrateTo(last))
  if (error instanceof Error) throw error
  if (error !== undefined) throw new Error('the tables cannot be migrated', { cause: error })
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
