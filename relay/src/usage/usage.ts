import type { TokenKind, TokenUsage } from '@tollgate/contract'
import { isRecord, type JsonRecord, member } from '../bytes/json-value.ts'
import { memoize } from '../bytes/memoize.ts'
import { normalizeModelName } from '../cards/plain-name.ts'
import { reportedCostOf } from './reported-cost.ts'

export type Usage = TokenUsage
export type Measured = NonNullable<Usage['measured']>

export const NO_USAGE: Usage = {
  promptTokens: 0,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
}

/** The sum of two answers that are charged together. Neither may have `measured`. */
export function sumOf(a: Usage, b: Usage): Usage {
  const kinds = new Map<TokenKind, number>()
  for (const { kind, tokens } of [...(a.kinds ?? []), ...(b.kinds ?? [])]) {
    kinds.set(kind, (kinds.get(kind) ?? 0) + tokens)
  }
  return {
    promptTokens: a.promptTokens + b.promptTokens,
    cachedTokens: a.cachedTokens + b.cachedTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    reasoningTokens: a.reasoningTokens + b.reasoningTokens,
    ...(kinds.size === 0 ? {} : { kinds: [...kinds].map(([kind, tokens]) => ({ kind, tokens })) }),
  }
}

/** No model reads or writes more per request. Larger reports are mistakes and are not charged. */
const TOKENS_MAX = 2 ** 24

/** Usage objects nest two levels. Deeper members are taken from the later report. */
const REPORT_DEPTH_MAX = 3

/**
 * Joins two reports of one answer. The last number other than zero counts, member by member, and
 * nothing is added up: some providers end a stream with zeros for what its first event reported
 * (envoyproxy/ai-gateway#1631), others begin it with zeros (sgl-project/sglang#20678).
 */
export function mergeReports(earlier: JsonRecord, later: JsonRecord, depth = 1): JsonRecord {
  const merged: Record<string, unknown> = { ...earlier }
  for (const name of Object.keys(later)) {
    const value = later[name]
    const known = earlier[name]
    if (isRecord(value) && isRecord(known) && depth < REPORT_DEPTH_MAX) {
      merged[name] = mergeReports(known, value, depth + 1)
    } else if (known === undefined || !isBlank(value)) merged[name] = value
  }
  return merged
}

const isBlank = (value: unknown) =>
  value === undefined || value === null || value === 0 || (Array.isArray(value) && !value.length)

/**
 * Models whose reasoning some addresses in OpenAI's form count only in the total, without naming it
 * (mozilla-ai/any-llm#1290, router-for-me/CLIProxyAPI#5744).
 */
const REASONS_IN_TOTAL = /^gemini-(?:2\.5|[3-9]|(?:[a-z]+-)+latest$)/

const reasonsInTotal = memoize((model) => REASONS_IN_TOTAL.test(normalizeModelName(model)))

/**
 * Null for implausible usage, which the gateway then counts itself. Reads the names of chat
 * completions, of the newer endpoints (`input_tokens`, `output_tokens`) and of Realtime. `model` is
 * the provider's name of the model that answered.
 */
export function parseUsage(value: unknown, model = ''): Usage | null {
  const sums = isRecord(value) ? sumsIn(value) : null
  if (!isRecord(value) || sums === null) return null
  const { prompt, completion, total } = sums
  const reasoning = tokenCount(completionDetail(value, 'reasoning_tokens')) ?? 0
  const cached = reportedCache(value)
  const written =
    tokenCount(promptDetail(value, 'cache_write_tokens')) ??
    tokenCount(member(value, 'cache_creation_input_tokens')) ??
    0
  const cache = cached + written
  const surplus = total === null ? 0 : total - prompt - completion
  /*
   * Resellers of Claude exclude its cache from `prompt_tokens` (QuantumNous/new-api#3258). A part
   * is never larger than its prompt. xAI excludes reasoning from `completion_tokens` and names it.
   * Any other surplus of a total has no single meaning.
   */
  const isCacheExcluded =
    cached > prompt || written > prompt || (surplus === cache && cache > prompt)
  const promptTokens = isCacheExcluded ? prompt + cache : prompt
  const rest = surplus - (promptTokens - prompt)
  const isUnnamed = reasoning === 0 && rest > 0 && rest !== cache && reasonsInTotal(model)
  const isReasoning = isUnnamed || (reasoning > 0 && rest === reasoning)
  const completionTokens = isReasoning ? completion + rest : completion
  const cachedTokens = Math.min(cached, promptTokens)
  const cacheWriteTokens = Math.min(written, promptTokens - cachedTokens)
  const kinds = kindsOf(value, {
    fresh: promptTokens - cachedTokens - cacheWriteTokens,
    written: cacheWriteTokens,
    completion: completionTokens,
  })
  const usage: { -readonly [Name in keyof Usage]: Usage[Name] } = {
    promptTokens,
    cachedTokens,
    cacheWriteTokens,
    completionTokens,
    reasoningTokens: Math.min(isReasoning ? rest : reasoning, completionTokens),
  }
  if (kinds.length > 0) usage.kinds = kinds
  const reportedCost = reportedCostOf(value)
  if (reportedCost !== undefined) usage.reportedCost = reportedCost
  return usage
}

/** Whether `parseUsage` reads a report, whatever the model. */
export const isUsage = (value: unknown): value is JsonRecord =>
  isRecord(value) && sumsIn(value) !== null

function sumsIn(report: JsonRecord) {
  const prompt = tokenCount(member(report, 'prompt_tokens') ?? member(report, 'input_tokens'))
  const output = member(report, 'completion_tokens') ?? member(report, 'output_tokens')
  const completion = tokenCount(output ?? 0)
  if (prompt === null || completion === null || prompt + completion === 0) return null
  const total = tokenCount(member(report, 'total_tokens'))
  return isPlaceholder(prompt, completion, total) ? null : { prompt, completion, total }
}

/** Each kind is limited to the tokens it is part of, so that no part of the price is negative. */
function kindsOf(
  value: unknown,
  { fresh, written, completion }: { fresh: number; written: number; completion: number },
): Kind[] {
  const cached = promptDetail(value, 'cached_tokens_details')
  const audioPrompt =
    (tokenCount(promptDetail(value, 'audio_tokens')) ?? 0) - cachedOf(cached, 'audio')
  const imagePrompt =
    (tokenCount(promptDetail(value, 'image_tokens')) ?? 0) - cachedOf(cached, 'image')
  const audioCompletion = tokenCount(completionDetail(value, 'audio_tokens')) ?? 0
  const writes = promptDetail(value, 'cache_write_tokens_details')
  // OpenAI's longest cache, and the name that codecs here give to an hour's.
  const longCacheWrite =
    tokenCount(member(writes, 'ttl_12h_tokens')) ??
    tokenCount(promptDetail(value, 'long_cache_write_tokens')) ??
    0
  const audio = Math.min(Math.max(0, audioPrompt), fresh)
  const kinds: Kind[] = []
  const add = (kind: TokenKind, tokens: number) => {
    if (tokens > 0) kinds.push({ kind, tokens })
  }
  add('audio_prompt', audio)
  add('image_prompt', Math.min(Math.max(0, imagePrompt), fresh - audio))
  add('audio_completion', Math.min(audioCompletion, completion))
  add('long_cache_write', Math.min(longCacheWrite, written))
  return kinds
}

type Kind = { kind: TokenKind; tokens: number }

const cachedOf = (details: unknown, medium: 'audio' | 'image') =>
  tokenCount(member(details, `${medium}_tokens`)) ?? 0

/** FastGPT reports 1, 1 and 1 for every request; a true total would be 2. */
function isPlaceholder(prompt: number, completion: number, total: number | null): boolean {
  return prompt === 1 && completion === 1 && total === 1
}

const reportedCache = (value: unknown): number =>
  tokenCount(promptDetail(value, 'cached_tokens')) ??
  tokenCount(member(value, 'cached_tokens')) ??
  tokenCount(member(value, 'num_cached_tokens')) ??
  tokenCount(member(value, 'prompt_cache_hit_tokens')) ??
  0

/** Mistral and OpenAI have each used both spellings of these names. */
const PROMPT_DETAILS = [
  'prompt_tokens_details',
  'prompt_token_details',
  'input_tokens_details',
  'input_token_details',
]
const COMPLETION_DETAILS = [
  'completion_tokens_details',
  'output_tokens_details',
  'output_token_details',
]

const promptDetail = (value: unknown, name: string) => detail(value, PROMPT_DETAILS, name)

const completionDetail = (value: unknown, name: string) => detail(value, COMPLETION_DETAILS, name)

function detail(value: unknown, groups: readonly string[], name: string): unknown {
  for (const group of groups) {
    const found = member(member(value, group), name)
    if (found !== undefined && found !== null) return found
  }
  return undefined
}

function tokenCount(value: unknown): number | null {
  if (typeof value !== 'number' || !Number.isInteger(value)) return null
  return value >= 0 && value <= TOKENS_MAX ? value : null
}
