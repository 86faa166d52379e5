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
  thoughtsBesideLimit,
  type TokenKind,
  type Usage,
} from '@tollgate/relay'
import type { RelayContext } from '../context.ts'
import type { Counting } from './counting.ts'
import { outputWithoutLimit } from './hold-amount.ts'
import type { PricedTarget } from './terms.ts'

/*
 * A provider's report is charged where it can be of its request: nobody shall pay for one that cannot. All bounds are
 * far above what honest providers report, who are never to be doubted.
 */

/**
 * Prompt tokens beyond those of the request: the frame around a chat, and texts that vendors put before every prompt
 * (xAI's Grok 4: some 700).
 */
const EXTRA_PROMPT_TOKENS = 1024
/**
 * The same beside tools. Anthropic's page on tool use has 346 tokens for using any, 245 for bash, 700 for the text
 * editor and 735 for the computer: 2026 in all.
 */
const EXTRA_TOOL_TOKENS = 2048
/** A token of a prompt has about four bytes: twice as many tokens as that are believed without counting. */
const BYTES_PER_TOKEN_LEAST = 2
/** How many times as many tokens as are counted here another count may have: of OpenAI's models, and of others. */
const COUNT_FACTOR = { exact: 2, average: 3 } as const
/** The window of models that no list knows: that of the largest that one does. */
const WINDOW_TOKENS_MOST = 2_097_152
/** Above a limit that is heeded: the ends of turns, and the frames of calls. */
const OUTPUT_SLACK = 256
/** Of a task, whose client cannot limit them: the most that Gemini's models think (`thinkingBudget`, Google 2026). */
const TASK_THOUGHTS_MOST = 32_768

/** The most tokens that a request can have cost, in all its answers. */
export type UsageBounds = {
  readonly promptTokens: number
  /** Of output, thoughts included, where the vendor's limit is for both. */
  readonly writtenTokens: number
  /** Of output beyond that: thoughts beside the limit, and what was delivered where there is none. */
  readonly beyondLimit: (usage: Usage) => number
  readonly reasons: () => boolean
  /** What is not text is among what was sent, asked for, or delivered. */
  readonly has: (kind: TokenKind) => boolean
}

/** Whether no part of a report is beyond these bounds. */
export function isWithin(usage: Usage, most: UsageBounds): boolean {
  const { promptTokens, completionTokens, reasoningTokens, kinds = [] } = usage
  if (promptTokens > most.promptTokens) return false
  if (reasoningTokens > OUTPUT_SLACK && !most.reasons()) return false
  if (!kinds.every(({ kind }) => most.has(kind))) return false
  const beyond = completionTokens - most.writtenTokens
  return beyond <= 0 || beyond <= most.beyondLimit(usage)
}

export const NOTHING_BEYOND = () => 0

/** `outputLimit` is that of each answer. */
export const writtenMost = (outputLimit: number, choices = 1): number =>
  (outputLimit + OUTPUT_SLACK) * choices

/** What a provider has in front of every prompt, tools or not. */
export const promptMost = (promptTokens: number): number => promptTokens + EXTRA_PROMPT_TOKENS

/** What shows of an answer. */
export type Shown = {
  /** No output that shows has more tokens than that. */
  readonly outputBytes: number
  readonly hasSpeech: boolean
}

type BoundsJob = Pick<RelayContext, 'asked' | 'authorization' | 'terms'>

/** Of one answer: whether what its provider reports can be of its request. */
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

  /** Whether a report can be of the request; a promise where the prompt has to be counted first. */
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
        // They are shown by all vendors that do so.
        return Math.min(choices * thoughts, reasoningTokens, this.#shown.outputBytes)
      },
      reasons: () => mayReason(asked, upstreamModel),
      has: (kind) =>
        (kind === 'audio_completion' && this.#shown.hasSpeech) ||
        hasKind(asked, kind, this.#isOpen),
    }
  }

  /** No token is less than a byte. */
  get #promptTokens(): number {
    const { promptTokensUpperBound } = this.#asked
    if (!this.#isOpen) return this.#readings * this.#textBytes + this.#mediaTokens + this.#extra
    return Math.max(promptTokensUpperBound, windowOf(this.#target)) + this.#extra
  }

  get #uncountedMost(): number {
    return this.#textBytes / BYTES_PER_TOKEN_LEAST + this.#mediaTokens + this.#extra
  }

  /** What is summed up first is read for that, and again for the answer. */
  get #readings(): number {
    return this.#asked.sumsUp === true ? 2 : 1
  }

  get #textBytes(): number {
    return this.#asked.textBytesUpperBound ?? this.#asked.promptTokensUpperBound
  }

  /** The model that answers may make more of an image than the one that the client named. */
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
    // It is in the prompt too, and not counted.
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

/** Files, and what a provider's own tools or its knowledge base find, are as long as the provider says. */
const addsToPrompt = (
  { hasFiles = false, unpriced = null }: RelayRequest,
  { channel }: PricedTarget,
): boolean => hasFiles || unpriced !== null || channel.descriptor.addsToPrompt === true

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
