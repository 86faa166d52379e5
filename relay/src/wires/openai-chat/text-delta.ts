import { isRecord, type JsonRecord } from '../../bytes/json-value.ts'

/** Whether a choice has output or a finish reason. A role or an empty member is not output. */
export const hasOutput = (choice: JsonRecord): boolean =>
  hasContent(choice) || !isEmpty(choice['finish_reason'])

/** Whether a choice carries a part of the answer, not just a finish reason. */
export const hasContent = ({ delta, text }: JsonRecord): boolean =>
  !isEmpty(text) || (isRecord(delta) && hasFieldsBeyond(ROLE_ONLY, delta))

/** Whether a delta of the only choice of a chat has nothing but plain text. */
export function isPlain({ index, delta, text, logprobs }: JsonRecord): boolean {
  const isOnly = (index === undefined || index === 0) && isEmpty(text) && isEmpty(logprobs)
  if (!isRecord(delta)) return isOnly && isEmpty(delta)
  const { content } = delta
  const isText = isEmpty(content) || typeof content === 'string'
  return isOnly && isText && !hasFieldsBeyond(TEXT_ONLY, delta)
}

const ROLE_ONLY = ['role']
const TEXT_ONLY = ['role', 'content']

const hasFieldsBeyond = (names: readonly string[], delta: JsonRecord): boolean =>
  Object.keys(delta).some((name) => !names.includes(name) && !isEmpty(delta[name]))

export function isEmpty(value: unknown): boolean {
  const isAbsent = value === undefined || value === null || value === ''
  return isAbsent || (Array.isArray(value) && value.length === 0)
}
