import {
  isRecord,
  type JsonRecord,
  listOf,
  member,
  textOf,
} from '../../../relay/src/bytes/json-value.ts'

/** What a model has to know to play its part. Read leniently, since the rules do the refusing. */
export type Asked = {
  readonly stream: boolean
  readonly reasons: boolean
  readonly tools: readonly string[]
  /** Texts of everything but results and the model's own turns. */
  readonly texts: string
  readonly results: readonly string[]
  /** Texts that the model has said in earlier turns. */
  readonly said: string
  /** Texts of the newest message, unless it holds results alone. */
  readonly last: string
}

export function readAsked(path: string, body: JsonRecord): Asked {
  const given = body['messages'] ?? body['contents'] ?? listOf(body['input']).map(messageOf)
  const messages = listOf(given).filter(isRecord)
  const system = [body['system'], body['systemInstruction'], body['instructions']]
  const blocks = messages.flatMap(blocksOf)
  const results = blocks.filter(isResult)
  const isOwn = ({ role }: JsonRecord) => role === 'assistant' || role === 'model'
  const others = messages.filter((one) => !isOwn(one) && one['role'] !== 'tool')
  return {
    stream: body['stream'] === true || path.includes(':streamGenerateContent'),
    reasons: isReasoning(body),
    tools: [...listOf(body['tools']), ...addedTools(body)].flatMap(toolNames),
    texts: JSON.stringify([system, others.flatMap(blocksOf).filter((one) => !isResult(one))]),
    results: results.map((result) => JSON.stringify(result)),
    said: JSON.stringify(messages.filter(isOwn)),
    last: JSON.stringify(blocksOf(messages.at(-1) ?? {}).filter((one) => !isResult(one))),
  }
}

/** Items of the Responses API as messages. */
function messageOf(item: unknown): unknown {
  if (!isRecord(item) || item['role'] !== undefined) return item
  const isOutput = textOf(item['type']).endsWith('_call_output')
  return isOutput ? { ...item, role: 'tool' } : { ...item, role: 'assistant', content: [] }
}

/** Newer models of Codex get their tools among the items. */
const addedTools = ({ input }: JsonRecord) =>
  listOf(input).flatMap((item) => listOf(member(item, 'tools')))

/** Messages of the role `tool` are results as a whole. */
function blocksOf(message: JsonRecord): JsonRecord[] {
  if (message['role'] === 'tool') return [message]
  const content = message['content'] ?? message['parts']
  return Array.isArray(content) ? content.filter(isRecord) : [{ text: content }]
}

const isResult = ({ role, type, functionResponse }: JsonRecord) =>
  role === 'tool' || type === 'tool_result' || functionResponse !== undefined

function toolNames(tool: unknown): string[] {
  const named = listOf(member(tool, 'tools'))
  if (named.length > 0) return named.flatMap(toolNames)
  const declared = listOf(member(tool, 'functionDeclarations'))
  if (declared.length > 0) return declared.map((one) => textOf(member(one, 'name')))
  return [textOf(member(member(tool, 'function'), 'name') ?? member(tool, 'name'))]
}

/** Vendors whose reasoning has to be asked for are asked in these members. */
function isReasoning({ thinking, generationConfig, think }: JsonRecord): boolean {
  const type = member(thinking, 'type')
  if (type !== undefined) return type !== 'disabled'
  const config = member(generationConfig, 'thinkingConfig')
  return config !== undefined ? member(config, 'includeThoughts') === true : think !== false
}
