import { descriptorOf } from '@tollgate/relay/catalogue'
import { daysLeft, FORECAST_HOURS } from '../domain/forecast.ts'
import { listSources } from '../store/bill-sources.ts'
import { listProviderHours, listUserSpend, type ProviderHour } from '../store/spend.ts'
import { type AdminDeps, nowSeconds } from './deps.ts'

type Deps = Pick<AdminDeps, 'database' | 'now'>

const SECONDS_PER_HOUR = 3600

type User = { id: number; quota: number; created_time: number }

/** Adds how long each user's balance lasts. */
export async function withDaysLeft<Row extends User>(
  deps: Deps,
  users: readonly Row[],
): Promise<(Row & { days_left: number | null })[]> {
  const now = nowSeconds(deps)
  const ids = users.map(({ id }) => id)
  const spend = await listUserSpend(deps.database.kysely, ids, now)
  return users.map((user) => {
    const spent = spend.get(user.id)
    const ageHours = (now - user.created_time) / SECONDS_PER_HOUR
    const days = spent && daysLeft({ balance: user.quota, spend: spent, ageHours })
    return { ...user, days_left: days ?? null }
  })
}

type Channel = {
  id: number
  type: number
  created_time: number
  balance: number
  balance_updated_time: number
}

/** With more attempts of unknown cost, the rate would be too low. */
const UNKNOWN_SHARE_MAX = 0.05

const NANO = 1e9

/** Adds how long each channel's balance at its provider lasts. */
export async function withProviderDaysLeft<Row extends Channel>(
  deps: Deps,
  channels: readonly Row[],
): Promise<(Row & { days_left: number | null })[]> {
  const now = nowSeconds(deps)
  const dollars = await dollarsOf(deps, channels)
  const hours = await listProviderHours(deps.database.kysely, [...dollars.keys()], now)
  return channels.map((channel) => {
    const balance = (dollars.get(channel.id) ?? 0) * NANO
    const days_left = forecast(channel, { balance, hours: hours.get(channel.id) ?? [], now })
    return { ...channel, days_left }
  })
}

type Known = {
  /** In nano-dollars, when the provider reported it. */
  balance: number
  hours: readonly ProviderHour[]
  now: number
}

function forecast(
  { created_time, balance_updated_time }: Channel,
  { balance, hours, now }: Known,
): number | null {
  const sum = (name: 'cost' | 'attempts' | 'unknown', among = hours) =>
    among.reduce((total, hour) => total + hour[name], 0)
  if (sum('unknown') > sum('attempts') * UNKNOWN_SHARE_MAX) return null
  const readIn = Math.floor(balance_updated_time / SECONDS_PER_HOUR)
  const later = hours.filter(({ hour }) => hour > readIn)
  return daysLeft({
    balance: balance - sum('cost', later),
    spend: { spent: sum('cost'), usedHours: hours.length },
    ageHours: (now - created_time) / SECONDS_PER_HOUR,
  })
}

const UNITS_PER_YUAN = 10_000

/**
 * Recent balances whose value in dollars is known: in dollars, or at the rate of a bill in yuan.
 */
async function dollarsOf(deps: Deps, channels: readonly Channel[]) {
  const oldest = nowSeconds(deps) - FORECAST_HOURS * SECONDS_PER_HOUR
  const reported = channels.filter(({ balance_updated_time }) => balance_updated_time > oldest)
  const unitOf = ({ type }: Channel) => descriptorOf(type)?.balanceUnit ?? null
  const hasYuan = reported.some((channel) => unitOf(channel)?.startsWith('cny') === true)
  const rates = hasYuan ? await yuanRates(deps.database) : new Map<number, number>()
  const dollars = new Map<number, number>()
  for (const channel of reported) {
    const { id, balance } = channel
    const unit = unitOf(channel)
    const rate = rates.get(id)
    if (unit === 'usd') dollars.set(id, balance)
    if (unit === 'cny' && rate !== undefined) dollars.set(id, balance * rate)
    if (unit === 'cny/10000' && rate !== undefined)
      dollars.set(id, (balance / UNITS_PER_YUAN) * rate)
  }
  return dollars
}

/** Rates that the operator has given for bills in yuan, by channel. */
async function yuanRates({ kysely }: AdminDeps['database']): Promise<Map<number, number>> {
  const sources = await listSources(kysely)
  const yuan = sources.filter(({ currency }) => currency === 'CNY')
  return new Map(
    yuan.flatMap(({ channels, rate }) =>
      // Safe because the admin API writes this column from a list of ids.
      (JSON.parse(channels) as number[]).map((id) => [id, Number(rate)] as const),
    ),
  )
}
