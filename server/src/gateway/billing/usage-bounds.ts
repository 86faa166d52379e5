import type { TokenKind } from '@tollgate/contract'
import {
  countPrompt,
  countsExactly,
  FILE_TOKENS_MOST,
  IMAGE_TOKENS_MOST_FINE,
  imageTokensMost,
  contextWindow,
  mayReason,
  maxOutputTokens,
  type RelayRequest,
  searchesByItself,
  thoughtsBesideLimit,
  type Usage,
} from '@tollgate/relay'
import type { RelayContext } from '../context.ts'
import type { Counting } from './counting.ts'
import { outputWithoutLimit } from './hold-amount.ts'
import type { PricedTarget } from './terms.ts'

/*
 * A provider's usage report is charged if it is plausible for its request; nobody pays for one that
 * is not. All bounds are far above what honest providers report, so that honest reports are never
 * rejected.
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
const BYTES_PER_TOKEN_LEAST = 2
/**
 * Accepted ratio of reported to counted tokens: `exact` for OpenAI's models, `average` for others.
 */
const COUNT_FACTOR = { exact: 2, average: 3 } as const
/** Context window of unknown models: that of the largest known model. */
const WINDOW_TOKENS_MOST = 2_097_152
/** Upper bound of the rounds of Anthropic's own tools in one answer; it pauses longer answers. */
const SERVER_TOOL_ROUNDS_MOST = 10
/** Tokens above an enforced limit: ends of turns, and frames of tool calls. */
const OUTPUT_SLACK = 256
/**
 * Upper bound of a task's reasoning tokens, which its client cannot limit: the maximum of Gemini's
 * models (`thinkingBudget`, Google 2026).
 */
const TASK_THOUGHTS_MOST = 32_768

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
  readonly reasons: () => boolean
  /** Whether non-text tokens of this kind were sent, requested or delivered. */
  readonly has: (kind: TokenKind) => boolean
}

/** Whether every part of a report is within the bounds. */
export function isWithin(usage: Usage, most: UsageBounds): boolean {
  const { promptTokens, completionTokens, reasoningTokens, kinds = [] } = usage
  if (promptTokens > most.promptTokens) return false
  if (reasoningTokens > OUTPUT_SLACK && !most.reasons()) return false
  if (!kinds.every(({ kind }) => most.has(kind))) return false
  const beyond = completionTokens - most.writtenTokens
  return beyond <= 0 || beyond <= most.beyondLimit(usage)
}

export const NOTHING_BEYOND = () => 0

/** `outputLimit` is per choice. */
export const writtenMost = (outputLimit: number, choices = 1): number =>
  (outputLimit + OUTPUT_SLACK) * choices

/** Adds what a provider puts before every prompt, with or without tools. */
export const promptMost = (promptTokens: number): number => promptTokens + EXTRA_PROMPT_TOKENS

/** The visible part of an answer. */
export type Shown = {
  /** Upper bound of the tokens of the visible output. */
  readonly outputBytes: number
  readonly hasSpeech: boolean
}

type BoundsJob = Pick<RelayContext, 'asked' | 'authorization' | 'terms'>

/** Judges whether a provider's usage report is plausible for one answer. */
export class Plausibility {
  readonly #asked: RelayRequest
  readonly #target: PricedTarget
  readonly #bounds: UsageBounds
  readonly #shown: Shown
  readonly #isOpen: boolean

  constructor(job: BoundsJob, target: PricedTarget, shown: Shown) {
    const { asked } = job
    this.#asked = asked
    this.#target = target
    this.#shown = shown
    this.#isOpen = addsToPrompt(asked, target)
    this.#bounds = asked.task === undefined ? this.#ofText(job) : ofTask(asked, target)
  }

  /** A promise if the prompt must be counted first. */
  isPlausible(usage: Usage, how: Counting): boolean | Promise<boolean> {
    if (!isWithin(usage, this.#bounds)) return false
    if (this.#isOpen || this.#asked.task !== undefined) return true
    return usage.promptTokens <= this.#uncountedMost || this.#isNearCount(usage, how)
  }

  #ofText({ asked, authorization, terms }: BoundsJob): UsageBounds {
    const target = this.#target
    const { upstreamModel, channel } = target
    const { choices, sumsUp = false, endpoint } = asked
    const isHeeded = channel.descriptor.ignoresOutputLimit !== true && !sumsUp
    const limit =
      endpoint === 'embeddings'
        ? 0
        : (authorization.outputLimit(target) ?? (isHeeded ? asked.outputLimit : null))
    const writtenTokens = writtenMost(limit ?? outputWithoutLimit(target, terms.options), choices)
    const isUnknown = limit === null && maxOutputTokens(upstreamModel) === null
    return {
      promptTokens: this.#promptTokens,
      writtenTokens,
      beyondLimit: ({ reasoningTokens }) => {
        if (isUnknown) return this.#shown.outputBytes - writtenTokens
        if (limit === null || limit === 0) return 0
        const { type } = channel.descriptor
        const thoughts = thoughtsBesideLimit(asked, { model: upstreamModel, type })
        // All providers that do not limit reasoning show it, so its bytes are an upper bound.
        return Math.min(choices * thoughts, reasoningTokens, this.#shown.outputBytes)
      },
      reasons: () => mayReason(asked, upstreamModel),
      has: (kind) =>
        (kind === 'audio_completion' && this.#shown.hasSpeech) ||
        hasKind(asked, kind, this.#isOpen),
    }
  }

  /** Every token has at least one byte. */
  get #promptTokens(): number {
    const { promptTokensUpperBound, hasServerTools = false } = this.#asked
    if (!this.#isOpen) return this.#readings * this.#textBytes + this.#mediaTokens + this.#extra
    const rounds = hasServerTools ? SERVER_TOOL_ROUNDS_MOST : 1
    return Math.max(promptTokensUpperBound, rounds * windowOf(this.#target)) + this.#extra
  }

  get #uncountedMost(): number {
    return this.#textBytes / BYTES_PER_TOKEN_LEAST + this.#mediaTokens + this.#extra
  }

  /** A conversation that is summarized first is read twice: for the summary and for the answer. */
  get #readings(): number {
    return this.#asked.sumsUp === true ? 2 : 1
  }

  get #textBytes(): number {
    return this.#asked.textBytesUpperBound ?? this.#asked.promptTokensUpperBound
  }

  /** The model that answers may use more tokens per image than the model the client named. */
  get #mediaTokens(): number {
    const { mediaTokensUpperBound = 0, imageCount = 0, outline } = this.#asked
    if (imageCount === 0) return mediaTokensUpperBound
    const named = imageTokensMost(outline)
    return (
      mediaTokensUpperBound + imageCount * Math.max(0, imageMostAt(this.#target, outline) - named)
    )
  }

  get #extra(): number {
    const { outline, native } = this.#asked
    const hasTools = [outline['tools'], outline['functions']].some(isFilled)
    const isUnread = (native?.obstacle ?? null) !== null
    return EXTRA_PROMPT_TOKENS + (hasTools || isUnread ? EXTRA_TOOL_TOKENS : 0)
  }

  async #isNearCount({ promptTokens }: Usage, how: Counting): Promise<boolean> {
    const { model } = how
    const counted = await countPrompt(this.#asked, { ...how, onEstimate: () => {} })
    const factor = countsExactly(model) ? COUNT_FACTOR.exact : COUNT_FACTOR.average
    // The response format is in the prompt too, but not in the count.
    const format = Buffer.byteLength(JSON.stringify(this.#asked.json()['response_format'] ?? ''))
    const most = this.#readings * (factor * counted + format) + this.#mediaTokens + this.#extra
    return promptTokens <= most
  }
}

function imageMostAt({ upstreamModel: model }: PricedTarget, outline: RelayRequest['outline']) {
  const isKnown = contextWindow(model) !== null || maxOutputTokens(model) !== null
  return Math.max(imageTokensMost(outline, model), isKnown ? 0 : IMAGE_TOKENS_MOST_FINE)
}

const isFilled = (list: unknown) => Array.isArray(list) && list.length > 0

/**
 * Only the provider knows the length of files, and of what its own tools, knowledge base or web
 * search find.
 */
const addsToPrompt = (
  { hasFiles = false, unpriced = null }: RelayRequest,
  { channel, upstreamModel }: PricedTarget,
): boolean =>
  hasFiles ||
  unpriced !== null ||
  channel.descriptor.addsToPrompt === true ||
  searchesByItself(upstreamModel)

function windowOf({ upstreamModel }: PricedTarget): number {
  const known = contextWindow(upstreamModel)
  if (known !== null) return known
  return maxOutputTokens(upstreamModel) === null ? WINDOW_TOKENS_MOST : FILE_TOKENS_MOST
}

function hasKind(asked: RelayRequest, kind: TokenKind, isOpen: boolean): boolean {
  const { outline, mediaTokensUpperBound = 0, native } = asked
  switch (kind) {
    case 'audio_prompt':
    case 'image_prompt':
      return mediaTokensUpperBound > 0 || isOpen
    case 'audio_completion': {
      const { modalities, audio } = outline
      const isAsked = Array.isArray(modalities) && modalities.includes('audio')
      const isUnread = (native?.obstacle ?? null) !== null
      return isAsked || isUnread || (audio ?? null) !== null
    }
    case 'long_cache_write':
      return true
  }
}

function ofTask(asked: RelayRequest, { upstreamModel }: PricedTarget): UsageBounds {
  const { promptTokensUpperBound, outputLimit } = asked.task?.boundsAt?.(upstreamModel) ?? asked
  return {
    promptTokens: promptMost(promptTokensUpperBound),
    writtenTokens: writtenMost(outputLimit ?? 0),
    beyondLimit: ({ reasoningTokens }) => Math.min(reasoningTokens, TASK_THOUGHTS_MOST),
    reasons: () => mayReason(null, upstreamModel),
    has: () => true,
  }
}
