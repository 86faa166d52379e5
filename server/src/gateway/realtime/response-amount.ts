import type { OptionValues } from '@tollgate/contract'
import { NO_TOKENS, NO_USAGE, usesHiddenReasoning, type Tokens, type Usage } from '@tollgate/relay'
import type { Price } from '../../domain/price.ts'
import type { HoldAmount } from '../../ledger/ledger.ts'
import { type CalledModel, holdAmount, type Writer } from '../billing/hold-amount.ts'

export type Forecast = {
  /** Upper bound of the prompt. */
  readonly prompt: Tokens
  /**
   * Text tokens of the prompt the provider has reported; the rest of the text is counted in bytes.
   */
  readonly reportedText: number
  /** Whether the response may be audio. */
  readonly mayBeAudio: boolean
  /** Infinity if only the model limits the output. */
  readonly outputLimit: number
}

export const EMPTY_FORECAST: Forecast = {
  prompt: NO_TOKENS,
  reportedText: 0,
  mayBeAudio: true,
  outputLimit: Infinity,
}

/**
 * Converts a prompt to text tokens weighted by the price of each kind. The returned price keeps
 * only the ratio a response of this kind can use.
 */
export function weighPrompt(
  { kind_ratios = {}, ...plain }: Price,
  { prompt, mayBeAudio }: Pick<Forecast, 'prompt' | 'mayBeAudio'>,
): { promptTokens: number; price: Price } {
  const { audio_prompt = 1, image_prompt = 1, audio_completion } = kind_ratios
  const { text, audio, image } = prompt
  const promptTokens = Math.ceil(text + audio * audio_prompt + image * image_prompt)
  const isDearer = mayBeAudio && audio_completion !== undefined
  return { promptTokens, price: isDearer ? { ...plain, kind_ratios: { audio_completion } } : plain }
}

/** Tokens held ahead of a metered output; null for models with hidden reasoning. */
export const headroomOf = (
  { modelNames, channel }: Pick<CalledModel, 'modelNames' | 'channel'>,
  { StreamHoldTokens }: Pick<OptionValues, 'StreamHoldTokens'>,
): number | null =>
  usesHiddenReasoning(modelNames, channel.overrides.cardOf) ? null : StreamHoldTokens

type Pricing = {
  readonly targets: readonly (CalledModel & Writer)[]
  readonly groupRatio: number
  readonly options: Pick<OptionValues, 'StreamHoldTokens' | 'PreConsumedQuota'>
}

/** The hold for a response: enough for the most expensive channel. */
export function responseAmount(
  { targets, groupRatio, options }: Pricing,
  forecast: Forecast,
): HoldAmount {
  const amounts = targets.map((target) => {
    const { promptTokens, price } = weighPrompt(target.price, forecast)
    const outputTokensMax = Math.min(forecast.outputLimit, target.outputTokensMax)
    const headroomTokens = headroomOf(target, options)
    // A response that begins by itself cannot be given a smaller limit: its whole output is held or
    // it is refused.
    const outputLimit = headroomTokens === null ? outputTokensMax : null
    return holdAmount(
      { promptTokens, outputLimit, minOutputLimit: null, choices: 1, headroomTokens },
      {
        writers: [{ price, outputTokensMax }],
        groupRatio,
        extraTokens: options.PreConsumedQuota,
      },
    )
  })
  return {
    min: Math.max(...amounts.map(({ min }) => min)),
    max: Math.max(...amounts.map(({ max }) => max)),
  }
}

/** Tokens counted by the gateway, in the form of a provider's report. */
export const usageOfTokens = (prompt: Tokens, output: { text: number; audio: number }): Usage => ({
  ...NO_USAGE,
  promptTokens: prompt.text + prompt.audio + prompt.image,
  completionTokens: output.text + output.audio,
  kinds: [
    { kind: 'audio_prompt' as const, tokens: prompt.audio },
    { kind: 'image_prompt' as const, tokens: prompt.image },
    { kind: 'audio_completion' as const, tokens: output.audio },
  ].filter(({ tokens }) => tokens > 0),
})
