import type { Generated } from 'kysely'

/**
 * Upper bounds of the histogram columns `latency_0 …` and `first_token_0 …`. The last column counts
 * everything above.
 */
export const HISTOGRAM_BOUNDS_MS = [
  100, 250, 500, 1000, 2500, 5000, 10_000, 30_000, 60_000,
] as const

type Bucket = 0 | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8 | 9

export const HISTOGRAM_BUCKETS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const satisfies Bucket[]

/** `hour` counts hours since the epoch, UTC, in all hourly tables. */
export type RollupsTable = {
  hour: number
  user_id: number
  token_id: number
  channel_id: number
  model_name: string
  cached_tokens: number
  cache_write_tokens: number
  reasoning_tokens: number
} & HourFigures &
  HourCosts &
  HourSavings &
  HourTimes

/** Sums that dashboards show. */
export type HourFigures = {
  requests: number
  failures: number
  prompt_tokens: number
  completion_tokens: number
  quota: number
}

/**
 * The cost of each attempt counts for its own channel. `costed_quota` is the part of `quota` that
 * was charged for requests whose cost is known.
 */
export type HourCosts = {
  /** In nano-dollars. */
  provider_cost: Generated<number>
  costed_quota: Generated<number>
}

/**
 * How much less requests were charged, or more, than if all input had the price of ordinary input.
 * A request counts in one of the two columns.
 */
export type HourSavings = { cache_savings: Generated<number>; cache_surcharge: Generated<number> }

type HourCaches = { cached_tokens: Generated<number> } & HourSavings

export type HourTimes = { [Key in `latency_${Bucket}` | `first_token_${Bucket}`]: number }

/** Sums over all users, tokens and channels. */
export type ModelHoursTable = { hour: number; model_name: string } & HourFigures &
  HourCosts &
  HourCaches

/**
 * Sums over all users, tokens and models. `lost` counts failed attempts whose request another
 * channel took over. `unbilled_quota` is what attempts would have cost that were not charged to
 * anyone.
 */
export type ChannelHoursTable = {
  hour: number
  channel_id: number
  lost: Generated<number>
  unbilled_quota: Generated<number>
} & HourFigures &
  HourCosts &
  HourTimes

/** Failed attempts that the channel is at fault for. The example is the latest of its row. */
export type ChannelFaultsTable = {
  channel_id: number
  hour: number
  /** `UpstreamProblemKind` of the contract. */
  kind: string
  /** As the client requested it. */
  model_name: string
  /** Fingerprint of the key. */
  key: string
  faults: number
  /** HTTP status of the provider; 0 without an answer. */
  status: number
  reason: string
  request_id: string
  last_at: number
}

/** The last test of a key that was tested alone. */
export type ChannelKeyTestsTable = {
  channel_id: number
  /** Fingerprint of the key. */
  key: string
  tested_at: number
  milliseconds: number
  /** Empty if the key passed. */
  error: string
}

/** Sums over all tokens and channels. */
export type UserHoursTable = {
  user_id: number
  hour: number
  model_name: string
} & HourFigures &
  HourCosts &
  HourCaches

/**
 * Sums by the group that was billed; its name is empty for requests that ended without a channel or
 * an answer, and for hours before the table.
 */
export type GroupHoursTable = { hour: number; group_name: string } & HourFigures & HourCosts
