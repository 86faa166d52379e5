import { isRecord, type JsonRecord } from '../../json-value.ts'

/** Whether a choice has output or a finish reason. A role or an empty member is not output. */
export const isSpeaking = (choice: JsonRecord): boolean =>
  hasContent(choice) || !isEmpty(choice['finish_reason'])

/** Whether a choice carries a part of the answer, not just a finish reason. */
export const hasContent = ({ delta, text }: JsonRecord): boolean =>
  !isEmpty(text) || (isRecord(delta) && saysMoreThan(WHO_SPEAKS, delta))

/** Whether a delta of the only choice of a chat has nothing but plain text. */
export function isPlain({ index, delta, text, logprobs }: JsonRecord): boolean {
  const isOnly = (index === undefined || index === 0) && isEmpty(text) && isEmpty(logprobs)
  if (!isRecord(delta)) return isOnly && isEmpty(delta)
  const { content } = delta
  const isText = isEmpty(content) || typeof content === 'string'
  return isOnly && isText && !saysMoreThan(PLAIN_TEXT, delta)
}

const WHO_SPEAKS = ['role']
const PLAIN_TEXT = ['role', 'content']

const saysMoreThan = (names: readonly string[], delta: JsonRecord): boolean =>
  Object.keys(delta).some((name) => !names.includes(name) && !isEmpty(delta[name]))

function isEmpty(value: unknown): boolean {
  const isNothing = value === undefined || value === null || value === ''
  return isNothing || (Array.isArray(value) && value.length === 0)
}
