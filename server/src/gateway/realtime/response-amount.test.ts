import { expect, test } from 'vitest'
import { cardsWith } from '@tollgate/relay'
import type { Price } from '../../domain/price.ts'
import { NO_OVERRIDES } from '../../upstream/channel-overrides.ts'
import { outputWithoutLimit } from '../billing/hold-amount.ts'
import {
  EMPTY_FORECAST,
  headroomOf,
  responseAmount,
  usageOfTokens,
  weighPrompt,
} from './response-amount.ts'

const PRICE: Price = {
  price_model: 'm',
  price_version: 't',
  model_ratio: 2,
  completion_ratio: 4,
  cache_ratio: 0.1,
  cache_write_ratio: 1,
  kind_ratios: { audio_prompt: 8, image_prompt: 1.25, audio_completion: 16 },
}
const options = { StreamHoldTokens: 1000, PreConsumedQuota: 10 }
const prompt = { text: 100, audio: 10, image: 4 }

const target = (model: string, price: Price, overrides = NO_OVERRIDES) => ({
  upstreamModel: model,
  modelNames: [model],
  provider: null,
  channel: { overrides },
  price,
  outputTokensMax: outputWithoutLimit(
    { upstreamModel: model, modelNames: [model], channel: { overrides } },
    { DefaultMaxTokens: 5000 },
  ),
})

const amountFor = (model: string, forecast: object = {}, price = PRICE) =>
  responseAmount(
    { targets: [target(model, price)], groupRatio: 1, options },
    { ...EMPTY_FORECAST, prompt, ...forecast },
  )

test('prompt tokens cost by kind, and a text-only response has no price for audio', () => {
  expect(weighPrompt(PRICE, { prompt, mayBeAudio: true })).toMatchObject({
    promptTokens: 100 + 80 + 5,
    price: { kind_ratios: { audio_completion: 16 } },
  })
  expect(weighPrompt(PRICE, { prompt, mayBeAudio: false }).price.kind_ratios).toBeUndefined()
  const plain = weighPrompt(PRICE, { prompt, mayBeAudio: false }).price
  expect(weighPrompt(plain, { prompt, mayBeAudio: true })).toEqual({
    promptTokens: 114,
    price: plain,
  })
})

test('a streamed output holds a slice, or 256 tokens if the limit is unknown', () => {
  expect(amountFor('gpt-realtime')).toEqual({
    min: (185 + 256 * 16) * 2,
    max: (185 + 10 + 1000 * 16) * 2,
  })
  expect(amountFor('gpt-realtime', { mayBeAudio: false }).max).toBe((185 + 10 + 1000 * 4) * 2)
  expect(amountFor('gpt-realtime', { outputLimit: 100 }).max).toBe((185 + 10 + 100 * 16) * 2)
})

test('hidden reasoning holds the whole output limit', () => {
  const [all, most] = [(185 + 32_000 * 16) * 2, (185 + 10 + 32_000 * 16) * 2]
  for (const model of ['gpt-realtime-2', 'gpt-realtime-2.1-mini']) {
    expect(amountFor(model)).toEqual({ min: all, max: most })
  }
  const named = (185 + 300 * 16) * 2
  expect(amountFor('gpt-realtime-2', { outputLimit: 300 })).toMatchObject({ min: named })
  // A date is not a model version.
  expect(amountFor('gpt-realtime-2025-08-28').max).toBe((185 + 10 + 1000 * 16) * 2)
})

test('a channel may state that reasoning is hidden', () => {
  const cardOf = cardsWith({ '*': { reasoning: { isHidden: true } } })
  const hiding = { ...NO_OVERRIDES, cardOf }
  expect(headroomOf(target('gpt-realtime', PRICE, hiding), options)).toBeNull()
  expect(headroomOf(target('gpt-realtime', PRICE), options)).toBe(1000)
})

test('of several channels, the most expensive one decides', () => {
  const cheap = { ...PRICE, model_ratio: 1 }
  const targets = [cheap, PRICE, cheap].map((price) => target('gpt-realtime', price))
  const amount = responseAmount({ targets, groupRatio: 1, options }, { ...EMPTY_FORECAST, prompt })
  expect(amount).toEqual(amountFor('gpt-realtime'))
})

test('counted tokens have the same kinds as a report', () => {
  expect(usageOfTokens(prompt, { text: 5, audio: 6 })).toEqual({
    promptTokens: 114,
    cachedTokens: 0,
    cacheWriteTokens: 0,
    completionTokens: 11,
    reasoningTokens: 0,
    kinds: [
      { kind: 'audio_prompt', tokens: 10 },
      { kind: 'image_prompt', tokens: 4 },
      { kind: 'audio_completion', tokens: 6 },
    ],
  })
  expect(usageOfTokens({ ...prompt, audio: 0, image: 0 }, { text: 1, audio: 0 }).kinds).toEqual([])
})
