import { FEED_KINDS, type FeedKind } from '@tollgate/contract'
import { type Candidate, checkPrices, type FeedOptions, type FeedPrices } from './feed-price.ts'
import { gatewayPrices } from './gateway-pricing.ts'
import { isObject, type Json } from './json-values.ts'
import { litellmPrices } from './litellm.ts'
import { modelsDevPrices } from './models-dev.ts'
import { openRouterPrices } from './openrouter.ts'
import { ownFormatPrices } from './own-format.ts'

export const isFeedKind = (kind: string): kind is FeedKind =>
  FEED_KINDS.some((known) => known === kind)

/** Each returns null for an answer that is not of its form. */
const READERS: Readonly<
  Record<FeedKind, (json: Json, options: FeedOptions) => Iterable<Candidate> | null>
> = {
  litellm: litellmPrices,
  models_dev: modelsDevPrices,
  openrouter: openRouterPrices,
  gateway: gatewayPrices,
  tollgate: ownFormatPrices,
}

/** Null if the answer is not of the feed's form, or if no price in it is usable. */
export function readFeed(kind: FeedKind, json: unknown, options: FeedOptions): FeedPrices | null {
  if (!isObject(json)) return null
  const candidates = READERS[kind](json, options)
  if (candidates === null) return null
  const found = checkPrices(candidates)
  return found.prices.size === 0 ? null : found
}
