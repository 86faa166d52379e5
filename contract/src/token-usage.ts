import type { ChargeBasis, KindPart } from './log.ts'

export type TokenKind = KindPart['kind']

/** Cached and written tokens are part of the prompt; reasoning is part of the completion. */
export type TokenUsage = {
  readonly promptTokens: number
  readonly cachedTokens: number
  readonly cacheWriteTokens: number
  readonly completionTokens: number
  readonly reasoningTokens: number
  /**
   * Prompt kinds exclude cached and written tokens. `audio_completion` is part of the completion.
   * `long_cache_write` is the part of the written tokens that is cached for an hour instead of
   * minutes. Absent for none.
   */
  readonly kinds?: readonly { readonly kind: TokenKind; readonly tokens: number }[]
  /** What was measured instead of tokens; `promptTokens` is its token equivalent. */
  readonly measured?: NonNullable<ChargeBasis['measured']>
  /** What the provider says that the answer cost, in nano-dollars. */
  readonly reportedCost?: number
}

/** Calls of a tool that the provider runs and bills by the call. */
export type ToolCalls = { readonly tool: string; readonly calls: number }

/** What a provider says about how it served an answer, apart from its tokens. */
export type Served = {
  /** The service tier in lower case, such as `flex`, `priority` and `fast`. */
  readonly tier?: string
  /** Where the answer was made, such as `us`. */
  readonly region?: string
  readonly toolCalls?: readonly ToolCalls[]
}
