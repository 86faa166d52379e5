import type { Price } from './price-type.ts'

type Listed = { readonly price: Price; readonly mapped: string }

/**
 * Without a price of its own, a model costs what the provider's model costs. Channels that map it
 * to models of different prices are listed at the highest, so nobody pays more than listed.
 */
export function listedPrice(
  mappedNames: Iterable<string>,
  priceOf: (mapped: string) => Price | null,
): Listed | undefined {
  const prices = [...new Set(mappedNames)].flatMap((mapped) => {
    const price = priceOf(mapped)
    return price === null ? [] : [{ price, mapped }]
  })
  return prices.toSorted((one, other) => sumOf(other.price) - sumOf(one.price))[0]
}

const sumOf = (price: Price) => price.model_ratio * (1 + price.completion_ratio)
