import { listOf, member, textOf } from '../../bytes/json-value.ts'

const CALL = /^(?:function|custom_tool)_call$/
const RESULT = /^((?:function|custom_tool)_call)_output$/
const NAME = /^[\w-]{1,64}$/
const CALL_ID_LENGTH_MAX = 64
/** How ids of items begin; OpenAI refuses an id that another API gave. */
const ID_PREFIXES: ReadonlyMap<string, string> = new Map([
  ['function_call', 'fc'],
  ['custom_tool_call', 'ctc'],
  ['message', 'msg'],
  ['reasoning', 'rs'],
])
const OF_MODEL = /^(?:output_text|refusal)$/

/**
 * Whether OpenAI refuses the items: a call without a result of its kind, a result without a call,
 * or a name, an id or a part that another API gave
 * (https://platform.openai.com/docs/api-reference/responses/create).
 */
export function isBrokenHistory(items: readonly unknown[]): boolean {
  /** Types by id of calls that still need a result. */
  const waiting = new Map<string, string>()
  const called = new Set<string>()
  for (const item of items) {
    const type = textOf(member(item, 'type'))
    const id = textOf(member(item, 'call_id'))
    const [, resultOf] = RESULT.exec(type) ?? []
    if (resultOf !== undefined) {
      if (waiting.get(id) !== resultOf) return true
      waiting.delete(id)
    } else if (CALL.test(type)) {
      if (called.has(id) || isRefusedCall(item, id)) return true
      called.add(id)
      waiting.set(id, type)
    }
    if (hasForeignId(item, type) || hasForeignParts(item)) return true
  }
  return waiting.size > 0
}

const isRefusedCall = (item: unknown, id: string) =>
  id === '' || id.length > CALL_ID_LENGTH_MAX || !NAME.test(textOf(member(item, 'name')))

function hasForeignId(item: unknown, type: string): boolean {
  const id = textOf(member(item, 'id'))
  return id !== '' && !id.startsWith(ID_PREFIXES.get(type) ?? '')
}

/** Messages of the assistant hold output texts and refusals only, and other messages neither. */
function hasForeignParts(item: unknown): boolean {
  const role = member(item, 'role')
  if (role === undefined) return false
  const isOfModel = (part: unknown) => OF_MODEL.test(textOf(member(part, 'type')))
  return listOf(member(item, 'content')).some((part) => isOfModel(part) !== (role === 'assistant'))
}
