import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { chargeBasisSchema, OPTIONS, QUOTA_MAX, type TokenUsage } from '@tollgate/contract'
import { builtInPricesAt } from '@tollgate/contract/prices'
import { usageOf } from '../../testing/ledger/sample-usage.ts'
import { findPrice, groupRatioOf, type PriceOptions } from './find-price.ts'
import { basisOf, costOf, recomputeCost, worstCase } from './price.ts'
import { NO_OWN_PRICES } from './provider-cost.ts'

const options: PriceOptions = {
  ...NO_OWN_PRICES,
  DefaultModelRatio: OPTIONS.DefaultModelRatio.default,
  prices: builtInPricesAt(Date.parse('2026-11-27T08:00:00Z')).prices,
}

const find = (requested: string, mapped = requested, changes: Partial<PriceOptions> = {}) =>
  findPrice({ requested, mapped, options: { ...options, ...changes } })

const plain = { model_ratio: 1, completion_ratio: 1, cache_ratio: 1, cache_write_ratio: 1 }

describe('finding a price', () => {
  test('the requested model has precedence over the mapped one, whatever the mapping', () => {
    const own = { ModelRatio: { mine: 2, theirs: 9 } }
    expect(find('mine', 'theirs', own)).toMatchObject({ price_model: 'mine', model_ratio: 2 })
    expect(find('alias', 'theirs', own)).toMatchObject({ price_model: 'theirs', model_ratio: 9 })
  })

  test("an operator's rows have precedence over the built-in table, for each ratio", () => {
    const built = find('gpt-4o')
    expect(built).toMatchObject({ model_ratio: 1.25, completion_ratio: 4, cache_ratio: 0.5 })
    const free = find('gpt-4o', 'gpt-4o', { ModelRatio: { 'gpt-4o': 0 } })
    expect(free).toMatchObject({ model_ratio: 0 })
    const changed = find('gpt-4o', 'gpt-4o', { CompletionRatio: { 'gpt-4o': 7 } })
    expect(changed).toEqual({
      ...built,
      completion_ratio: 7,
      price_version: `${built?.price_version}+options`,
    })
  })

  test('a model without a price costs the default ratio, or is refused if that is empty', () => {
    expect(find('no-such-model')).toEqual({
      price_model: 'no-such-model',
      price_version: 'default',
      model_ratio: 30,
      completion_ratio: 1,
      cache_ratio: 1,
      cache_write_ratio: 1,
    })
    expect(find('no-such-model', 'none', { DefaultModelRatio: null })).toBeNull()
    expect(find('no-such-model', 'none', { DefaultModelRatio: 0 })).toMatchObject({
      model_ratio: 0,
    })
  })

  test('names of object members are not models', () => {
    expect(find('constructor')).toMatchObject({ price_version: 'default', completion_ratio: 1 })
    expect(find('__proto__')).toMatchObject({ price_version: 'default' })
    expect(groupRatioOf('toString', { GroupRatio: { default: 2 } })).toBe(1)
  })

  test.each([
    ['gpt-4-turbo-later', 3],
    ['gpt-4-later', 2],
    ['gpt-4o-later', 4],
    ['gpt-3.5-later-0125', 3],
    ['gpt-3.5-later-1106', 2],
    ['o1-later', 4],
    ['o3-later', 4],
    ['claude-3-later', 5],
    ['claude-later', 3],
    ['mistral-later', 3],
    ['gemini-later', 3],
    ['deepseek-later', 2],
    ['llama3-70b-8192', 0.79 / 0.59],
    ['grok-beta', 3],
  ])('output of %s costs %f times its input if no table has it', (model, ratio) => {
    expect(find(model, model, { ModelRatio: { [model]: 1 } })?.completion_ratio).toBe(ratio)
  })
})

describe('the cost', () => {
  test('for cached, written, other prompt and completion tokens follows the formula, rounded up once', () => {
    const cached = { cachedTokens: 400, cacheWriteTokens: 100, reasoningTokens: 20 }
    const ratios = { model_ratio: 1.5, completion_ratio: 5, cache_ratio: 0.1 }
    const price = { ...ratios, cache_write_ratio: 1.25 }
    // (500 + 400 × 0.1 + 100 × 1.25 + 50 × 5) × 1.5 × 1.1 = 1509.75
    expect(costOf({ ...usageOf(1000, 50), ...cached }, price, 1.1)).toBe(1510)
  })

  test('is the sum over the kinds, each at its own ratio if the model has one', () => {
    const used: TokenUsage = {
      ...usageOf(1000, 300),
      cachedTokens: 400,
      kinds: [
        { kind: 'audio_prompt', tokens: 100 },
        { kind: 'image_prompt', tokens: 50 },
        { kind: 'audio_completion', tokens: 200 },
      ],
    }
    const text = { ...plain, cache_ratio: 0.1, completion_ratio: 4 }
    // 600 + 400 × 0.1 + 300 × 4
    expect(costOf(used, text, 1)).toBe(1840)
    const kind_ratios = { audio_prompt: 8, audio_completion: 16 }
    // 500 + 400 × 0.1 + 100 × 8 + 100 × 4 + 200 × 16
    expect(costOf(used, { ...text, kind_ratios }, 1)).toBe(4940)
    const price = { ...text, kind_ratios, price_model: 'm', price_version: 'v' }
    const basis = basisOf({
      usage: used,
      usageSource: 'reported',
      price,
      group: 'default',
      groupRatio: 1,
      held: 0,
    })
    expect(basis).toMatchObject({
      cost: 4940,
      kinds: [
        { kind: 'audio_prompt', tokens: 100, ratio: 8 },
        { kind: 'audio_completion', tokens: 200, ratio: 16 },
      ],
    })
    expect(basis).not.toHaveProperty('kind_ratios')
  })

  test('is higher for a long prompt, including its output', () => {
    const price = find('gpt-5.4')
    if (price === null) throw new Error('no price')
    const input = { usageSource: 'reported', group: 'default', groupRatio: 1, held: 0 } as const
    const at = (tokens: number) => basisOf({ ...input, price, usage: usageOf(tokens, 1000) })
    // $2.50 and $15 per million up to 272,000 tokens; above that, 2 and 1.5 times as much.
    expect(at(272_000)).toMatchObject({ cost: 347_500, model_ratio: 1.25, completion_ratio: 6 })
    const long = at(272_001)
    expect(long).toMatchObject({
      cost: 691_253,
      model_ratio: 2.5,
      completion_ratio: 4.5,
      price_version: `${price.price_version}+long`,
    })
    expect(recomputeCost(long)).toBe(long.cost)
    const used = usageOf(272_001, 1000)
    expect(costOf(used, price, 1)).toBe(long.cost)
    const limits = { promptTokens: 272_001, outputTokens: 1000, choices: 1 }
    expect(worstCase({ ...limits, price, groupRatio: 1 })).toBeGreaterThanOrEqual(long.cost)
    const rescued = [{ price: { ...price, price_model: 'another' }, completionTokens: 10 }]
    expect(basisOf({ ...input, price, usage: used, failoverParts: rescued })).toMatchObject({
      cost: long.cost + Math.ceil(10 * 2.5 * 4.5) - 1,
      rescued: [{ completion_ratio: 4.5, price_version: `${price.price_version}+long` }],
    })
    const own = { ModelRatio: { 'gpt-5.4': 1.25 } }
    expect(find('gpt-5.4', 'gpt-5.4', own)).not.toHaveProperty('long_prompts')
  })

  test("uses the table's kinds of a model, overridden by the operator", () => {
    expect(find('gpt-4o')).not.toHaveProperty('kind_ratios')
    expect(find('gpt-realtime')?.kind_ratios).toMatchObject({ audio_prompt: 8 })
    const own = { AudioRatio: { 'gpt-realtime': 3 }, ImageRatio: { 'gpt-4o': 2 } }
    expect(find('gpt-realtime', 'gpt-realtime', own)?.kind_ratios).toMatchObject({
      audio_prompt: 3,
      audio_completion: 16,
    })
    expect(find('gpt-4o', 'gpt-4o', own)).toMatchObject({
      kind_ratios: { image_prompt: 2 },
      price_version: expect.stringContaining('+options'),
    })
  })

  test.each([
    [10, 0.1, 1],
    [100, 0.07, 7],
    [1_000_000, 0.000_001, 1],
    [3, 1 / 3, 1],
    [30, 1.1, 33],
  ])('for %d tokens at %f is exactly %d, without a rounding error', (tokens, ratio, cost) => {
    expect(costOf(usageOf(tokens), { ...plain, model_ratio: ratio }, 1)).toBe(cost)
    expect(costOf(usageOf(tokens), plain, ratio)).toBe(cost)
  })

  test('for anything with a price is at least 1, at most the maximum, and for nothing 0', () => {
    const dear = { ...plain, model_ratio: 1_000_000 }
    expect(costOf(usageOf(2 ** 31), dear, 1_000_000)).toBe(QUOTA_MAX)
    expect(costOf(usageOf(1), { ...plain, model_ratio: 0.001 }, 1)).toBe(1)
    expect(costOf(usageOf(0), plain, 1)).toBe(0)
    expect(costOf(usageOf(100), { ...plain, model_ratio: 0 }, 1)).toBe(0)
    expect(costOf(usageOf(100), plain, 0)).toBe(0)
  })

  test.each([-1, 1.5, Number.NaN, 2 ** 60])('refuses %d tokens', (tokens) => {
    expect(() => costOf(usageOf(tokens), plain, 1)).toThrow(RangeError)
  })
})

const ratio = fc.oneof(
  fc.constantFrom(0, 0.1, 0.3, 0.55, 1, 1.1, 2.19 / 0.55, 1_000_000),
  fc.double({ min: 0, max: 1_000_000, noNaN: true }),
)
const kindRatios = fc.record(
  { audio_prompt: ratio, image_prompt: ratio, audio_completion: ratio, long_cache_write: ratio },
  { requiredKeys: [] },
)
const price = fc.record({
  price_model: fc.constant('m'),
  price_version: fc.constant('v'),
  model_ratio: ratio,
  completion_ratio: ratio,
  cache_ratio: ratio,
  cache_write_ratio: ratio,
  kind_ratios: kindRatios,
})
const longPrompts = fc.array(
  fc.record(
    {
      above: fc.nat(1_000_000),
      input: fc.integer({ min: 1, max: 5 }),
      output: fc.integer({ min: 1, max: 5 }),
      cached: fc.integer({ min: 1, max: 5 }),
    },
    { requiredKeys: ['above', 'input', 'output'] },
  ),
  { maxLength: 3 },
)
const usage = fc
  .record({
    cachedTokens: fc.nat(1_000_000),
    cacheWriteTokens: fc.nat(1_000_000),
    plain: fc.nat(1_000_000),
    said: fc.nat(1_000_000),
    audio: fc.nat(1000),
    image: fc.nat(1000),
    speech: fc.nat(1000),
    long: fc.nat(1000),
  })
  .map(({ plain: rest, said, audio, image, speech, long, ...tokens }): TokenUsage => ({
    ...tokens,
    promptTokens: rest + audio + image + tokens.cachedTokens + tokens.cacheWriteTokens,
    completionTokens: said + speech,
    reasoningTokens: 0,
    kinds: [
      { kind: 'audio_prompt', tokens: audio },
      { kind: 'image_prompt', tokens: image },
      { kind: 'audio_completion', tokens: speech },
      { kind: 'long_cache_write', tokens: Math.min(long, tokens.cacheWriteTokens) },
    ],
  }))

describe('for any usage and price', () => {
  test('the cost is an amount of quota', () => {
    fc.assert(
      fc.property(usage, price, ratio, (used, prices, group) => {
        const cost = costOf(used, prices, group)
        expect(Number.isInteger(cost) && cost >= 0 && cost <= QUOTA_MAX).toBe(true)
      }),
    )
  })

  test('more tokens never cost less', () => {
    fc.assert(
      fc.property(usage, price, ratio, fc.nat(1000), (used, prices, group, more) => {
        const cost = costOf(used, prices, group)
        const answered = { ...used, completionTokens: used.completionTokens + more }
        const asked = { ...used, promptTokens: used.promptTokens + more }
        expect(costOf(answered, prices, group)).toBeGreaterThanOrEqual(cost)
        expect(costOf(asked, prices, group)).toBeGreaterThanOrEqual(cost)
      }),
    )
  })

  test('the worst case covers it', () => {
    fc.assert(
      fc.property(
        usage,
        fc.tuple(price, longPrompts).map(([short, long_prompts]) => ({ ...short, long_prompts })),
        ratio,
        fc.integer({ min: 1, max: 8 }),
        (used, prices, group, n) => {
          const most = worstCase({
            promptTokens: used.promptTokens,
            outputTokens: Math.ceil(used.completionTokens / n),
            choices: n,
            price: prices,
            groupRatio: group,
          })
          expect(most).toBeGreaterThanOrEqual(costOf(used, prices, group))
        },
      ),
    )
  })

  const rescued = fc.array(fc.record({ price, completionTokens: fc.nat(1_000_000) }), {
    maxLength: 3,
  })
  const basisFor = (input: Pick<Parameters<typeof basisOf>[0], 'usage' | 'price' | 'groupRatio'>) =>
    ({ ...input, usageSource: 'counted', group: 'default', held: 0 }) as const

  test('a charge and a worst case are those of exact arithmetic', () => {
    const decimal = fc.integer({ min: 0, max: 10_000_000 }).map((number) => number / 1_000_000)
    const usual = fc.record({ model_ratio: decimal, completion_ratio: decimal })
    fc.assert(
      fc.property(usage, price, usual, fc.oneof(ratio, decimal), (used, any, ratios, group) => {
        for (const prices of [any, { ...any, ...ratios }]) {
          const charged = basisOf(basisFor({ usage: used, price: prices, groupRatio: group })).cost
          expect(charged).toBe(costOf(used, prices, group))
        }
        const { promptTokens, completionTokens: outputTokens } = used
        const prices = { ...plain, ...ratios, price_model: 'm', price_version: 'v' }
        const bounds = { promptTokens, outputTokens, choices: 1, price: prices, groupRatio: group }
        expect(worstCase(bounds)).toBe(costOf(usageOf(promptTokens, outputTokens), prices, group))
      }),
      { numRuns: 2000 },
    )
  })

  test('an answer of several attempts at one price costs what one attempt would have', () => {
    fc.assert(
      fc.property(usage, price, ratio, fc.array(fc.nat(1000)), (used, prices, groupRatio, more) => {
        const input = basisFor({ usage: used, price: prices, groupRatio })
        const parts = more.map((completionTokens) => ({ price: prices, completionTokens }))
        const basis = basisOf({ ...input, failoverParts: parts })
        const completionTokens = more.reduce((sum, tokens) => sum + tokens, used.completionTokens)
        expect(basis).toEqual(basisOf({ ...input, usage: { ...used, completionTokens } }))
      }),
    )
  })

  test('attempts at several prices are added up before anything is rounded', () => {
    const own = { price_version: 'v', model_ratio: 0.5, completion_ratio: 3 }
    const dear = { ...plain, ...own, price_model: 'd' }
    const cheap = { ...dear, price_model: 'c', model_ratio: 0.25, completion_ratio: 1 }
    const basis = basisOf({
      ...basisFor({ usage: usageOf(1, 1), price: dear, groupRatio: 1 }),
      failoverParts: [{ price: cheap, completionTokens: 1 }],
    })
    // 1 × 0.5 + 1 × 3 × 0.5 + 1 × 1 × 0.25; rounded up separately they would be 4.
    expect(basis).toMatchObject({ cost: 3, prompt_tokens: 1, completion_tokens: 2 })
    const rescued = { ...own, price_model: 'c', model_ratio: 0.25, completion_ratio: 1 }
    expect(basis.rescued).toEqual([{ ...rescued, completion_tokens: 1 }])
  })

  test('the stored basis, read back as JSON, gives the same number', () => {
    fc.assert(
      fc.property(usage, price, ratio, rescued, (used, prices, groupRatio, parts) => {
        const basis = basisOf({
          ...basisFor({ usage: used, price: prices, groupRatio }),
          failoverParts: parts,
        })
        const stored = chargeBasisSchema.parse(JSON.parse(JSON.stringify(basis)))
        expect(recomputeCost(stored)).toBe(basis.cost)
      }),
    )
  })
})
