import type { ChargeBasis, TokenKind, ToolCalls } from '@tollgate/contract'
import type { LongPrompt, Multiples } from '@tollgate/contract/prices'

export type Price = Pick<
  ChargeBasis,
  | 'price_model'
  | 'price_version'
  | 'model_ratio'
  | 'completion_ratio'
  | 'cache_ratio'
  | 'cache_write_ratio'
> & {
  /** For token kinds that are priced differently from text; factors of the model ratio. */
  readonly kind_ratios?: KindRatios
  /** From the price list only. An operator's own ratios apply to prompts of any length. */
  readonly long_prompts?: readonly LongPrompt[]
  /** Each request costs as much as `CALL_TOKENS` tokens of input, whatever its own tokens. */
  readonly per_call?: true
  readonly tiers?: Readonly<Record<string, Multiples>>
  readonly regions?: Readonly<Record<string, number>>
  /** The region in the channel's address. */
  readonly region?: string
  /** Quota units of a call, by tool. */
  readonly tools?: Readonly<Record<string, number>>
  /** What the request asks for in addition. Absent for nothing. */
  readonly asked?: Asked
}

/** Features that cost more than the request's tokens. The hold covers them. */
export type Asked = {
  readonly tier?: string
  readonly region?: string
  readonly toolCalls?: readonly ToolCalls[]
}

export type KindRatios = Readonly<Partial<Record<TokenKind, number>>>

export type Ratio = Pick<
  Price,
  | 'model_ratio'
  | 'completion_ratio'
  | 'cache_ratio'
  | 'cache_write_ratio'
  | 'kind_ratios'
  | 'long_prompts'
  | 'per_call'
  | 'tiers'
  | 'regions'
  | 'region'
  | 'tools'
  | 'asked'
>
