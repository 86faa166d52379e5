import type { OptionValues } from '@tollgate/contract'
import { NO_TOKENS, NO_USAGE, usesHiddenReasoning, type Tokens, type Usage } from '@tollgate/relay'
import type { Price } from '../../domain/price.ts'
import type { HoldAmount } from '../../ledger/ledger.ts'
import { holdAmount, outputWithoutLimit } from '../billing/hold-amount.ts'
import type { PricedTarget } from '../billing/terms.ts'

/** What is known of a response before it begins. */
export type Forecast = {
  /** No prompt has more. */
  readonly prompt: Tokens
  /** Of its text so many tokens are known; the others are bytes. */
  readonly reportedText: number
  /** Whether it may be audio. */
  readonly speaks: boolean
  /** Infinite for as much as the model can. */
  readonly outputLimit: number
}

export const EMPTY_FORECAST: Forecast = {
  prompt: NO_TOKENS,
  reportedText: 0,
  speaks: true,
  outputLimit: Infinity,
}

/**
 * A prompt in tokens of text, each kind at what it costs beside text; and a price in which only what such a
 * response can be made of has a part.
 */
export function weigh(
  { kind_ratios = {}, ...plain }: Price,
  { prompt, speaks }: Pick<Forecast, 'prompt' | 'speaks'>,
): { promptTokens: number; price: Price } {
  const { audio_prompt = 1, image_prompt = 1, audio_completion } = kind_ratios
  const { text, audio, image } = prompt
  const promptTokens = Math.ceil(text + audio * audio_prompt + image * image_prompt)
  const isDearer = speaks && audio_completion !== undefined
  return { promptTokens, price: isDearer ? { ...plain, kind_ratios: { audio_completion } } : plain }
}

/** What is held ahead of an output that is watched; null where a model thinks unseen. */
export const sliceOf = (
  { modelNames }: Pick<PricedTarget, 'modelNames'>,
  { StreamHoldTokens }: Pick<OptionValues, 'StreamHoldTokens'>,
): number | null => (usesHiddenReasoning(...modelNames) ? null : StreamHoldTokens)

type Pricing = {
  readonly targets: readonly Pick<PricedTarget, 'price' | 'upstreamModel' | 'modelNames'>[]
  readonly groupRatio: number
  readonly options: Pick<OptionValues, 'StreamHoldTokens' | 'DefaultMaxTokens' | 'PreConsumedQuota'>
}

/** What to reserve for a response: enough for the dearest of the channels. */
export function responseAmount(
  { targets, groupRatio, options }: Pricing,
  forecast: Forecast,
): HoldAmount {
  const amounts = targets.map((target) => {
    const { promptTokens, price } = weigh(target.price, forecast)
    const outputTokensMost = Math.min(forecast.outputLimit, outputWithoutLimit(target, options))
    const headroomTokens = sliceOf(target, options)
    // Nothing can be told to end early that begins by itself: all of it is held, or it is refused.
    const outputLimit = headroomTokens === null ? outputTokensMost : null
    return holdAmount(
      { promptTokens, outputLimit, lowest: null, choices: 1, headroomTokens },
      {
        writers: [{ price, outputTokensMost }],
        groupRatio,
        extraTokens: options.PreConsumedQuota,
      },
    )
  })
  return {
    least: Math.max(...amounts.map(({ least }) => least)),
    most: Math.max(...amounts.map(({ most }) => most)),
  }
}

/** Tokens that were counted here, as a provider would report them. */
export const usageOfTokens = (prompt: Tokens, said: { text: number; audio: number }): Usage => ({
  ...NO_USAGE,
  promptTokens: prompt.text + prompt.audio + prompt.image,
  completionTokens: said.text + said.audio,
  kinds: [
    { kind: 'audio_prompt' as const, tokens: prompt.audio },
    { kind: 'image_prompt' as const, tokens: prompt.image },
    { kind: 'audio_completion' as const, tokens: said.audio },
  ].filter(({ tokens }) => tokens > 0),
})
