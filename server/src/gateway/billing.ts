import type { OptionValues } from '@tollgate/contract'
import type { Settings } from '../settings/settings.ts'
import type { Database } from '../store/database.ts'
import type { Caller } from './authenticate.ts'
import { databaseAway, invalidKey } from './refusal.ts'

export type Billing = {
  /** What the key may spend in all, and until when. */
  subscription: (caller: Caller) => Promise<object>
  /** What was spent, in hundredths. */
  usage: (caller: Caller) => Promise<object>
}

/** The names under which clients of OpenAI's old billing pages ask. */
const BILLING_PATH = /^(?:\/v1)?\/dashboard\/billing\/(subscription|usage)$/

/** What is shown as the limit of a token that has none. */
const UNLIMITED = 100_000_000

const HUNDREDTHS = 100

export function billingQuery(path: string): keyof Billing | null {
  const [, name] = BILLING_PATH.exec(path) ?? []
  return name === 'subscription' || name === 'usage' ? name : null
}

/** Read from the database for each question, since clients watch these figures change. */
export function createBilling(deps: { database: Database; settings: Settings }): Billing {
  const { settings } = deps
  const read = (caller: Caller) =>
    readFigures(deps.database, settings.current(), caller).catch((error: unknown) => {
      throw databaseAway(error)
    })
  return {
    subscription: async (caller) => {
      const figures = await read(caller)
      if (figures === null) throw invalidKey('The API key is not valid.')
      const { left, used, unlimited, accessUntil } = figures
      const limit = unlimited ? UNLIMITED : shownAmount(left + used, settings.current())
      return {
        object: 'billing_subscription',
        has_payment_method: true,
        soft_limit_usd: limit,
        hard_limit_usd: limit,
        system_hard_limit_usd: limit,
        access_until: accessUntil,
      }
    },
    usage: async (caller) => {
      const figures = await read(caller)
      if (figures === null) throw invalidKey('The API key is not valid.')
      const amount = shownAmount(figures.used * HUNDREDTHS, settings.current())
      return { object: 'list', total_usage: amount }
    },
  }
}

const shownAmount = (
  units: number,
  { DisplayInCurrencyEnabled, QuotaPerUnit }: OptionValues,
): number => (DisplayInCurrencyEnabled ? units / QuotaPerUnit : units)

type Figures = { left: number; used: number; unlimited: boolean; accessUntil: number }

/** Of the token, or of its owner, as the options say; null when it has been deleted meanwhile. */
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
