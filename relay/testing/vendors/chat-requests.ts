import { isRecord, type JsonRecord, listOf, member, textOf } from '../../src/bytes/json-value.ts'

/* What rules look at in requests of OpenAI's chat completions, and pieces of such requests. */

export const messagesOf = (body: JsonRecord) => listOf(body['messages']).filter(isRecord)

export const inMessages = (body: JsonRecord, isFound: (message: JsonRecord) => boolean) =>
  messagesOf(body).some(isFound)

export const roleOf = ({ role }: JsonRecord) => textOf(role)

export const isAssistant = (message: JsonRecord) => roleOf(message) === 'assistant'

export const callsOf = (message: JsonRecord | undefined) =>
  listOf(message?.['tool_calls']).filter(isRecord)

export const hasCalls = (message: JsonRecord) => callsOf(message).length > 0

export const partsOf = ({ content }: JsonRecord) => listOf(content).filter(isRecord)

export const hasPart = (message: JsonRecord, ...types: string[]) =>
  partsOf(message).some(({ type }) => types.includes(textOf(type)))

export const isEmptyContent = ({ content }: JsonRecord) =>
  !isGiven(content) || content === '' || (Array.isArray(content) && content.length === 0)

/** The functions among the tools. */
export const functionsOf = (body: JsonRecord) =>
  listOf(body['tools'])
    .map((tool) => member(tool, 'function'))
    .filter(isRecord)

export const parametersOf = (body: JsonRecord) =>
  functionsOf(body)
    .map(({ parameters }) => parameters)
    .filter(isGiven)

export const hasTools = (body: JsonRecord) => listOf(body['tools']).length > 0

/** Names of tools, of their calls in the history, and of the forced tool. */
export const toolNames = (body: JsonRecord) => [
  ...functionsOf(body).map(({ name }) => name),
  ...messagesOf(body)
    .flatMap(callsOf)
    .map((call) => member(call['function'] ?? call['custom'], 'name')),
  ...chosenIn(body['tool_choice']).map((one) =>
    member(member(one, 'function') ?? member(one, 'custom'), 'name'),
  ),
]

const chosenIn = (choice: unknown): readonly unknown[] => {
  const allowed = member(choice, 'allowed_tools')
  if (allowed !== undefined) return listOf(member(allowed, 'tools'))
  return isRecord(choice) ? [choice] : []
}

/** Ids of calls, and those that results name. */
export const callIds = (body: JsonRecord) =>
  messagesOf(body).flatMap((message) => [
    ...callsOf(message).map(({ id }) => id),
    ...(roleOf(message) === 'tool' ? [message['tool_call_id']] : []),
  ])

export const argumentsOf = (body: JsonRecord) =>
  messagesOf(body)
    .flatMap(callsOf)
    .map((call) => member(call['function'], 'arguments'))

/** A forced tool, either any or a named one. */
export const isForced = (choice: unknown) => choice === 'required' || isRecord(choice)

export const isGiven = (value: unknown) => value !== undefined && value !== null

export const areGiven = (body: JsonRecord, ...names: string[]) =>
  names.some((name) => isGiven(body[name]))

export const isOutside = (value: unknown, least: number, most: number) =>
  typeof value === 'number' && (value < least || value > most)

export const hasDuplicates = (list: readonly unknown[]) => new Set(list).size < list.length

/** A call whose results do not follow directly. */
export function hasUnansweredCall(body: JsonRecord): boolean {
  const messages = messagesOf(body)
  return messages.some((message, index) => {
    const ids = resultsAfter(messages, index).map(({ tool_call_id: id }) => id)
    return callsOf(message).some(({ id }) => !ids.includes(id))
  })
}

/** A result that does not follow the message with its call. */
export function hasStrayResult(body: JsonRecord): boolean {
  const messages = messagesOf(body)
  return messages.some(({ role, tool_call_id: id }, index) => {
    if (role !== 'tool') return false
    const opener = messages.slice(0, index).findLast((before) => before['role'] !== 'tool')
    return !callsOf(opener).some((call) => call['id'] === id)
  })
}

/** The number of results differs from the number of calls. */
export function hasOtherResultCount(body: JsonRecord): boolean {
  const messages = messagesOf(body)
  return messages.some(
    (message, index) =>
      hasCalls(message) && callsOf(message).length !== resultsAfter(messages, index).length,
  )
}

function resultsAfter(messages: readonly JsonRecord[], index: number): readonly JsonRecord[] {
  const after = messages.slice(index + 1)
  const end = after.findIndex(({ role }) => role !== 'tool')
  return end < 0 ? after : after.slice(0, end)
}

/** A message of one role directly after one of another. */
export const follows = (body: JsonRecord, role: string, before: string) =>
  messagesOf(body).some(
    (message, index, all) => roleOf(message) === role && all[index - 1]?.['role'] === before,
  )

/* Pieces of examples. */

export const HI = { role: 'user', content: 'hi' }
export const SYSTEM = { role: 'system', content: 'Be brief.' }
export const IMAGE = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
export const TEXT = { type: 'text', text: 'hi' }

export const callOf = (id: string, named: JsonRecord = {}) => ({
  id,
  type: 'function',
  function: { name: 'weather', arguments: '{}', ...named },
})
export const calling = (id = 'call_1', more: JsonRecord = {}, named: JsonRecord = {}) => ({
  role: 'assistant',
  content: null,
  tool_calls: [callOf(id, named)],
  ...more,
})
export const result = (id = 'call_1', content: unknown = '7 degrees') => ({
  role: 'tool',
  tool_call_id: id,
  content,
})
const toolOf = (named: JsonRecord = {}) => ({
  type: 'function',
  function: { name: 'weather', parameters: { type: 'object', properties: {} }, ...named },
})
export const tools = (...named: JsonRecord[]) => ({ tools: named.map(toolOf) })
export const ONE_TOOL = tools({})
export const says = (...messages: unknown[]) => ({ messages })

/** A tool loop with one call. */
export const loop = (more: JsonRecord = {}, named: JsonRecord = {}, id = 'call_1') => ({
  ...ONE_TOOL,
  ...says(HI, calling(id, more, named), result(id)),
})
export const schemaFormat = (schema: JsonRecord, more: JsonRecord = {}) => ({
  response_format: { type: 'json_schema', json_schema: { name: 'weather', schema, ...more } },
})
export const OPENAI_HEADERS = { authorization: 'Bearer sk-1', 'content-type': 'application/json' }
export const repeated = <Item>(count: number, item: (index: number) => Item) =>
  Array.from({ length: count }, (_none, index) => item(index))

/** The documented example of a vendor of this wire. */
export const documentedChat = (model: string, path = '/v1/chat/completions') => ({
  model,
  path,
  headers: OPENAI_HEADERS,
  body: { model, messages: [SYSTEM, HI] },
})
