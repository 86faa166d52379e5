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
 * Whether OpenAI refuses the items: a call without a result, a result without a call, or a name, an
 * id or a part that another API gave
 * (https://platform.openai.com/docs/api-reference/responses/create).
 */
export function isBrokenHistory(items: readonly unknown[]): boolean {
  const calls = new Set<string>()
  const results = new Set<string>()
  for (const item of items) {
    const type = textOf(member(item, 'type'))
    const id = textOf(member(item, 'call_id'))
    const [, resultOf] = RESULT.exec(type) ?? []
    if (resultOf !== undefined) {
      if (!calls.has(id)) return true
      results.add(id)
    } else if (CALL.test(type)) {
      if (calls.has(id) || isRefusedCall(item, id)) return true
      calls.add(id)
    }
    if (hasForeignId(item, type) || hasForeignParts(item)) return true
  }
  return calls.size > results.size
}

const isRefusedCall = (item: unknown, id: string) =>
  id === '' || id.length > CALL_ID_LENGTH_MAX || !NAME.test(textOf(member(item, 'name')))

function hasForeignId(item: unknown, type: string): boolean {
  const id = textOf(member(item, 'id'))
  return id !== '' && !id.startsWith(ID_PREFIXES.get(type) ?? '')
}

/** The model has said some kinds of parts, and others have said all other kinds. */
function hasForeignParts(item: unknown): boolean {
  const role = member(item, 'role')
  if (role === undefined) return false
  const isOfModel = (part: unknown) => OF_MODEL.test(textOf(member(part, 'type')))
  return listOf(member(item, 'content')).some((part) => isOfModel(part) !== (role === 'assistant'))
}
