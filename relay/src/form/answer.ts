import type { Served } from '@tollgate/contract'
import type { JsonRecord } from '../bytes/json-value.ts'
import type { AnswerHead, Citation, OutputItem, Seal } from './events.ts'

/** A whole answer, whatever the API of its provider and of its client. */
export type Answer = {
  readonly head: AnswerHead
  /** At least one. */
  readonly choices: readonly AnswerChoice[]
  /** In OpenAI's format; null if the provider reports none. */
  readonly usage: JsonRecord | null
}

export type AnswerChoice = {
  /** In the order of a stream. Without any text, not even an empty one, the content is null. */
  readonly items: readonly OutputItem[]
  /** As OpenAI or the provider names it. */
  readonly finishReason: string
  /** The stop sequence that ended the choice, if the provider tells it. */
  readonly stopSequence?: string | null
  /** In OpenAI's format; undefined if there are none. */
  readonly logprobs?: unknown
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
  readonly served?: Served | undefined
}

export type MediaTokens = { readonly audio_tokens?: number; readonly image_tokens?: number }

export function joinedText(
  items: readonly OutputItem[],
  type: 'text' | 'reasoning' | 'refusal',
): string {
  let text = ''
  for (const item of items) if (item.type === type) text += item.text
  return text
}

export const sealsIn = (items: readonly OutputItem[], kind: Seal['kind']): unknown[] =>
  items.flatMap((item) =>
    item.type === 'seal' && item.seal.kind === kind ? [item.seal.value] : [],
  )

/** Parts of type `image_url`. */
export const imagesOf = (items: readonly OutputItem[]): unknown[] =>
  items.flatMap((item) => (item.type === 'image' ? [item.image] : []))

export const citationsIn = (items: readonly OutputItem[]): Citation[] =>
  items.flatMap((item) => (item.type === 'citations' ? item.citations : []))

/** The answer of a chat, or bytes in OpenAI's format: embeddings, chat completions, a failure. */
export type Decoded = Answer | Buffer
