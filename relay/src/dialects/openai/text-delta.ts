import { isRecord, type JsonRecord } from '../../json-value.ts'

/** Whether a choice says anything: who speaks is no word yet, and empty members are none. */
export const isSpeaking = (choice: JsonRecord): boolean =>
  hasContent(choice) || !isEmpty(choice['finish_reason'])

/** Whether it carries a part of the answer, and not only why the answer ends. */
export const hasContent = ({ delta, text }: JsonRecord): boolean =>
  !isEmpty(text) || (isRecord(delta) && saysMoreThan(WHO_SPEAKS, delta))

/** Whether a piece of the only choice of a chat says nothing but plain text. */
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
