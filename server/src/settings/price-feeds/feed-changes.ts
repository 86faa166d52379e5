import { comparePrices, type PriceDifference } from '../../domain/price-feeds/compare-prices.ts'
import type { FeedPrices } from '../../domain/price-feeds/feed-price.ts'
import type { Database, Tx } from '../../store/database.ts'
import {
  deleteFeedPrices,
  type FeedPriceRow,
  listFeedPrices,
  listOfferedModels,
  listSoldTokens,
  type StoredFeed,
  writeFeedPrices,
} from '../../store/price-feeds.ts'
import type { Settings } from '../settings.ts'
import { readContent } from './feed-content.ts'

export type FeedChange = PriceDifference & {
  /** An enabled channel offers the model. */
  readonly isOffered: boolean
  /** The operator's own ratio applies whatever the feed says. */
  readonly isOwn: boolean
}

export type FeedDeps = {
  readonly database: Database
  readonly settings: Pick<Settings, 'current'>
  /** Epoch milliseconds. */
  readonly now: () => number
}

/** What applying a feed would change, by model. */
export async function listFeedChanges(
  { database: { kysely }, settings, now }: FeedDeps,
  feed: Pick<StoredFeed, 'id' | 'content'>,
): Promise<{ changes: FeedChange[]; problems: FeedPrices['problems'] }> {
  const [sold, offered, rows] = await Promise.all([
    listSoldTokens(kysely, Math.floor(now() / 1000)),
    listOfferedModels(kysely),
    listFeedPrices(kysely),
  ])
  const { prices, ModelRatio } = settings.current()
  const applied = new Map(
    rows.filter(({ feed_id }) => feed_id === feed.id).map((row) => [row.model, row]),
  )
  const content = readContent(feed.content)
  const differences = comparePrices({ feed: content.prices, prices, applied, sold })
  const changes = differences.map((difference) => ({
    ...difference,
    isOffered: offered.has(difference.model),
    isOwn: Object.hasOwn(ModelRatio, difference.model),
  }))
  return { changes, problems: content.problems }
}

/** Applies the prices of these models. A model that the feed no longer has loses its price. */
export async function applyFeed(
  tx: Tx,
  feed: StoredFeed,
  { models, now }: { models: readonly string[]; now: number },
): Promise<number> {
  const rows = feedRowsOf(feed, { models, now })
  await writeFeedPrices(tx, rows)
  const listed = new Set(rows.map(({ model }) => model))
  const removed = models.filter((model) => !listed.has(model))
  await deleteFeedPrices(tx, feed.id, removed)
  return rows.length + removed.length
}

/** The feed's prices of these models, as they are stored once applied. */
export function feedRowsOf(
  feed: StoredFeed,
  { models, now }: { models: readonly string[]; now: number },
): FeedPriceRow[] {
  const { prices } = readContent(feed.content)
  const day = new Date(feed.read_at * 1000).toISOString().slice(0, 10)
  return models.flatMap((model) => {
    const found = prices.get(model)
    if (found === undefined) return []
    const { vendor, row } = found
    const price = JSON.stringify(row)
    return [{ model, vendor, price, feed_id: feed.id, feed: feed.name, day, applied_at: now }]
  })
}
