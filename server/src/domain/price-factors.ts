import type { FactorPart, Served } from '@tollgate/contract'
import { ANY_REGION, type Multiples } from '@tollgate/contract/prices'
import type { Asked, Ratio } from './price-type.ts'

const NO_FACTORS: readonly FactorPart[] = []

type Featured = Pick<Ratio, 'tiers' | 'regions' | 'region' | 'asked'>

/** The price of a request with this many prompt tokens, and how it was served. */
export function chargedPrice<Given extends Ratio>(
  price: Given,
  promptTokens: number,
  served: Served | undefined,
): { price: Given; isLong: boolean; factors: readonly FactorPart[] } {
  const long = atPromptLength(price, promptTokens)
  const factors = factorsOf(price, served)
  return { price: withFactors(long, factors), isLong: long !== price, factors }
}

/** The highest price that the request may cost, given its prompt tokens. */
export const dearestPrice = <Given extends Ratio>(price: Given, promptTokens: number): Given =>
  withFactors(atPromptLength(price, promptTokens), dearestFactors(price))

function atPromptLength<Given extends Ratio>(price: Given, promptTokens: number): Given {
  const tier = price.long_prompts?.findLast(({ above }) => promptTokens > above)
  return tier === undefined ? price : times(price, tier)
}

const withFactors = <Given extends Ratio>(price: Given, factors: readonly FactorPart[]): Given =>
  factors.reduce(times, price)

function times<Given extends Ratio>(price: Given, { input, output, cached }: Multiples): Given {
  const { kind_ratios, model_ratio, completion_ratio, cache_ratio } = price
  const audioCompletion = kind_ratios?.audio_completion
  return {
    ...price,
    model_ratio: model_ratio * input,
    completion_ratio: (completion_ratio * output) / input,
    cache_ratio: cached === undefined ? cache_ratio : (cache_ratio * cached) / input,
    ...(audioCompletion === undefined
      ? {}
      : { kind_ratios: { ...kind_ratios, audio_completion: (audioCompletion * output) / input } }),
  }
}

/** A service tier counts only as the provider reports it. */
export function factorsOf(price: Featured, served: Served | undefined): readonly FactorPart[] {
  const { tiers, regions } = price
  if (tiers === undefined && regions === undefined) return NO_FACTORS
  const tier = servedTier(price, served?.tier)
  const region = regionFactor(price, served?.region)
  return tier === null && region === null ? NO_FACTORS : [tier ?? [], region ?? []].flat()
}

/** A dearer tier than the request asks for is not charged, because the hold does not cover it. */
function servedTier(price: Featured, name: string | undefined): FactorPart | null {
  const served = tierFactor(price, name)
  if (served === null || !isDearer(served)) return served
  const asked = tierFactor(price, price.asked?.tier)
  if (asked === null || !isDearer(asked)) return null
  return served.input > asked.input || served.output > asked.output ? asked : served
}

const isDearer = ({ input, output }: Multiples) => input > 1 || output > 1

function dearestFactors(price: Ratio): readonly FactorPart[] {
  const { asked, region: address } = price
  if (asked === undefined && address === undefined) return NO_FACTORS
  const tier = tierFactor(price, asked?.tier)
  const region = regionFactor(price, asked?.region)
  return [tier !== null && isDearer(tier) ? tier : [], region ?? []].flat()
}

function tierFactor({ tiers }: Featured, name: string | undefined): FactorPart | null {
  if (tiers === undefined || name === undefined || !Object.hasOwn(tiers, name)) return null
  const { input, output, cached } = tiers[name] ?? UNCHANGED
  return { kind: 'tier', name, input, output, ...(cached === undefined ? {} : { cached }) }
}

const UNCHANGED: Multiples = { input: 1, output: 1 }

/** The region of the channel's address precedes what the answer says. */
function regionFactor(price: Featured, served: string | undefined): FactorPart | null {
  const { region: address, regions } = price
  if (regions === undefined) return null
  const name = address ?? served
  if (name === undefined) return null
  const known = Object.hasOwn(regions, name) ? regions[name] : undefined
  const factor = known ?? (address === undefined ? undefined : regions[ANY_REGION])
  if (factor === undefined || factor === 1) return null
  return { kind: 'region', name, input: factor, output: factor }
}

/** Whether the price says what the asked service tier and region cost. */
export function hasFactors(price: Ratio, { tier, region }: Asked): boolean {
  const { tiers = {}, regions = {}, region: address } = price
  const knowsTier = tier === undefined || Object.hasOwn(tiers, tier)
  return (
    knowsTier && (region === undefined || address !== undefined || Object.hasOwn(regions, region))
  )
}

/** OpenAI's addresses of regions: https://developers.openai.com/api/docs/guides/data-residency */
const REGIONAL_HOST = /^https:\/\/([a-z]{2})\.api\.openai\.com(?:[/:]|$)/i

export const regionOfAddress = (address: string): string | undefined =>
  REGIONAL_HOST.exec(address)?.[1]?.toLowerCase()
