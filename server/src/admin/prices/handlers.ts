import { AppError, PRICE_CHANGES_MAX, type priceEndpoints } from '@tollgate/contract'
import { hasPrice } from '../../domain/find-price.ts'
import type { Handlers } from '../../http/mount.ts'
import { listFeedChanges } from '../../settings/price-feeds/feed-changes.ts'
import { findFeed, listFeeds } from '../../store/price-feeds.ts'
import { listUnpricedModels } from '../../store/unpriced-models.ts'
import type { AdminDeps } from '../deps.ts'
import { applyPriceChanges, createFeed, editFeed, pullNow, removeFeed } from './change-feeds.ts'
import { findPriceLosses } from './find-price-losses.ts'
import { presentFeed } from './present-feed.ts'

const UNPRICED_MAX = 1000

export function priceHandlers(deps: AdminDeps): Handlers<typeof priceEndpoints> {
  const { database, settings } = deps
  return {
    listUnpricedModels: async () => {
      const rows = await listUnpricedModels(database.kysely, UNPRICED_MAX)
      const options = settings.current()
      return { data: rows.filter(({ model }) => !hasPrice(model, options)) }
    },
    listPriceFeeds: async ({ language }) => {
      const feeds = await listFeeds(database.kysely)
      return { data: feeds.map((feed) => presentFeed(feed, language)) }
    },
    createPriceFeed: async (context, { body }) => ({
      data: presentFeed(await createFeed(deps, context, body), context.language),
    }),
    updatePriceFeed: async (context, { body }) => ({
      data: presentFeed(await editFeed(deps, context, body), context.language),
    }),
    deletePriceFeed: async (context, { params }) => {
      await removeFeed(deps, context, params.id)
      return {}
    },
    pullPriceFeed: async (context, { body }) => ({
      data: presentFeed(await pullNow(deps, context, body), context.language),
    }),
    listPriceChanges: async (_, { params, query }) => {
      const feed = await findFeed(database.kysely, params.id)
      if (feed === undefined) throw new AppError('feed_not_found')
      const { changes, problems } = await listFeedChanges(deps, feed)
      const keyword = query.keyword.toLowerCase()
      const matching = changes.filter(
        ({ model, isOffered }) =>
          (isOffered || query.scope === 'all') && model.toLowerCase().includes(keyword),
      )
      const shown = matching
        .slice(0, PRICE_CHANGES_MAX)
        .map(({ isOffered: offered, isOwn: own, ...change }) => ({ ...change, offered, own }))
      const refused = [...problems]
        .slice(0, PRICE_CHANGES_MAX)
        .map(([model, problem]) => ({ model, problem }))
      const { read_at } = feed
      return { data: { read_at, total: matching.length, changes: shown, problems: refused } }
    },
    findPriceLosses: async ({ language }, { body }) => ({
      data: await findPriceLosses(deps, body, language),
    }),
    applyPriceChanges: async (context, { body }) => ({
      data: await applyPriceChanges(deps, context, body),
    }),
  }
}
