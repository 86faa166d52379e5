import { FEED_KINDS, type Language, type PriceFeed } from '@tollgate/contract'
import type { FeedState } from '../../store/price-feeds.ts'

export function presentFeed(feed: FeedState, language: Language): PriceFeed {
  const { kind, error, error_zh, ...rest } = feed
  return {
    ...rest,
    kind: FEED_KINDS.find((known) => known === kind) ?? 'tollgate',
    error: language === 'zh' ? error_zh : error,
  }
}
