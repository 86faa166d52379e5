import { type JsonRecord, stringifyOrEmpty, textOf } from '../../bytes/json-value.ts'
import type { AnswerHead } from '../../form/events.ts'
import type { FinalUsage } from '../client-dialect.ts'

/** The usage in OpenAI's format. A report nested too deep cannot be written as JSON. */
export function finalReport({
  promptTokens,
  completionTokens,
  reported,
}: Pick<FinalUsage, 'promptTokens' | 'completionTokens' | 'reported'>): JsonRecord {
  if (reported !== null && stringifyOrEmpty(reported) !== '') return reported
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}

/** The head of an answer without output. */
export const headOf = ({ id, created, model }: FinalUsage['head']): AnswerHead => ({
  id: textOf(id),
  created: typeof created === 'number' ? created : 0,
  model,
})

export const NO_HEAD: AnswerHead = { id: '', created: 0, model: '' }
