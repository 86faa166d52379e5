import { scanAnswer } from '../../bytes/json-members.ts'
import { type JsonRecord, stringifyOrEmpty, textOf } from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import type { AnswerHead } from '../../form/events.ts'
import type { Usage } from '../../usage/usage.ts'
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

/**
 * Sets the usage of a complete answer, replacing any present usage; all other bytes stay. A body
 * that is not a JSON object is returned unchanged.
 */
export function* withUsage(body: Buffer, charged: Usage): Steps<Buffer> {
  const members = yield* scanAnswer(body)
  if ('reason' in members) return body
  const usage = JSON.stringify(finalReport({ ...charged, reported: null }))
  const existing = members.list.find(({ name }) => name === 'usage')
  if (existing !== undefined) return replaced(body, existing.valueStart, existing.end, usage)
  const comma = members.list.length === 0 ? '' : ','
  return replaced(body, members.closeAt, members.closeAt, `${comma}"usage":${usage}`)
}

const replaced = (body: Buffer, start: number, end: number, text: string) =>
  Buffer.concat([body.subarray(0, start), Buffer.from(text), body.subarray(end)])
