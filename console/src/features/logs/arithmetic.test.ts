import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ChargeBasis } from '@tollgate/contract'
import { failoverParts, productOf, sumOf, lineItemsOf, toolParts } from './arithmetic.ts'

const basis: ChargeBasis = {
  price_model: 'gpt-4o',
  price_version: '17',
  model_ratio: 1.25,
  completion_ratio: 4,
  cache_ratio: 0.5,
  cache_write_ratio: 1,
  group: 'vip',
  group_ratio: 0.8,
  prompt_tokens: 1204,
  cached_tokens: 800,
  cache_write_tokens: 0,
  completion_tokens: 312,
  reasoning_tokens: 0,
  usage_source: 'reported',
  held: 9500,
  cost: 2052,
}

test('shows the lineItems the charge was computed from, and they add up to it', () => {
  const lineItems = lineItemsOf(basis)
  expect(lineItems.map(({ kind, weighted }) => [kind, weighted])).toEqual([
    ['prompt', 404],
    ['cached', 400],
    ['completion', 1248],
  ])
  const exact = sumOf(lineItems) * basis.model_ratio * basis.group_ratio
  expect(Math.ceil(exact)).toBe(basis.cost)
})

test('tokens priced apart from text have a line of their own', () => {
  const kinds = [
    { kind: 'audio_prompt' as const, tokens: 104, ratio: 8 },
    { kind: 'audio_completion' as const, tokens: 12, ratio: 16 },
  ]
  expect(lineItemsOf({ ...basis, kinds }).map(({ kind, weighted }) => [kind, weighted])).toEqual([
    ['prompt', 300],
    ['cached', 400],
    ['completion', 1200],
    ['audio_prompt', 832],
    ['audio_completion', 192],
  ])
  const long = [{ kind: 'long_cache_write' as const, tokens: 30, ratio: 2 }]
  const written = { ...basis, cache_write_tokens: 40, kinds: long }
  expect(lineItemsOf(written).map(({ kind, weighted }) => [kind, weighted])).toEqual([
    ['prompt', 364],
    ['cached', 400],
    ['written', 10],
    ['completion', 1248],
    ['long_cache_write', 60],
  ])
})

test('counts no fresh prompt when more was cached than was sent', () => {
  const lineItems = lineItemsOf({ ...basis, cached_tokens: 2000 })
  expect(lineItems.map(({ kind }) => kind)).toEqual(['cached', 'completion'])
})

test('shows the exact product next to the charge only if it was rounded', () => {
  expect(productOf({ ...basis, cost: 2052 })).toEqual({ exact: 2052, isRounded: false })
  const odd = { ...basis, completion_tokens: 0, cached_tokens: 0, prompt_tokens: 3, cost: 4 }
  expect(productOf({ ...odd, group_ratio: 1 })).toEqual({ exact: 3.75, isRounded: true })
  const thirds = { ...odd, prompt_tokens: 3, model_ratio: 0.1, group_ratio: 10, cost: 3 }
  expect(productOf(thirds).isRounded).toBe(false)
})

test('output of another attempt is a separate line at its own price, and all lines add up', () => {
  const part = {
    price_model: 'other',
    price_version: '17',
    model_ratio: 2,
    completion_ratio: 5,
    completion_tokens: 100,
  }
  const rescued = { ...basis, completion_tokens: 412, rescued: [part], cost: 2052 + 800 }
  expect(lineItemsOf(rescued)).toEqual(lineItemsOf(basis))
  expect(failoverParts(rescued)).toEqual([{ ...part, exact: 800 }])
  expect(productOf(rescued)).toEqual({ exact: 2052, isRounded: false })
})

/** Ratio with at most four decimals, in ten-thousandths. */
const ratio = fc.nat(200_000)
const TEN_THOUSAND = 10_000

test('the lines add up to the charge, for any tokens at any prices', () => {
  const tokens = fc.nat(1_000_000)
  const part = fc.record({ tokens, model: ratio, completion: ratio })
  const ratios = fc.record({
    model: ratio,
    completion: ratio,
    cache: ratio,
    written: ratio,
    group: ratio,
  })
  fc.assert(
    fc.property(
      fc.record({ fresh: tokens, cached: tokens, written: tokens, said: tokens }),
      ratios,
      fc.array(part, { maxLength: 3 }),
      (used, price, parts) => {
        const own =
          BigInt(used.fresh) * BigInt(TEN_THOUSAND) +
          BigInt(used.cached) * BigInt(price.cache) +
          BigInt(used.written) * BigInt(price.written) +
          BigInt(used.said) * BigInt(price.completion)
        const elsewhere = parts.reduce(
          (sum, one) => sum + BigInt(one.tokens) * BigInt(one.completion) * BigInt(one.model),
          0n,
        )
        const unit = BigInt(TEN_THOUSAND) ** 3n
        const exact = (own * BigInt(price.model) + elsewhere) * BigInt(price.group)
        const cost = Number((exact + unit - 1n) / unit)
        const shown: ChargeBasis = {
          ...basis,
          model_ratio: price.model / TEN_THOUSAND,
          completion_ratio: price.completion / TEN_THOUSAND,
          cache_ratio: price.cache / TEN_THOUSAND,
          cache_write_ratio: price.written / TEN_THOUSAND,
          group_ratio: price.group / TEN_THOUSAND,
          prompt_tokens: used.fresh + used.cached + used.written,
          cached_tokens: used.cached,
          cache_write_tokens: used.written,
          completion_tokens: parts.reduce((sum, one) => sum + one.tokens, used.said),
          cost,
          rescued: parts.map((one) => ({
            price_model: 'other',
            price_version: '1',
            model_ratio: one.model / TEN_THOUSAND,
            completion_ratio: one.completion / TEN_THOUSAND,
            completion_tokens: one.tokens,
          })),
        }
        const product = productOf(shown)
        const whole = failoverParts(shown).reduce((sum, one) => sum + one.exact, product.exact)
        const shownSum = Math.round(whole * 1000) / 1000
        expect(Math.abs(shownSum - cost)).toBeLessThanOrEqual(1 + whole * 1e-12)
        expect(product.isRounded).toBe(exact % unit !== 0n && isVisible(exact % unit, unit, whole))
      },
    ),
  )
})

/** Whether the rounding exceeds the floating-point precision of these numbers. */
const isVisible = (rest: bigint, unit: bigint, whole: number) =>
  Number(unit - rest) / Number(unit) >= Math.max(1e-6, whole * 1e-12)

test('calls of tools are charged in addition to the tokens', () => {
  const tools = [{ tool: 'web_search', calls: 2, units: 5000 }]
  const charged = { ...basis, tools, cost: basis.cost + 8000 }
  expect(toolParts(charged)).toMatchObject([{ tool: 'web_search', exact: 8000 }])
  expect(productOf(charged)).toMatchObject({ exact: 2052, isRounded: false })
})
