import {
  BILLING_PREFIXES,
  billingEndpoints,
  type EndpointData,
  type OptionValues,
} from '@tollgate/contract'
import type { Ledger } from '../../ledger/ledger.ts'
import type { Settings } from '../../settings/settings.ts'
import type { Database } from '../../store/database.ts'
import { databaseUnavailable, invalidKey } from '../errors.ts'
import type { Caller } from '../intake/authenticate.ts'

type Table = typeof billingEndpoints

export type BillingQuery = keyof Table

export type BillingQueries = {
  readonly [Name in BillingQuery]: (caller: Caller) => Promise<EndpointData<Table[Name]>>
}

const isBillingQuery = (name: string): name is BillingQuery => Object.hasOwn(billingEndpoints, name)

const QUERIES: ReadonlyMap<string, BillingQuery> = new Map(
  Object.keys(billingEndpoints)
    .filter(isBillingQuery)
    .flatMap((name) =>
      BILLING_PREFIXES.map((prefix) => [prefix + billingEndpoints[name].path, name] as const),
    ),
)

/** The limit shown for a token without a limit. */
const UNLIMITED = 100_000_000

const HUNDREDTHS = 100

export const billingQuery = (path: string) => QUERIES.get(path)

/** Reads the database for every query, because clients watch these figures change. */
export function createBillingQueries(deps: {
  database: Database
  settings: Settings
  ledger: Pick<Ledger, 'flush'>
}): BillingQueries {
  const { settings, ledger } = deps
  const read = async (caller: Caller) => {
    await ledger.flush(caller.user.id)
    return readFigures(deps.database, settings.current(), caller).catch((error: unknown) => {
      throw databaseUnavailable(error)
    })
  }
  return {
    getBillingSubscription: async (caller) => {
      const figures = await read(caller)
      if (figures === null) throw invalidKey('The API key is not valid.')
      const { left, used, unlimited, accessUntil } = figures
      const limit = unlimited ? UNLIMITED : toDisplayUnits(left + used, settings.current())
      return {
        object: 'billing_subscription',
        has_payment_method: true,
        soft_limit_usd: limit,
        hard_limit_usd: limit,
        system_hard_limit_usd: limit,
        access_until: accessUntil,
      }
    },
    getBillingUsage: async (caller) => {
      const figures = await read(caller)
      if (figures === null) throw invalidKey('The API key is not valid.')
      const amount = toDisplayUnits(figures.used * HUNDREDTHS, settings.current())
      return { object: 'list', total_usage: amount }
    },
  }
}

const toDisplayUnits = (
  units: number,
  { DisplayInCurrencyEnabled, QuotaPerUnit }: OptionValues,
): number => (DisplayInCurrencyEnabled ? units / QuotaPerUnit : units)

type Figures = { left: number; used: number; unlimited: boolean; accessUntil: number }

/** Figures of the token or of its owner, as the options say. Null if deleted in the meantime. */
async function readFigures(
  { kysely }: Database,
  { DisplayTokenStatEnabled }: OptionValues,
  { token, user }: Caller,
): Promise<Figures | null> {
  if (!DisplayTokenStatEnabled) {
    const row = await kysely
      .selectFrom('users')
      .select(['quota', 'used_quota'])
      .where('id', '=', user.id)
      .executeTakeFirst()
    if (row === undefined) return null
    return { left: row.quota, used: row.used_quota, unlimited: false, accessUntil: 0 }
  }
  const row = await kysely
    .selectFrom('tokens')
    .select(['remain_quota', 'used_quota', 'unlimited_quota', 'expired_time'])
    .where('id', '=', token.id)
    .where('key_hash', 'is not', null)
    .executeTakeFirst()
  if (row === undefined) return null
  return {
    left: row.remain_quota,
    used: row.used_quota,
    unlimited: row.unlimited_quota === 1,
    accessUntil: Math.max(0, row.expired_time),
  }
}
