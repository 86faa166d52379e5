import { type Compilable, sql } from 'kysely'
import { type ChargeBasis, END_REASON } from '@tollgate/contract'
import { cacheSavings } from '../../domain/cache-savings.ts'
import type { Tx } from '../../store/database.ts'
import { HISTOGRAM_BOUNDS_MS, HISTOGRAM_BUCKETS } from '../../store/hour-tables.ts'
import type { EndRecord } from '../record.ts'
import { writeChannelFaults } from './channel-faults.ts'
import type { Charge } from './charge.ts'
import type { EpochTransaction } from './lock-rows.ts'
import { channelsThatLost } from './lost-attempts.ts'
import { writeProviderHours } from './provider-hours.ts'
import { saturatingSum, saturatingSumSql } from './saturate.ts'
import { bulkAddition } from './sums.ts'

const SECONDS_PER_HOUR = 3600
export const SECONDS_PER_DAY = 86_400

type Usage = Pick<
  ChargeBasis,
  | 'prompt_tokens'
  | 'completion_tokens'
  | 'cached_tokens'
  | 'cache_write_tokens'
  | 'reasoning_tokens'
>

/** What is counted of an end; imported requests have no more. */
export type Counted = {
  readonly record: Pick<
    EndRecord,
    | 'at'
    | 'channel'
    | 'outcome'
    | 'endReason'
    | 'firstTokenMs'
    | 'attempts'
    | 'providerCost'
    | 'group'
  > & {
    readonly context: Pick<EndRecord['context'], 'userId' | 'tokenId' | 'model' | 'requestId'>
    readonly basis: ChargeBasis | (Usage & { readonly group: string }) | null
    /** Null if unknown. */
    readonly elapsedMs: number | null
  }
  readonly charge: Charge
  /** How many requests this stands for; 1 if absent. */
  readonly requests?: number
}

const DAY_AMOUNTS = [
  'charged',
  'token_charged',
  'budget_charged',
  'uncollected',
  'requests',
] as const

const FIGURES = [
  'requests',
  'failures',
  'prompt_tokens',
  'completion_tokens',
  'quota',
  'provider_cost',
  'costed_quota',
] as const
const TIMES = (['latency', 'first_token'] as const).flatMap((name) =>
  HISTOGRAM_BUCKETS.map((bucket) => `${name}_${bucket}` as const),
)
const CACHES = ['cached_tokens', 'cache_savings', 'cache_surcharge'] as const
const HOUR_AMOUNTS = [
  ...FIGURES,
  ...CACHES,
  'cache_write_tokens',
  'reasoning_tokens',
  ...TIMES,
] as const

const addDays = bulkAddition(
  'ledger_days',
  { user_id: 'bigint', token_id: 'bigint', day: 'bigint' },
  DAY_AMOUNTS,
)

const addHours = bulkAddition(
  'rollups',
  {
    hour: 'bigint',
    user_id: 'bigint',
    token_id: 'bigint',
    channel_id: 'bigint',
    model_name: 'text',
  },
  HOUR_AMOUNTS,
)

/** Coarser sums of the rollups: small enough to read a month at once. */
const addModelHours = bulkAddition('model_hours', { hour: 'bigint', model_name: 'text' }, [
  ...FIGURES,
  ...CACHES,
])
const addChannelHours = bulkAddition('channel_hours', { hour: 'bigint', channel_id: 'bigint' }, [
  ...FIGURES,
  ...TIMES,
  'lost',
  'unbilled_quota',
])
const addUserHours = bulkAddition(
  'user_hours',
  { user_id: 'bigint', hour: 'bigint', model_name: 'text' },
  [...FIGURES, ...CACHES],
)

const addGroupHours = bulkAddition('group_hours', { hour: 'bigint', group_name: 'text' }, FIGURES)

/** Sums that are kept when log rows are deleted, and that dashboards read instead of the log. */
export function writeRollups(
  { tx, kind }: Pick<EpochTransaction, 'tx' | 'kind'>,
  ends: readonly Counted[],
): Compilable[] {
  const sums = sumUp(ends)
  const keyedBy = <Key>(keyOf: (end: Hourly) => Key) =>
    sums.map(({ end, amounts }) => ({ key: keyOf(end), amounts }))
  return [
    ...addDays(kind, keyedBy(dayKey)),
    ...addHours(kind, keyedBy(rollupKey)),
    ...addModelHours(kind, keyedBy(modelHourKey)),
    ...addChannelHours(kind, [...keyedBy(channelHourKey), ...attemptsIn(ends)]),
    ...addUserHours(kind, keyedBy(userHourKey)),
    ...addGroupHours(kind, keyedBy(groupHourKey)),
    ...writeChannelFaults(kind, ends),
    ...writeProviderHours(kind, ends),
    ...addToChannels(tx, sums),
  ]
}

export const dayKey = ({
  userId,
  tokenId,
  at,
}: {
  userId: number
  tokenId: number
  at: number
}) => ({
  user_id: userId,
  token_id: tokenId,
  day: Math.floor(at / SECONDS_PER_DAY),
})

type Hourly = {
  userId: number
  tokenId: number
  channel: number
  model: string
  group: string
  at: number
}

const hourAt = ({ at }: { at: number }) => Math.floor(at / SECONDS_PER_HOUR)

const rollupKey = (end: Hourly) => ({
  hour: hourAt(end),
  user_id: end.userId,
  token_id: end.tokenId,
  channel_id: end.channel,
  model_name: end.model,
})

const modelHourKey = (end: Hourly) => ({ hour: hourAt(end), model_name: end.model })
const channelHourKey = (end: Pick<Hourly, 'channel' | 'at'>) => ({
  hour: hourAt(end),
  channel_id: end.channel,
})
const userHourKey = (end: Hourly) => ({
  user_id: end.userId,
  hour: hourAt(end),
  model_name: end.model,
})

const groupHourKey = (end: Hourly) => ({ hour: hourAt(end), group_name: end.group })

/** The rows that count a request of this hour, in all hourly tables. */
export const hourKeys = (end: Hourly) =>
  [
    ['rollups', rollupKey(end)],
    ['model_hours', modelHourKey(end)],
    ['channel_hours', channelHourKey(end)],
    ['user_hours', userHourKey(end)],
    ['group_hours', groupHourKey(end)],
  ] as const

type Amount = (typeof HOUR_AMOUNTS)[number] | (typeof DAY_AMOUNTS)[number]
type Amounts = Record<Amount, number>

// Safe because the two lists contain every name of an amount.
const NO_AMOUNTS = Object.fromEntries(
  [...HOUR_AMOUNTS, ...DAY_AMOUNTS].map((name) => [name, 0]),
) as Amounts

type HourSum = { readonly end: Hourly; readonly amounts: Amounts }

/** Reduces hundreds of requests to a few sums, from which the rows of all tables are made. */
function sumUp(ends: readonly Counted[]): HourSum[] {
  const sums = new Map<string, HourSum>()
  const amountsOf = (
    { context, at, basis, group = basis?.group ?? '' }: Counted['record'],
    channel: number,
  ) => {
    const { userId, tokenId, model } = context
    const id = `${hourAt({ at })} ${userId} ${tokenId} ${channel} ${model} ${group}`
    let sum = sums.get(id)
    if (sum === undefined) {
      sum = { end: { userId, tokenId, channel, model, group, at }, amounts: { ...NO_AMOUNTS } }
      sums.set(id, sum)
    }
    return sum.amounts
  }
  for (const end of ends) {
    addTo(amountsOf(end.record, end.record.channel), end)
    for (const { channel, cost } of costsIn(end.record)) {
      const amounts = amountsOf(end.record, channel)
      amounts.provider_cost = saturatingSum(amounts.provider_cost, cost)
    }
  }
  return [...sums.values()]
}

/** The known cost of a request by the channels that caused it. */
function costsIn({ providerCost = null, channel, attempts }: Counted['record']) {
  if (providerCost === null || providerCost === 0) return []
  const costs = attempts.map(({ channel: asked, cost = 0 }) => ({ channel: asked, cost }))
  const sum = costs.reduce((total, { cost }) => total + cost, 0)
  // A record keeps the first attempts only.
  return sum === providerCost
    ? costs.filter(({ cost }) => cost > 0)
    : [{ channel, cost: providerCost }]
}

function addTo(amounts: Amounts, { record, charge, requests = 1 }: Counted) {
  const { basis, outcome, elapsedMs, firstTokenMs } = record
  const add = (name: Amount, amount: number) => {
    amounts[name] = saturatingSum(amounts[name], amount)
  }
  add('requests', requests)
  add('quota', charge.charged)
  if ((record.providerCost ?? null) !== null) add('costed_quota', charge.charged)
  add('charged', charge.charged)
  add('token_charged', charge.tokenCharged)
  add('budget_charged', charge.budgetCharged)
  add('uncollected', charge.uncollected)
  if (basis !== null) {
    add('prompt_tokens', basis.prompt_tokens)
    add('completion_tokens', basis.completion_tokens)
    add('cached_tokens', basis.cached_tokens)
    add('cache_write_tokens', basis.cache_write_tokens)
    add('reasoning_tokens', basis.reasoning_tokens)
    // Imported requests have no price.
    const saved = 'model_ratio' in basis ? cacheSavings(basis) : 0
    add(saved > 0 ? 'cache_savings' : 'cache_surcharge', Math.abs(saved))
  }
  const isPaid = outcome === 'settled'
  if (!isPaid || FAILED_END_REASONS.has(record.endReason)) add('failures', 1)
  if (!isPaid || elapsedMs === null) return
  add(`latency_${bucketOf(elapsedMs)}`, 1)
  if (firstTokenMs > 0) add(`first_token_${bucketOf(firstTokenMs)}`, 1)
}

/** Lost and unbilled attempts, which the count of the request itself does not include. */
const attemptsIn = (ends: readonly Counted[]) =>
  ends.flatMap(({ record }) => {
    const lost = channelsThatLost(record).map((channel) => ({ channel, amounts: { lost: 1 } }))
    const unbilled = record.attempts.flatMap(({ channel, unbilled_quota = 0 }) =>
      unbilled_quota === 0 ? [] : [{ channel, amounts: { unbilled_quota } }],
    )
    return [...lost, ...unbilled].map(({ channel, amounts }) => ({
      key: channelHourKey({ channel, at: record.at }),
      amounts,
    }))
  })

/** What was delivered is charged, but the response is incomplete and counts as a failure. */
const FAILED_END_REASONS: ReadonlySet<string> = new Set([
  END_REASON.brokenStream,
  END_REASON.deadline,
])

const OVERFLOW_BUCKET = 9
const BOUNDS_MS: readonly number[] = HISTOGRAM_BOUNDS_MS

const bucketOf = (milliseconds: number) =>
  HISTOGRAM_BUCKETS.find((bucket) => milliseconds <= (BOUNDS_MS[bucket] ?? Infinity)) ??
  OVERFLOW_BUCKET

/** Users share these rows: updates them one at a time, in order of their ids. */
function addToChannels(tx: Tx, hours: readonly HourSum[]): Compilable[] {
  const sums = new Map<number, number>()
  for (const { end, amounts } of hours) {
    const { channel } = end
    if (channel === 0 || amounts.charged === 0) continue
    sums.set(channel, saturatingSum(sums.get(channel) ?? 0, amounts.charged))
  }
  const sorted = [...sums].toSorted(([a], [b]) => a - b)
  return sorted.map(([id, charged]) =>
    tx
      .updateTable('channels')
      .set({ used_quota: sql<number>`${sql.raw(saturatingSumSql('used_quota', String(charged)))}` })
      .where('id', '=', id),
  )
}
