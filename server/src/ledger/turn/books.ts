import { type Compilable, sql } from 'kysely'
import type { Tx } from '../../store/database.ts'
import { HISTOGRAM_BOUNDS_MS, HISTOGRAM_BUCKETS } from '../../store/schema.ts'
import type { EndRecord } from '../record.ts'
import type { Charge } from './charge.ts'
import type { Place } from './lock-rows.ts'
import { saturatingSumSql } from './saturate.ts'
import { type Addition, bulkAddition } from './sums.ts'

const SECONDS_PER_HOUR = 3600
export const SECONDS_PER_DAY = 86_400

/** A request that has ended, and what it cost whom. */
export type Booked = { readonly record: EndRecord; readonly charge: Charge }

const DAY_AMOUNTS = [
  'charged',
  'token_charged',
  'budget_charged',
  'uncollected',
  'requests',
] as const

const FIGURES = ['requests', 'failures', 'prompt_tokens', 'completion_tokens', 'quota'] as const
const TIMES = (['latency', 'first_token'] as const).flatMap((name) =>
  HISTOGRAM_BUCKETS.map((bucket) => `${name}_${bucket}` as const),
)
const HOUR_AMOUNTS = [
  ...FIGURES,
  'cached_tokens',
  'cache_write_tokens',
  'reasoning_tokens',
  ...TIMES,
] as const

type HourAmount = (typeof HOUR_AMOUNTS)[number]

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

/** The coarser sums beside the rollups: a month of them is short enough to be read at once. */
const addModelHours = bulkAddition('model_hours', { hour: 'bigint', model_name: 'text' }, FIGURES)
const addChannelHours = bulkAddition('channel_hours', { hour: 'bigint', channel_id: 'bigint' }, [
  ...FIGURES,
  ...TIMES,
])
const addUserHours = bulkAddition(
  'user_hours',
  { user_id: 'bigint', hour: 'bigint', model_name: 'text' },
  FIGURES,
)

/** The books behind the log, kept whatever becomes of its rows, and what dashboards read instead of it. */
export function writeBooks({ tx, kind }: Place, ends: readonly Booked[]): Compilable[] {
  return [
    ...addDays(kind, ends.map(dayOf)),
    ...addHours(kind, ends.map(hourOf)),
    ...addModelHours(kind, ends.map(modelHourOf)),
    ...addChannelHours(kind, ends.map(channelHourOf)),
    ...addUserHours(kind, ends.map(userHourOf)),
    ...addToChannels(tx, ends),
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

const dayOf = ({
  record: { context, at },
  charge,
}: Booked): Addition<(typeof DAY_AMOUNTS)[number]> => ({
  key: dayKey({ ...context, at }),
  amounts: {
    charged: charge.charged,
    token_charged: charge.tokenCharged,
    budget_charged: charge.budgetCharged,
    uncollected: charge.uncollected,
    requests: 1,
  },
})

type Hourly = { userId: number; tokenId: number; channel: number; model: string; at: number }

const hourAt = ({ at }: { at: number }) => Math.floor(at / SECONDS_PER_HOUR)

const rollupKey = (end: Hourly) => ({
  hour: hourAt(end),
  user_id: end.userId,
  token_id: end.tokenId,
  channel_id: end.channel,
  model_name: end.model,
})

const modelHourKey = (end: Hourly) => ({ hour: hourAt(end), model_name: end.model })
const channelHourKey = (end: Hourly) => ({ hour: hourAt(end), channel_id: end.channel })
const userHourKey = (end: Hourly) => ({
  user_id: end.userId,
  hour: hourAt(end),
  model_name: end.model,
})

/** The rows that count a request of this hour, in all tables of hours. */
export const hourKeys = (end: Hourly) =>
  [
    ['rollups', rollupKey(end)],
    ['model_hours', modelHourKey(end)],
    ['channel_hours', channelHourKey(end)],
    ['user_hours', userHourKey(end)],
  ] as const

const hourlyOf = ({ record: { context, channel, at } }: Booked): Hourly => ({
  ...context,
  channel,
  at,
})

type Figures = Record<(typeof FIGURES)[number], number>
type Times = Partial<Record<(typeof TIMES)[number], number>>

function figuresOf({ record: { basis, outcome }, charge }: Booked): Figures {
  return {
    requests: 1,
    failures: outcome === 'settled' ? 0 : 1,
    prompt_tokens: basis?.prompt_tokens ?? 0,
    completion_tokens: basis?.completion_tokens ?? 0,
    quota: charge.charged,
  }
}

function timesOf({ record: { outcome, elapsedMs, firstTokenMs } }: Booked): Times {
  if (outcome !== 'settled') return {}
  return {
    [`latency_${bucketOf(elapsedMs)}`]: 1,
    ...(firstTokenMs > 0 ? { [`first_token_${bucketOf(firstTokenMs)}`]: 1 } : {}),
  }
}

function hourOf(end: Booked): Addition<HourAmount> {
  const { basis } = end.record
  return {
    key: rollupKey(hourlyOf(end)),
    amounts: {
      ...figuresOf(end),
      cached_tokens: basis?.cached_tokens ?? 0,
      cache_write_tokens: basis?.cache_write_tokens ?? 0,
      reasoning_tokens: basis?.reasoning_tokens ?? 0,
      ...timesOf(end),
    },
  }
}

const modelHourOf = (end: Booked) => ({
  key: modelHourKey(hourlyOf(end)),
  amounts: figuresOf(end),
})

const channelHourOf = (end: Booked) => ({
  key: channelHourKey(hourlyOf(end)),
  amounts: { ...figuresOf(end), ...timesOf(end) },
})

const userHourOf = (end: Booked) => ({ key: userHourKey(hourlyOf(end)), amounts: figuresOf(end) })

function bucketOf(milliseconds: number): number {
  const found = HISTOGRAM_BOUNDS_MS.findIndex((bound) => milliseconds <= bound)
  return found === -1 ? HISTOGRAM_BOUNDS_MS.length : found
}

/** Rows that other users share: one at a time, by their ids. */
function addToChannels(tx: Tx, ends: readonly Booked[]): Compilable[] {
  const sums = new Map<number, number>()
  for (const {
    record: { channel },
    charge: { charged },
  } of ends) {
    if (channel !== 0 && charged > 0) sums.set(channel, (sums.get(channel) ?? 0) + charged)
  }
  const sorted = [...sums].toSorted(([one], [other]) => one - other)
  return sorted.map(([id, charged]) =>
    tx
      .updateTable('channels')
      .set({ used_quota: sql<number>`${sql.raw(saturatingSumSql('used_quota', String(charged)))}` })
      .where('id', '=', id),
  )
}
