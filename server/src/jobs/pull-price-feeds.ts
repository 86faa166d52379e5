import type { Logger } from 'pino'
import { type PullDeps, pullFeed } from '../settings/price-feeds/pull-feed.ts'
import { claimFeed, type FeedState, listFeeds } from '../store/price-feeds.ts'
import type { ClaimDeps } from './claims.ts'
import { startPeriodic } from './periodic.ts'

export type PriceFeedDeps = PullDeps & ClaimDeps & { log: Logger }

const CHECK_INTERVAL_MS = 5 * 60_000
const SECONDS_PER_HOUR = 3600
/** Longer than a read takes. */
const RETRY_SECONDS = 600

/** Reads the price feeds whose time has come. */
export const startPullingFeeds = (
  deps: PriceFeedDeps,
  { lookMs = CHECK_INTERVAL_MS } = {},
): { stop: () => Promise<void> } =>
  startPeriodic({
    run: (signal) => pullDueFeeds(deps, signal),
    pauseMs: lookMs,
    firstMs: lookMs,
    log: deps.log,
    failure: 'price feeds cannot be updated',
  })

/** One round, one feed after the other. */
export async function pullDueFeeds(deps: PriceFeedDeps, signal: AbortSignal): Promise<void> {
  const { kysely } = deps.database
  const now = Math.floor(deps.now() / 1000)
  const claim = { now, retrySeconds: RETRY_SECONDS }
  for (const feed of await listFeeds(kysely)) {
    if (signal.aborted) return
    if (!isDue(feed, now) || !(await claimFeed(kysely, feed, claim))) continue
    deps.claimed?.('price_feeds')
    await pullFeed(deps, feed, { isScheduled: true })
  }
}

const isDue = ({ every_hours, asked_at, url }: FeedState, now: number): boolean =>
  url !== '' && every_hours > 0 && now - asked_at >= every_hours * SECONDS_PER_HOUR
