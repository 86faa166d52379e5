import type { FeedProblem } from '@tollgate/contract'
import type { FeedPrice, FeedPrices } from '../../domain/price-feeds/feed-price.ts'

/** The stored form of a list. */
type Content = {
  readonly prices: readonly (readonly [string, FeedPrice])[]
  readonly problems: readonly (readonly [string, FeedProblem])[]
}

const EMPTY: FeedPrices = { prices: new Map(), problems: new Map() }

export const contentText = ({ prices, problems }: FeedPrices): string =>
  JSON.stringify({ prices: [...prices], problems: [...problems] } satisfies Content)

export function readContent(text: string): FeedPrices {
  if (text === '') return EMPTY
  const { prices, problems } = JSON.parse(text) as Content // safe because contentText wrote it
  return { prices: new Map(prices), problems: new Map(problems) }
}
