import type { Candidate } from './feed-price.ts'
import { isObject, type Json, objectsIn } from './json-values.ts'

/** The form of the built-in table: `contract/src/prices.json`. */
export function* ownFormatPrices(json: Json): Generator<Candidate> {
  for (const [vendor, section] of Object.entries(json)) {
    if (!isObject(section) || !isObject(section['models'])) continue
    for (const [model, row] of Object.entries(section['models'])) {
      if (!isObject(row)) continue
      const perDollar = row['per_dollar'] ?? section['per_dollar'] ?? 1
      const prices = inDollars(row, perDollar)
      const long = objectsIn(row['long']).map((tier) => tierOf(tier, perDollar))
      const { aliases } = row
      const names = Array.isArray(aliases) ? aliases.filter((name) => typeof name === 'string') : []
      for (const name of [model, ...names]) yield { model: name, vendor, prices, long }
    }
  }
}

const inDollars = (prices: Json, perDollar: unknown): Json =>
  Object.fromEntries(
    Object.entries(prices).map(([field, price]) => [field, quotient(price, perDollar)]),
  )

function tierOf({ above, inclusive, ...prices }: Json, perDollar: unknown): Json {
  const isInclusive = inclusive === true && typeof above === 'number'
  return { ...inDollars(prices, perDollar), above: isInclusive ? above - 1 : above }
}

/** A value that is no number is kept, so that the check of the price reports it. */
const quotient = (price: unknown, perDollar: unknown): unknown => {
  if (typeof price !== 'number') return price
  return typeof perDollar === 'number' && perDollar > 0 ? price / perDollar : perDollar
}
