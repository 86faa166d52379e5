import type { Generated } from 'kysely'

/** Requests for models without a price. */
type UnpricedModelsTable = {
  model: string
  first_at: number
  last_at: number
  /** Requests charged at the default ratio. */
  charged: Generated<number>
  rejected: Generated<number>
}

/** Alerts that were sent, as `day` counts days since the epoch, UTC. */
export type LossAlertsTable = { day: number; model_name: string; channel_id: number }

/** Public or private lists of prices that are read at an interval. */
export type PriceFeedsTable = {
  id: Generated<number>
  name: string
  kind: string
  url: string
  /** Group of this gateway's key, at another gateway. */
  key_group: string
  /** 0: only by hand. */
  every_hours: number
  /** Vendors whose changes apply by themselves, separated by commas; `*` is all. */
  auto_vendors: string
  /** A larger change, in percent, alerts and never applies by itself. */
  alert_percent: number
  /** An older list alerts. */
  stale_days: number
  /** The last usable list as JSON; empty before the first. */
  content: Generated<string>
  /** Number of usable prices in the list, and of the others. */
  models: Generated<number>
  problems: Generated<number>
  created_at: number
  /** When the list was last requested, and last usable; 0 if never. */
  asked_at: Generated<number>
  read_at: Generated<number>
  /** Why the last request failed; empty otherwise. */
  error: Generated<string>
  error_zh: Generated<string>
  /** When the operator was last alerted that the list is old; 0 since it is not. */
  stale_alert_at: Generated<number>
  /** Digest of the changes that the operator was last alerted about. */
  alerted_changes: Generated<string>
}

/** Prices that were applied from feeds. */
export type FeedPricesTable = {
  model: string
  feed_id: number
  feed: string
  vendor: string
  /** A row of the price list as JSON, in dollars. */
  price: string
  /** The UTC day on which the feed was read. */
  day: string
  applied_at: number
}

/** Own prices that begin at 00:00 UTC of a later day. */
export type PlannedPricesTable = {
  model: string
  /** Such as `2027-01-01`. */
  from_day: string
  /** JSON in the contract's form of own prices. */
  price: string
}

export type PriceTables = {
  unpriced_models: UnpricedModelsTable
  price_feeds: PriceFeedsTable
  feed_prices: FeedPricesTable
  loss_alerts: LossAlertsTable
  planned_prices: PlannedPricesTable
}
