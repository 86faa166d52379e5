import type { TokenKind } from '@tollgate/contract'
import {
  countPrompt,
  countsExactly,
  FILE_TOKENS_MAX,
  FINE_IMAGE_TOKENS_MAX,
  maxImageTokens,
  contextWindow,
  mayReason,
  maxOutputTokens,
  type RelayRequest,
  hasBuiltInSearch,
  reasoningOutsideLimit,
  type Usage,
} from '@tollgate/relay'
import type { RelayContext } from '../context.ts'
import type { TokenCounter } from './counting.ts'
import type { PricedTarget } from './terms.ts'

/*
 * A provider's usage report is charged only if it is plausible for its request. All bounds are far
 * above what honest providers report, so that honest reports are never rejected.
 */

/**
 * Prompt tokens in addition to the request's own: chat formatting, and texts that providers put
 * before every prompt (xAI's Grok 4: some 700).
 */
const EXTRA_PROMPT_TOKENS = 1024
/**
 * Further prompt tokens for tools. Anthropic's page on tool use lists 346 tokens for using any
 * tool, 245 for bash, 700 for the text editor and 735 for the computer: 2026 in all.
 */
const EXTRA_TOOL_TOKENS = 2048
/** A prompt token has about four bytes. Twice as many tokens are accepted without counting. */
const BYTES_PER_TOKEN_MIN = 2
/**
 * Accepted ratio of reported to counted tokens: `exact` for OpenAI's models, `average` for others.
 */
const COUNT_FACTOR = { exact: 2, average: 3 } as const
/** Context window of unknown models: that of the largest known model. */
const WINDOW_TOKENS_MAX = 2_097_152
/** Upper bound of the rounds of Anthropic's own tools in one answer; it pauses longer answers. */
const SERVER_TOOL_ROUNDS_MAX = 10
/** Tokens above an enforced limit: ends of turns, and frames of tool calls. */
const OUTPUT_SLACK = 256
/**
 * Upper bound of a task's reasoning tokens, which its client cannot limit: the maximum of Gemini's
 * models (`thinkingBudget`, Google 2026).
 */
const TASK_REASONING_TOKENS_MAX = 32_768

/** Upper bounds of the tokens of a request, over all its choices. */
export type UsageBounds = {
  readonly promptTokens: number
  /** Output tokens. Include reasoning if the provider's limit covers both. */
  readonly writtenTokens: number
  /**
   * Output tokens in addition: reasoning outside the limit, and visible output if there is no
   * limit.
   */
  readonly beyondLimit: (usage: Usage) => number
  readonly mayReason: () => boolean
  /** Whether non-text tokens of this kind were sent, requested or delivered. */
  readonly mayHaveKind: (kind: TokenKind) => boolean
}

/** Whether every part of a report is within the bounds. */
export function isWithin(usage: Usage, bounds: UsageBounds): boolean {
  const { promptTokens, completionTokens, reasoningTokens, kinds = [] } = usage
  if (promptTokens > bounds.promptTokens) return false
  if (reasoningTokens > OUTPUT_SLACK && !bounds.mayReason()) return false
  if (!kinds.every(({ kind }) => bounds.mayHaveKind(kind))) return false
  const beyond = completionTokens - bounds.writtenTokens
  return beyond <= 0 || beyond <= bounds.beyondLimit(usage)
}

export const NONE_BEYOND_LIMIT = () => 0

/** `outputLimit` is per choice. */
export const maxWrittenTokens = (outputLimit: number, choices = 1): number =>
  (outputLimit + OUTPUT_SLACK) * choices

/** Adds what a provider puts before every prompt, with or without tools. */
export const maxPromptTokens = (promptTokens: number): number => promptTokens + EXTRA_PROMPT_TOKENS

/** The visible part of an answer. */
export type VisibleOutput = {
  /** Upper bound of the tokens of the visible output. */
  readonly outputBytes: number
  readonly hasSpeech: boolean
}

type BoundsContext = Pick<RelayContext, 'parsedRequest' | 'authorization'>

/** Judges whether a provider's usage report is plausible for one answer. */
export class Plausibility {
  readonly #request: RelayRequest
  readonly #target: PricedTarget
  readonly #bounds: UsageBounds
  readonly #isPromptUnbounded: boolean

  constructor(context: BoundsContext, target: PricedTarget, visible: VisibleOutput) {
    const { parsedRequest } = context
    this.#request = parsedRequest
    this.#target = target
    this.#isPromptUnbounded = addsToPrompt(parsedRequest, target)
    this.#bounds =
      parsedRequest.task === undefined
        ? new TextBounds(context, target, {
            promptTokens: this.#promptTokens,
            isPromptUnbounded: this.#isPromptUnbounded,
            visible,
          })
        : taskBounds(parsedRequest, target)
  }

  /** A promise if the prompt must be counted first. */
  isPlausible(
    usage: Usage,
    counting: { readonly counter: TokenCounter },
  ): boolean | Promise<boolean> {
    if (!isWithin(usage, this.#bounds)) return false
    if (this.#isPromptUnbounded || this.#request.task !== undefined) return true
    return usage.promptTokens <= this.#uncountedMax || this.#isNearCount(usage, counting.counter)
  }

  /** Every token has at least one byte. */
  get #promptTokens(): number {
    const { promptTokensUpperBound, hasServerTools = false } = this.#request
    if (!this.#isPromptUnbounded)
      return this.#promptReads * this.#textBytes + this.#mediaTokens + this.#overheadTokens
    const rounds = hasServerTools ? SERVER_TOOL_ROUNDS_MAX : 1
    return Math.max(promptTokensUpperBound, rounds * windowOf(this.#target)) + this.#overheadTokens
  }

  get #uncountedMax(): number {
    return this.#textBytes / BYTES_PER_TOKEN_MIN + this.#mediaTokens + this.#overheadTokens
  }

  /** A conversation that is summarized first is read twice: for the summary and for the answer. */
  get #promptReads(): number {
    return this.#request.mayCompact === true ? 2 : 1
  }

  get #textBytes(): number {
    return this.#request.textBytesUpperBound ?? this.#request.promptTokensUpperBound
  }

  /** The model that answers may use more tokens per image than the model the client named. */
  get #mediaTokens(): number {
    const { mediaTokensUpperBound = 0, imageCount = 0, outline } = this.#request
    if (imageCount === 0) return mediaTokensUpperBound
    const named = maxImageTokens(outline)
    return (
      mediaTokensUpperBound +
      imageCount * Math.max(0, maxImageTokensOf(this.#target, outline) - named)
    )
  }

  get #overheadTokens(): number {
    const { outline, native } = this.#request
    const hasTools = isFilled(outline['tools']) || isFilled(outline['functions'])
    const isUntranslatable = (native?.obstacle ?? null) !== null
    const { promptTokensMax } = this.#target.channel.overrides
    const toolTokens = hasTools || isUntranslatable ? EXTRA_TOOL_TOKENS : 0
    return EXTRA_PROMPT_TOKENS + toolTokens + promptTokensMax
  }

  async #isNearCount({ promptTokens }: Usage, counter: TokenCounter): Promise<boolean> {
    const { model } = counter
    const counted = await countPrompt(this.#request, { ...counter, onEstimate: () => {} })
    const factor = countsExactly(model) ? COUNT_FACTOR.exact : COUNT_FACTOR.average
    // The response format is in the prompt too, but not in the count.
    const format = Buffer.byteLength(JSON.stringify(this.#request.json()['response_format'] ?? ''))
    const max =
      this.#promptReads * (factor * counted + format) + this.#mediaTokens + this.#overheadTokens
    return promptTokens <= max
  }
}

type TextAnswer = {
  readonly promptTokens: number
  readonly isPromptUnbounded: boolean
  readonly visible: VisibleOutput
}

/** A class, because nearly all reports need none of its methods. */
class TextBounds implements UsageBounds {
  readonly promptTokens: number
  readonly writtenTokens: number
  /** Per choice; null if nothing limits the provider. */
  readonly #limit: number | null
  readonly #request: RelayRequest
  readonly #target: PricedTarget
  readonly #answer: TextAnswer

  constructor(
    { parsedRequest, authorization }: BoundsContext,
    target: PricedTarget,
    answer: TextAnswer,
  ) {
    const { choices, mayCompact = false, endpoint, outputLimit } = parsedRequest
    const honorsLimit = !target.ignoresLimit && !mayCompact
    this.#request = parsedRequest
    this.#target = target
    this.#answer = answer
    this.#limit =
      endpoint === 'embeddings'
        ? 0
        : (authorization.outputLimit(target) ?? (honorsLimit ? outputLimit : null))
    this.promptTokens = answer.promptTokens
    this.writtenTokens = maxWrittenTokens(this.#limit ?? target.outputTokensMax, choices)
  }

  beyondLimit({ reasoningTokens }: Usage): number {
    const { upstreamModel: model, channel } = this.#target
    const { outputBytes } = this.#answer.visible
    if (this.#limit === null) {
      const isUnknown = maxOutputTokens(model, channel.overrides.cardOf) === null
      return isUnknown ? outputBytes - this.writtenTokens : 0
    }
    if (this.#limit === 0) return 0
    const { type } = channel.descriptor
    const unlimitedReasoning = reasoningOutsideLimit(this.#request, { model, type })
    // All providers that do not limit reasoning show it, so its bytes are an upper bound.
    return Math.min(this.#request.choices * unlimitedReasoning, reasoningTokens, outputBytes)
  }

  mayReason(): boolean {
    const { upstreamModel, channel } = this.#target
    const { parameters, cardOf } = channel.overrides
    // The channel's parameters may change whether the model reasons.
    return mayReason(parameters === null ? this.#request : null, upstreamModel, cardOf)
  }

  mayHaveKind(kind: TokenKind): boolean {
    const { visible, isPromptUnbounded } = this.#answer
    const hasSpeech = kind === 'audio_completion' && visible.hasSpeech
    return hasSpeech || hasKind(this.#request, kind, isPromptUnbounded)
  }
}

function maxImageTokensOf(
  { upstreamModel: model, channel }: PricedTarget,
  outline: RelayRequest['outline'],
) {
  const { cardOf } = channel.overrides
  const isKnown = contextWindow(model, cardOf) !== null || maxOutputTokens(model, cardOf) !== null
  return Math.max(maxImageTokens(outline, model), isKnown ? 0 : FINE_IMAGE_TOKENS_MAX)
}

const isFilled = (list: unknown) => Array.isArray(list) && list.length > 0

/**
 * Only the provider knows the length of files, and of what its own tools, knowledge base or web
 * search find.
 */
const addsToPrompt = (
  { hasFiles = false, billed = [] }: RelayRequest,
  { channel, upstreamModel }: PricedTarget,
): boolean =>
  hasFiles ||
  billed.some(({ tier, region }) => (tier ?? region) === undefined) ||
  channel.descriptor.addsToPrompt === true ||
  hasBuiltInSearch(upstreamModel)

function windowOf({ upstreamModel, channel }: PricedTarget): number {
  const { cardOf } = channel.overrides
  const known = contextWindow(upstreamModel, cardOf)
  if (known !== null) return known
  return maxOutputTokens(upstreamModel, cardOf) === null ? WINDOW_TOKENS_MAX : FILE_TOKENS_MAX
}

function hasKind(
  parsedRequest: RelayRequest,
  kind: TokenKind,
  isPromptUnbounded: boolean,
): boolean {
  const { outline, mediaTokensUpperBound = 0, native } = parsedRequest
  switch (kind) {
    case 'audio_prompt':
    case 'image_prompt':
      return mediaTokensUpperBound > 0 || isPromptUnbounded
    case 'audio_completion': {
      const { modalities, audio } = outline
      const isRequested = Array.isArray(modalities) && modalities.includes('audio')
      const isUntranslatable = (native?.obstacle ?? null) !== null
      return isRequested || isUntranslatable || (audio ?? null) !== null
    }
    case 'long_cache_write':
      return true
  }
}

function taskBounds(parsedRequest: RelayRequest, { upstreamModel }: PricedTarget): UsageBounds {
  const { promptTokensUpperBound, outputLimit } =
    parsedRequest.task?.boundsFor?.(upstreamModel) ?? parsedRequest
  return {
    promptTokens: maxPromptTokens(promptTokensUpperBound),
    writtenTokens: maxWrittenTokens(outputLimit ?? 0),
    beyondLimit: ({ reasoningTokens }) => Math.min(reasoningTokens, TASK_REASONING_TOKENS_MAX),
    mayReason: () => mayReason(null, upstreamModel),
    mayHaveKind: () => true,
  }
}
