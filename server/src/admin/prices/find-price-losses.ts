import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  AppError,
  CHANNEL_STATUS,
  type Language,
  type OptionValues,
  parseOption,
  PRICE_LOSSES_MAX,
  type PriceLoss,
  type PriceOption,
  type PriceProposal,
} from '@tollgate/contract'
import { readChannelSettings } from '@tollgate/contract/channel-settings'
import { LossFinder, newLosses, type SoldChannel } from '../../domain/channel-losses.ts'
import type { PricedOptions } from '../../domain/find-price.ts'
import { readMapping } from '../../domain/model-mapping.ts'
import { tablesWith } from '../../domain/own-price.ts'
import { isPriceTable, ownRatios } from '../../domain/price-tables.ts'
import { feedRowsOf } from '../../settings/price-feeds/feed-changes.ts'
import { priceListAt, readAppliedPrice } from '../../settings/pricing.ts'
import { findFeed, listFeedPrices } from '../../store/price-feeds.ts'
import { commaList } from '../comma-list.ts'
import type { AdminDeps } from '../deps.ts'

/** An invalid value has no losses; saving it reports what is wrong. */
export async function findPriceLosses(
  deps: AdminDeps,
  { options: given, model_price, feed, channel }: PriceProposal,
  language: Language,
): Promise<{ total: number; losses: PriceLoss[] }> {
  const current = deps.settings.current()
  const sold = await listSoldChannels(deps)
  const edited = channel === undefined ? null : soldChannelOf({ id: 0, ...channel })
  const changed = withOptions(current, given, language)
  const proposed = model_price === undefined ? changed : withModelPrice(changed, model_price)
  const options = feed === undefined ? proposed : await withFeed(deps, proposed, feed)
  const others = sold.filter(({ id }) => id !== edited?.id)
  const after = edited === null ? sold : [...others, edited]
  // Only what changes needs to be compared.
  const isOptionChange = options !== current
  const before = await lossesOf(isOptionChange ? sold : soldAs(sold, edited), current)
  const later = await lossesOf(isOptionChange ? after : soldAs(after, edited), options)
  const losses = newLosses(before, later)
  return { total: losses.length, losses: losses.slice(0, PRICE_LOSSES_MAX) }
}

const soldAs = (channels: readonly SoldChannel[], edited: SoldChannel | null) =>
  channels.filter(({ id }) => id === edited?.id)

/** Channels are judged one at a time, so that requests are served in between. */
async function lossesOf(channels: readonly SoldChannel[], options: PricedOptions) {
  const finder = new LossFinder(options)
  const losses: PriceLoss[] = []
  for (const channel of channels) {
    losses.push(...finder.lossesOf(channel))
    await nextTurn()
  }
  return losses
}

async function listSoldChannels({ database: { kysely } }: AdminDeps): Promise<SoldChannel[]> {
  const rows = await kysely
    .selectFrom('channels')
    .select(['id', 'name', 'models', 'group', 'model_mapping', 'config'])
    .where('status', '=', CHANNEL_STATUS.enabled)
    .orderBy('id')
    .execute()
  return rows.map(soldChannelOf)
}

type ChannelRow = Required<Omit<NonNullable<PriceProposal['channel']>, 'id'>> & { id: number }

const soldChannelOf = ({ id, name, models, group, model_mapping, config }: ChannelRow) => ({
  id,
  name,
  models: commaList(models),
  groups: commaList(group),
  mapping: readMapping(model_mapping),
  cost: readChannelSettings(config).cost ?? {},
})

function withOptions(
  current: PricedOptions,
  given: readonly { key: PriceOption; value: string }[],
  language: Language,
): PricedOptions {
  return given.reduce((options, { key, value }) => {
    const parsed = parseOption(key, value, language)
    if (!parsed.success) return options
    if (!isPriceTable(key)) return { ...options, [key]: parsed.data }
    // Safe because the option's schema made the value.
    const table = parsed.data as OptionValues[typeof key]
    return { ...options, [key]: ownRatios(key, table, current.prices) }
  }, current)
}

const withModelPrice = (
  options: PricedOptions,
  { model, price }: NonNullable<PriceProposal['model_price']>,
): PricedOptions => ({ ...options, ...Object.fromEntries(tablesWith(options, model, price)) })

async function withFeed(
  { database: { kysely }, now }: AdminDeps,
  options: PricedOptions,
  { id, models }: { id: number; models: readonly string[] },
): Promise<PricedOptions> {
  const feed = await findFeed(kysely, id)
  if (feed === undefined) throw new AppError('feed_not_found')
  const chosen = new Set(models)
  const kept = (await listFeedPrices(kysely)).filter(
    ({ model, feed_id }) => !chosen.has(model) || feed_id !== id,
  )
  const applied = feedRowsOf(feed, { models, now: Math.floor(now() / 1000) })
  const rows = [
    ...kept.filter(({ model }) => !applied.some((row) => row.model === model)),
    ...applied,
  ]
  const { prices } = priceListAt(now(), rows.map(readAppliedPrice))
  return { ...options, prices }
}
