import type { PriceLoss } from '@tollgate/contract'
import type { ChannelCost } from '@tollgate/contract/channel-settings'
import { findPrice, groupRatioOf, type PricedOptions } from './find-price.ts'
import { lossOf } from './margin.ts'
import type { Price } from './price.ts'
import { type ProviderPrice, providerPriceOf } from './provider-cost.ts'

export type SoldChannel = {
  readonly id: number
  readonly name: string
  readonly models: readonly string[]
  readonly groups: readonly string[]
  readonly mapping: ReadonlyMap<string, string>
  readonly cost: ChannelCost
}

/** Finds what channels sell below cost under these options. Prices are looked up once. */
export class LossFinder {
  readonly #options: PricedOptions
  readonly #prices = new Map<string, Price | null>()
  readonly #losses = new Map<string, ReturnType<typeof lossOf>>()

  constructor(options: PricedOptions) {
    this.#options = options
  }

  lossesOf(channel: SoldChannel): PriceLoss[] {
    const settings = JSON.stringify(channel.cost)
    return channel.models.flatMap((model) => {
      const mapped = channel.mapping.get(model) ?? model
      const names = JSON.stringify([model, mapped])
      const price = this.#priceOf(names, model, mapped)
      if (price === null) return []
      const providerOf = () => providerPriceOf([mapped, model], channel.cost, this.#options.prices)
      return channel.groups.flatMap((group): PriceLoss[] => {
        const key = `${names} ${settings} ${groupRatioOf(group, this.#options)}`
        const loss = this.#lossAt(key, { price, group, providerOf })
        if (loss === null) return []
        const { id, name } = channel
        return [{ model, channel: id, channel_name: name, group, ...loss }]
      })
    })
  }

  #priceOf(names: string, requested: string, mapped: string): Price | null {
    const known = this.#prices.get(names)
    if (known !== undefined) return known
    const price = findPrice({ requested, mapped, options: this.#options })
    this.#prices.set(names, price)
    return price
  }

  #lossAt(
    key: string,
    sold: { price: Price; group: string; providerOf: () => ProviderPrice | null },
  ) {
    const known = this.#losses.get(key)
    if (known !== undefined) return known
    const provider = sold.providerOf()
    const groupRatio = groupRatioOf(sold.group, this.#options)
    const sale = { price: sold.price, groupRatio, quotaPerUnit: this.#options.QuotaPerUnit }
    const loss = provider === null ? null : lossOf(sale, provider)
    this.#losses.set(key, loss)
    return loss
  }
}

const keyOf = ({ model, channel, group }: PriceLoss) => JSON.stringify([model, channel, group])

const isPerCall = ({ part }: PriceLoss) => part === 'call'

/**
 * The losses after a change that were not there before, or were smaller. A loss by the call cannot
 * be compared with another.
 */
export function newLosses(before: readonly PriceLoss[], after: readonly PriceLoss[]): PriceLoss[] {
  const known = new Map(before.map((loss) => [keyOf(loss), loss]))
  return after.filter((loss) => {
    const earlier = known.get(keyOf(loss))
    if (earlier === undefined || isPerCall(earlier) !== isPerCall(loss)) return true
    return loss.cost - loss.price > earlier.cost - earlier.price
  })
}
