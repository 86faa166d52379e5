/** The head of an answer, the same in all its events. */
export type AnswerHead = {
  /** The provider's answer id, or the request id if the provider gives none. */
  readonly id: string
  /** Epoch seconds. */
  readonly created: number
  readonly model: string
}

export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

export type ToolCall = {
  readonly id: string
  readonly name: string
  /** JSON, or the text itself for a custom tool. */
  readonly input: string
  readonly isCustom?: boolean
  /** The provider's signature, which goes back with the call; undefined if unsigned. */
  readonly signature?: unknown
}

/** Cached and cache-write tokens are part of the prompt, reasoning tokens of the completion. */
export type ReportedUsage = {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens?: number | undefined
  readonly cacheWriteTokens?: number | undefined
  /** The part of `cacheWriteTokens` that is cached for an hour, which costs more. */
  readonly longCacheWriteTokens?: number | undefined
  readonly reasoningTokens?: number | undefined
  /** Non-text tokens in the prompt, its cached part and the completion. */
  readonly prompt?: MediaTokens | undefined
  readonly cached?: MediaTokens | undefined
  readonly completion?: MediaTokens | undefined
}

export type MediaTokens = { readonly audio_tokens?: number; readonly image_tokens?: number }
