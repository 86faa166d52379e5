import { type Compilable, sql } from 'kysely'
import { type ChargeBasis, END_REASON } from '@tollgate/contract'
import { cacheSavings } from '../../domain/cache-savings.ts'
import type { Tx } from '../../store/database.ts'
import { HISTOGRAM_BOUNDS_MS, HISTOGRAM_BUCKETS } from '../../store/hour-tables.ts'
import { type EndRecord, groupOf } from '../record.ts'
import { writeChannelFaults } from './channel-faults.ts'
import type { Charge } from './charge.ts'
import type { EpochTransaction } from './lock-rows.ts'
import { channelsThatLost } from './lost-attempts.ts'
import { writeProviderHours } from './provider-hours.ts'
import { saturatingSum, saturatingSumSql } from './saturate.ts'
import { type Addition, bulkAddition } from './sums.ts'

const SECONDS_PER_HOUR = 3600
export const SECONDS_PER_DAY = 86_400

/** What is counted of an end. */
export type Counted = {
  readonly record: Pick<
    EndRecord,
    | 'at'
    | 'channel'
    | 'outcome'
    | 'endReason'
    | 'elapsedMs'
    | 'firstTokenMs'
    | 'attempts'
    | 'providerCost'
    | 'group'
  > & {
    readonly context: Pick<EndRecord['context'], 'userId' | 'tokenId' | 'model' | 'requestId'>
    readonly basis: ChargeBasis | null
  }
  readonly charge: Charge
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

/** Keys and amounts of the tables of sums. Tables after the rollups are coarser and small. */
export const SUM_TABLES = {
  ledger_days: {
    key: { user_id: 'bigint', token_id: 'bigint', day: 'bigint' },
    names: DAY_AMOUNTS,
  },
  rollups: {
    key: {
      hour: 'bigint',
      user_id: 'bigint',
      token_id: 'bigint',
      channel_id: 'bigint',
      model_name: 'text',
    },
    names: HOUR_AMOUNTS,
  },
  model_hours: { key: { hour: 'bigint', model_name: 'text' }, names: [...FIGURES, ...CACHES] },
  channel_hours: {
    key: { hour: 'bigint', channel_id: 'bigint' },
    names: [...FIGURES, ...TIMES, 'lost', 'unbilled_quota'],
  },
  user_hours: {
    key: { user_id: 'bigint', hour: 'bigint', model_name: 'text' },
    names: [...FIGURES, ...CACHES],
  },
  group_hours: { key: { hour: 'bigint', group_name: 'text' }, names: FIGURES },
} as const

const additionTo = <Name extends string>(table: keyof typeof SUM_TABLES, names: readonly Name[]) =>
  bulkAddition(table, SUM_TABLES[table].key, names)

const addDays = additionTo('ledger_days', SUM_TABLES.ledger_days.names)
const addHours = additionTo('rollups', SUM_TABLES.rollups.names)
const addModelHours = additionTo('model_hours', SUM_TABLES.model_hours.names)
const addChannelHours = additionTo('channel_hours', SUM_TABLES.channel_hours.names)
const addUserHours = additionTo('user_hours', SUM_TABLES.user_hours.names)
const addGroupHours = additionTo('group_hours', SUM_TABLES.group_hours.names)

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

export const hourAt = ({ at }: { at: number }) => Math.floor(at / SECONDS_PER_HOUR)

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
/** Most of some forty amounts are absent. */
type Amounts = Partial<Record<Amount, number>>

type HourSum = { readonly end: Hourly; readonly amounts: Amounts }

/** Reduces hundreds of requests to a few sums, from which the rows of all tables are made. */
function sumUp(ends: readonly Counted[]): HourSum[] {
  const sums = new HourSums()
  for (const end of ends) {
    addTo(sums.of(end.record, end.record.channel), end)
    addCosts(sums, end.record)
  }
  return [...sums.byToken.values()].flat()
}

/** A token has few sums in a batch, so comparing them costs less than a text of their keys. */
class HourSums {
  readonly byToken = new Map<number, HourSum[]>()

  of(record: Counted['record'], channel: number): Amounts {
    const { context, at } = record
    const { userId, tokenId, model } = context
    const group = groupOf(record)
    const hour = hourAt(record)
    const sums = this.byToken.get(tokenId) ?? []
    for (const { end, amounts } of sums) {
      const isSame =
        end.channel === channel &&
        end.model === model &&
        end.userId === userId &&
        end.group === group &&
        hourAt(end) === hour
      if (isSame) return amounts
    }
    const sum = { end: { userId, tokenId, channel, model, group, at }, amounts: {} }
    sums.push(sum)
    this.byToken.set(tokenId, sums)
    return sum.amounts
  }
}

/** Adds the known cost of a request to the channels that caused it. */
function addCosts(sums: HourSums, record: Counted['record']) {
  const { providerCost = null, channel, attempts } = record
  if (providerCost === null || providerCost === 0) return
  let costOfAttempts = 0
  for (const { cost = 0 } of attempts) costOfAttempts += cost
  // A record keeps the first attempts only.
  if (costOfAttempts !== providerCost) add(sums.of(record, channel), 'provider_cost', providerCost)
  else {
    for (const { channel: asked, cost = 0 } of attempts) {
      if (cost > 0) add(sums.of(record, asked), 'provider_cost', cost)
    }
  }
}

function addTo(amounts: Amounts, { record, charge }: Counted) {
  const { basis, outcome, elapsedMs, firstTokenMs } = record
  add(amounts, 'requests', 1)
  add(amounts, 'quota', charge.charged)
  if ((record.providerCost ?? null) !== null) add(amounts, 'costed_quota', charge.charged)
  add(amounts, 'charged', charge.charged)
  add(amounts, 'token_charged', charge.tokenCharged)
  add(amounts, 'budget_charged', charge.budgetCharged)
  add(amounts, 'uncollected', charge.uncollected)
  if (basis !== null) {
    add(amounts, 'prompt_tokens', basis.prompt_tokens)
    add(amounts, 'completion_tokens', basis.completion_tokens)
    add(amounts, 'cached_tokens', basis.cached_tokens)
    add(amounts, 'cache_write_tokens', basis.cache_write_tokens)
    add(amounts, 'reasoning_tokens', basis.reasoning_tokens)
    const saved = cacheSavings(basis)
    add(amounts, saved > 0 ? 'cache_savings' : 'cache_surcharge', Math.abs(saved))
  }
  const isPaid = outcome === 'settled'
  if (!isPaid || FAILED_END_REASONS.has(record.endReason)) add(amounts, 'failures', 1)
  if (!isPaid) return
  add(amounts, `latency_${bucketOf(elapsedMs)}`, 1)
  if (firstTokenMs > 0) add(amounts, `first_token_${bucketOf(firstTokenMs)}`, 1)
}

function add(amounts: Amounts, name: Amount, amount: number) {
  if (amount !== 0) amounts[name] = saturatingSum(amounts[name] ?? 0, amount)
}

/** Lost and unbilled attempts, which the count of the request itself does not include. */
function attemptsIn(ends: readonly Counted[]) {
  const added: Addition<'lost' | 'unbilled_quota'>[] = []
  for (const { record } of ends) {
    const { at } = record
    for (const channel of channelsThatLost(record)) {
      added.push({ key: channelHourKey({ channel, at }), amounts: { lost: 1 } })
    }
    for (const { channel, unbilled_quota = 0 } of record.attempts) {
      if (unbilled_quota === 0) continue
      added.push({ key: channelHourKey({ channel, at }), amounts: { unbilled_quota } })
    }
  }
  return added
}

/** What was delivered is charged, but the response is incomplete and counts as a failure. */
const FAILED_END_REASONS: ReadonlySet<string> = new Set([
  END_REASON.brokenStream,
  END_REASON.deadline,
])

const OVERFLOW_BUCKET = 9
const BOUNDS_MS: readonly number[] = HISTOGRAM_BOUNDS_MS

type Bucket = (typeof HISTOGRAM_BUCKETS)[number]

export function bucketOf(milliseconds: number): Bucket {
  for (const bucket of HISTOGRAM_BUCKETS) {
    if (milliseconds <= (BOUNDS_MS[bucket] ?? Infinity)) return bucket
  }
  return OVERFLOW_BUCKET
}

/** Users share these rows: updates them one at a time, in order of their ids. */
const addToChannels = (tx: Tx, hours: readonly HourSum[]) =>
  addUseOfChannels(
    tx,
    hours.map(({ end: { channel }, amounts: { charged = 0 } }) => ({ channel, charged })),
  )

const USED_AND_ADDED = sql.raw<number>(saturatingSumSql('used_quota', 'added'))

type ChannelUse = { readonly channel: number; readonly charged: number }

export function addUseOfChannels(tx: Tx, uses: readonly ChannelUse[]): Compilable[] {
  const sums = new Map<number, number>()
  for (const { channel, charged } of uses) {
    if (channel === 0 || charged === 0) continue
    sums.set(channel, saturatingSum(sums.get(channel) ?? 0, charged))
  }
  const sorted = [...sums].toSorted(([a], [b]) => a - b)
  return sorted.map(([id, charged]) =>
    tx
      .updateTable('channels')
      .from(sql`(select cast(${charged} as bigint) as added)`.as('charge'))
      .set({ used_quota: USED_AND_ADDED })
      .where('id', '=', id),
  )
}
