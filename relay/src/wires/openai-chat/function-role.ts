import { isRecord, type JsonRecord, member, omit } from '../../bytes/json-value.ts'

/**
 * Calls and results of the form that came before `tool_calls`, which histories still have, in the
 * present one. The same list if there are none.
 */
export function withoutFunctionRole(messages: readonly unknown[]): readonly unknown[] {
  const isFormer = (message: unknown) =>
    member(message, 'role') === 'function' || isRecord(member(message, 'function_call'))
  if (!messages.some(isFormer)) return messages
  let id = ''
  return messages.map((message, index) => {
    if (!isRecord(message) || !isFormer(message)) return message
    if (message['role'] === 'function') return { ...message, role: 'tool', tool_call_id: id }
    id = `call_${index}`
    return withCall(message, id)
  })
}

function withCall(message: JsonRecord, id: string): JsonRecord {
  const called = message['function_call']
  return {
    ...omit(message, 'function_call'),
    tool_calls: [{ id, type: 'function', function: called }],
  }
}
