import type { ToolCalls } from '@tollgate/contract'
import {
  isRecord,
  listOf,
  member,
  numberIn,
  type JsonRecord,
  stringifyOrEmpty,
  textOf,
} from '../../bytes/json-value.ts'
import { signatureMember, signatureValue } from '../../fit/google-signatures.ts'
import type { FinishReason, MediaTokens, ReportedUsage, ToolCall } from '../../form/answer.ts'
import { wordSet } from '../../provider.ts'
import { servedOf, tierNamed } from '../../usage/served.ts'

export function candidatesOf(json: unknown): JsonRecord[] {
  const candidates = member(json, 'candidates')
  return Array.isArray(candidates) ? candidates.filter(isRecord) : []
}

/** The prompt was rejected, so there are no candidates. */
export function isBlocked(json: unknown): boolean {
  const reason = textOf(member(member(json, 'promptFeedback'), 'blockReason'))
  return candidatesOf(json).length === 0 && reason !== ''
}

export type AnswerPart =
  | { readonly type: 'text' | 'reasoning'; readonly text: string }
  | { readonly type: 'image'; readonly image: JsonRecord }
  | { readonly type: 'call'; readonly call: Omit<ToolCall, 'id'> & { readonly id: string | null } }
  | { readonly type: 'signature'; readonly signature: string }

export function answerParts(candidate: JsonRecord): AnswerPart[] {
  const parts = member(candidate['content'], 'parts')
  return Array.isArray(parts) ? parts.flatMap(readPart) : []
}

function readPart(part: unknown): AnswerPart[] {
  const signature = textOf(member(part, 'thoughtSignature'))
  const named = member(part, 'functionCall')
  if (isRecord(named)) {
    const args = isRecord(named['args']) ? stringifyOrEmpty(named['args']) : '{}'
    const sealed = signature === '' ? {} : { signature: signatureValue(signature) }
    const id = textOf(named['id']) || null
    return [{ type: 'call', call: { id, name: textOf(named['name']), input: args, ...sealed } }]
  }
  const inline = member(part, 'inlineData')
  const mimeType = textOf(member(inline, 'mimeType'))
  if (mimeType.startsWith('image/')) {
    const url = `data:${mimeType};base64,${textOf(member(inline, 'data'))}`
    const image = { type: 'image_url', image_url: { url }, ...signatureMember(signature) }
    return [{ type: 'image', image }]
  }
  const text = textOf(member(part, 'text'))
  const type = member(part, 'thought') === true ? 'reasoning' : 'text'
  return [
    ...(text === '' ? [] : [{ type, text } as const]),
    ...(signature === '' ? [] : [{ type: 'signature', signature } as const]),
  ]
}

/** Not all models give ids to calls. Ids must be unique within a conversation. */
export const toolCallId = (requestId: string, choice: number, position: number) =>
  `${requestId}-${choice}-${position}`

const CHOICES_MAX = 8

export function indexOf({ index }: JsonRecord): number {
  const isIndex = typeof index === 'number' && Number.isInteger(index)
  return isIndex && index >= 0 && index < CHOICES_MAX ? index : 0
}

const FILTERED = wordSet(`
  SAFETY RECITATION BLOCKLIST PROHIBITED_CONTENT SPII IMAGE_SAFETY IMAGE_PROHIBITED_CONTENT
  IMAGE_RECITATION MODEL_ARMOR
`)
/** The model itself failed, and there is no output. */
const BROKEN = new Set([
  'MALFORMED_FUNCTION_CALL',
  'UNEXPECTED_TOOL_CALL',
  'TOO_MANY_TOOL_CALLS',
  'MISSING_THOUGHT_SIGNATURE',
  'MALFORMED_RESPONSE',
])
const FILTERED_IF_EMPTY = new Set([
  'LANGUAGE',
  'OTHER',
  'FINISH_REASON_UNSPECIFIED',
  'NO_IMAGE',
  'IMAGE_OTHER',
])

export function finishReasonOf(
  { finishReason }: JsonRecord,
  { hasCalls, isEmpty }: { hasCalls: boolean; isEmpty: boolean },
): FinishReason {
  const reason = textOf(finishReason)
  if (reason === 'MAX_TOKENS') return 'length'
  if (FILTERED.has(reason) || (isEmpty && FILTERED_IF_EMPTY.has(reason))) return 'content_filter'
  return hasCalls ? 'tool_calls' : 'stop'
}

/** Reasoning and signatures alone are no answer. */
export const isOutput = ({ type }: AnswerPart) => type !== 'reasoning' && type !== 'signature'

/** The failure of a candidate that ended without output; null for an answer. */
export function failureOf(candidate: JsonRecord | undefined, hasOutput = false): JsonRecord | null {
  const reason = textOf(candidate?.['finishReason'])
  if (candidate === undefined || hasOutput || !BROKEN.has(reason)) return null
  if (answerParts(candidate).some(isOutput)) return null
  const message = textOf(candidate['finishMessage']) || `The model failed: ${reason}.`
  return { message, type: 'server_error', code: reason.toLowerCase() }
}

/** What an answer was grounded with. */
export type Grounding = { readonly searches: number; readonly usesMaps: boolean }

export const NO_GROUNDING: Grounding = { searches: 0, usesMaps: false }

/** The first generation bills a grounded prompt, Gemini 3 and later each search. */
const toolCallsOf = ({ searches, usesMaps }: Grounding): ToolCalls[] => [
  { tool: 'google_search', calls: searches },
  { tool: 'google_search_prompt', calls: searches > 0 ? 1 : 0 },
  { tool: 'google_maps', calls: usesMaps ? 1 : 0 },
  { tool: 'google_maps_prompt', calls: usesMaps ? 1 : 0 },
]

export function groundingOf(candidates: readonly JsonRecord[]): Grounding {
  const metadata = candidates.flatMap(({ groundingMetadata: given = null }) => given ?? [])
  if (metadata.length === 0) return NO_GROUNDING
  const chunks = metadata.flatMap((grounding) => listOf(member(grounding, 'groundingChunks')))
  const isWeb = chunks.some((chunk) => member(chunk, 'web') !== undefined)
  const queries = metadata.flatMap((grounding) =>
    listOf(member(grounding, 'webSearchQueries')).filter((query) => textOf(query) !== ''),
  )
  return {
    searches: Math.max(queries.length, isWeb ? 1 : 0),
    usesMaps: chunks.some((chunk) => member(chunk, 'maps') !== undefined),
  }
}

/** Reasoning is counted separately from output, and cached tokens are part of the prompt. */
export function usageOf(usage: unknown, grounding = NO_GROUNDING): ReportedUsage | null {
  const prompt = numberIn(usage, 'promptTokenCount')
  const reasoning = numberIn(usage, 'thoughtsTokenCount') ?? 0
  const completion = numberIn(usage, 'candidatesTokenCount')
  if (prompt === undefined && completion === undefined) return null
  return {
    promptTokens: (prompt ?? 0) + (numberIn(usage, 'toolUsePromptTokenCount') ?? 0),
    completionTokens: (completion ?? 0) + reasoning,
    cachedTokens: numberIn(usage, 'cachedContentTokenCount'),
    reasoningTokens: reasoning,
    prompt: mediaOf(usage, 'promptTokensDetails'),
    cached: mediaOf(usage, 'cacheTokensDetails'),
    completion: mediaOf(usage, 'candidatesTokensDetails'),
    served: servedOf({
      tier: tierNamed(member(usage, 'serviceTier')),
      toolCalls: grounding === NO_GROUNDING ? [] : toolCallsOf(grounding),
    }),
  }
}

function mediaOf(usage: unknown, name: string): MediaTokens | undefined {
  let [audio, image] = [0, 0]
  for (const detail of listOf(member(usage, name))) {
    const tokens = numberIn(detail, 'tokenCount') ?? 0
    if (member(detail, 'modality') === 'AUDIO') audio += tokens
    if (member(detail, 'modality') === 'IMAGE') image += tokens
  }
  if (audio === 0 && image === 0) return undefined
  return {
    ...(audio === 0 ? {} : { audio_tokens: audio }),
    ...(image === 0 ? {} : { image_tokens: image }),
  }
}
