import { randomUUID } from 'node:crypto'
import type { JsonRecord } from '../../bytes/json-value.ts'
import type { AnswerHead } from '../../form/events.ts'
import type { Usage } from '../../usage/usage.ts'
import { isCutOff } from '../openai-chat/finish-reason.ts'
import { compactionItem, NO_SUMMARY } from './compaction.ts'
import type { ResponseContext } from './response-context.ts'

const MS = 1000
/** With prefix, suffix and position at most the 64 characters that OpenAI accepts in an input. */
const ID_LENGTH_MAX = 40

/** The id is made of letters, digits, `-` and `_`; `suffix` ends the id of the response. */
export type ResponseHead = AnswerHead & { readonly suffix: string }

export type ResponseState = {
  readonly status: 'in_progress' | 'completed' | 'incomplete' | 'failed'
  readonly output: readonly JsonRecord[]
  readonly usage: Usage | null
  readonly reason?: string | null
  readonly error?: { readonly code: string; readonly message: string }
  /** Whether a later request may continue the response; absent until that is known. */
  readonly store?: boolean | undefined
}

export const responseHead = (
  { id, created, model }: AnswerHead,
  { idSuffix }: ResponseContext,
): ResponseHead => ({
  id: id.slice(0, ID_LENGTH_MAX).replaceAll(/[^\w-]/g, '_') || randomUUID(),
  created: Math.floor(created),
  model,
  suffix: idSuffix,
})

const responseId = ({ id, suffix }: ResponseHead) => `resp_${id}${suffix}`

export const responseOf = (
  head: ResponseHead,
  context: ResponseContext,
  state: ResponseState,
): JsonRecord => ({
  ...stateOf(head, context, state),
  ...settingsOf(context, state),
  ...outputOf(state),
})

/** The same as JSON. `settings` is that of `settingsOf`. */
export function responseText(
  head: ResponseHead,
  context: ResponseContext,
  { state, settings }: { readonly state: ResponseState; readonly settings: string },
): string {
  const before = JSON.stringify(stateOf(head, context, state)).slice(0, -1)
  const between = settings === '{}' ? '' : `,${settings.slice(1, -1)}`
  return `${before}${between},${JSON.stringify(outputOf(state)).slice(1)}`
}

/** What events of the same response repeat. */
export const settingsOf = (
  { echoedSettings }: ResponseContext,
  { store }: Pick<ResponseState, 'store'>,
): JsonRecord => (store === undefined ? echoedSettings() : { ...echoedSettings(), store })

const stateOf = (
  head: ResponseHead,
  { now }: ResponseContext,
  { status, reason = null, error }: ResponseState,
): JsonRecord => ({
  id: responseId(head),
  object: 'response',
  created_at: head.created,
  completed_at: status === 'completed' ? Math.floor(now() / MS) : null,
  status,
  error: error ?? null,
  incomplete_details: reason === null ? null : { reason },
  model: head.model,
})

const outputOf = ({ output, usage }: ResponseState): JsonRecord => ({
  output,
  usage: usage === null ? null : usageOf(usage),
})

/** The state of a response that has ended. Keeps it and its items. */
export function endState(
  head: ResponseHead,
  { compacts, cipher, keepItems, keepResponse }: ResponseContext,
  end: { items: readonly JsonRecord[]; reason: string | null; usage: Usage | null },
): ResponseState {
  const { items, reason, usage } = end
  const status = reason === null ? 'completed' : 'incomplete'
  if (!compacts) {
    keepItems?.(items)
    const store = keepResponse?.(responseId(head), items)
    return { status, reason, usage, output: items, store }
  }
  const item = compactionItem(head.id, items, cipher)
  if (item === null) {
    return { status: 'failed', error: NO_SUMMARY, usage, output: [], store: false }
  }
  keepItems?.([item])
  const store = keepResponse?.(responseId(head), [item])
  return { status, reason, usage, output: [item], store }
}

/** Null for a complete answer. */
export function incompleteReason(finishReason: unknown): string | null {
  if (isCutOff(finishReason)) return 'max_output_tokens'
  return finishReason === 'content_filter' ? 'content_filter' : null
}

export function usageOf(usage: Usage): JsonRecord {
  const { promptTokens, cachedTokens, cacheWriteTokens, completionTokens, reasoningTokens } = usage
  return {
    input_tokens: promptTokens,
    input_tokens_details: { cached_tokens: cachedTokens, cache_write_tokens: cacheWriteTokens },
    output_tokens: completionTokens,
    output_tokens_details: { reasoning_tokens: reasoningTokens },
    total_tokens: promptTokens + completionTokens,
  }
}
