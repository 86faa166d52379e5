import {
  isPresent,
  isRecord,
  type JsonRecord,
  listOf,
  member,
  omit,
  pick,
  textOf,
} from '../../bytes/json-value.ts'
import { argumentsIn, NestedJson } from '../../form/nested-json.ts'
import { imageAddress, readDataUrl } from '../../media/data-url.ts'
import { argumentsText, isPart, resultContent } from '../openai-chat/call-input.ts'
import { isClientTool } from './native-form.ts'
import { inlineSource } from './write-content.ts'

/*
 * Clients that have moved from chat completions or Responses send some of their messages, parts and
 * tools in requests of Messages (openJiuwen-ai/agent-core#373, braintrustdata/lingua#134), and
 * agents write contents that are no list of blocks: null, a single block, texts, or the value that
 * a tool returned.
 */

const typeOf = (part: unknown) => textOf(member(part, 'type'))
/** Claude demands a schema of the type `object`. */
const isForeignTool = (tool: unknown): tool is JsonRecord =>
  isRecord(tool) && (tool['type'] === 'function' || (isClientTool(tool) && lacksSchema(tool)))
const lacksSchema = ({ name, input_schema: schema }: JsonRecord) =>
  textOf(name) !== '' && member(schema, 'type') !== 'object'
const isForeignPart = (part: unknown) =>
  /^(?:refusal|(?:in|out)put_text)$/.test(typeOf(part)) || addressOf(part) !== ''

/** Where a part of other APIs has its data. Files that OpenAI stores have no address. */
function addressOf(part: unknown): string {
  const address = isRecord(part) ? givenAddress(part) : ''
  return /^(?:data:|https?:)/i.test(address) ? address : ''
}

function givenAddress(part: JsonRecord): string {
  switch (part['type']) {
    case 'image_url':
    case 'input_image':
      return imageAddress(part['image_url'])
    case 'file':
    case 'input_file': {
      const { file_data: data, file_url: url } = fileOf(part)
      return textOf(data ?? url)
    }
    default:
      return ''
  }
}

const fileOf = (part: JsonRecord) => (isRecord(part['file']) ? part['file'] : part)

/** Choices of chat completions. */
const CHOICES = /^(?:function|custom|allowed_tools)$/

/** Whether `withMessagesBlocks` has work. */
export const hasChatForm = ({
  system,
  messages,
  tools,
  functions,
  tool_choice: choice,
}: JsonRecord): boolean =>
  typeof choice === 'string' ||
  isLoose(system ?? '') ||
  CHOICES.test(typeOf(choice)) ||
  listOf(functions).length > 0 ||
  listOf(tools).some(isForeignTool) ||
  listOf(messages).some(isOfChat)

function isOfChat(message: unknown): boolean {
  const role = member(message, 'role')
  return (
    role === 'tool' ||
    role === 'developer' ||
    Array.isArray(member(message, 'tool_calls')) ||
    typeof member(message, 'reasoning_content') === 'string' ||
    isLoose(member(message, 'content')) ||
    listOf(member(message, 'content')).some(hasForeignPart)
  )
}

function hasForeignPart(part: unknown): boolean {
  const content = member(part, 'content')
  const isValue = typeOf(part) === 'tool_result' && content !== undefined && isLooseResult(content)
  return isForeignPart(part) || isValue || listOf(content).some(isForeignPart)
}

const isLooseResult = (content: unknown) =>
  isLoose(content) || (typeof content !== 'string' && !Array.isArray(content))

const isLoose = (content: unknown): boolean =>
  Array.isArray(content)
    ? content.some((part) => typeof part === 'string' || part === null)
    : !isPresent(content) || isPart(content)

const FORMER = ['parallel_tool_calls', 'functions', 'function_call'] as const

/** The request with the messages, tools and choice that Messages have. */
export function withMessagesBlocks(json: JsonRecord): JsonRecord {
  const {
    system,
    messages,
    functions,
    function_call: called,
    parallel_tool_calls: isParallel,
  } = json
  const nested = new NestedJson()
  const choice =
    json['tool_choice'] ?? (isRecord(called) ? { type: 'function', ...called } : called)
  const chosen = choiceOf(choice)
  const former = listOf(functions).filter(isRecord)
  const offered = [...listOf(json['tools']), ...former.map((one) => ({ ...one, type: 'function' }))]
  const tools = offered.map(toolOf).filter(allowedBy(choice))
  const mayCall = tools.length > 0 && typeOf(chosen) !== 'none'
  return {
    ...omit(json, ...FORMER),
    ...(isPresent(system) && { system: blocksOf(system) }),
    ...(Array.isArray(messages) && { messages: messagesOf(messages, nested) }),
    ...((Array.isArray(json['tools']) || tools.length > 0) && { tools }),
    tool_choice:
      mayCall && isParallel === false
        ? { type: 'auto', ...(isRecord(chosen) && chosen), disable_parallel_tool_use: true }
        : chosen,
  }
}

/** Results that follow each other are one message, as Claude demands. */
function messagesOf(messages: readonly unknown[], nested: NestedJson): unknown[] {
  let results: unknown[] | null = null
  return messages.flatMap((message) => {
    if (!isRecord(message) || message['role'] !== 'tool') {
      results = null
      return [isRecord(message) && isOfChat(message) ? messageOf(message, nested) : message]
    }
    const isFirst = results === null
    results ??= []
    const { tool_call_id: id, content } = message
    results.push({ type: 'tool_result', tool_use_id: id, content: blocksOf(content) })
    return isFirst ? [{ role: 'user', content: results }] : []
  })
}

function messageOf(message: JsonRecord, nested: NestedJson): JsonRecord {
  const { role, content, tool_calls: calls } = message
  if (role !== 'assistant') {
    return { role: role === 'developer' ? 'system' : role, content: blocksOf(content) }
  }
  const { thinking_blocks: signed, reasoning_content: reasoning } = message
  const unsigned = { type: 'thinking', thinking: reasoning, signature: '' }
  const thoughts = isPresent(signed) || textOf(reasoning) === '' ? listOf(signed) : [unsigned]
  const said = blocksOf(content)
  return {
    role,
    content: [
      ...thoughts,
      ...(typeof said === 'string' ? [textBlock(said)] : said),
      ...listOf(calls).map((call) => useOf(call, nested)),
    ],
  }
}

const textBlock = (text: string) => ({ type: 'text', text })

/** A text, or a list of blocks. */
function blocksOf(content: unknown): string | readonly unknown[] {
  const parts: unknown = isPart(content) ? [content] : content
  if (Array.isArray(parts)) return parts.filter(isPresent).map(blockOf)
  return textOf(resultContent(parts))
}

function blockOf(part: unknown): unknown {
  if (!isRecord(part)) return textBlock(textOf(resultContent(part)))
  const block = isForeignPart(part) ? { ...pick(part, 'cache_control'), ...ownBlock(part) } : part
  const { content } = block
  const isResult = typeOf(block) === 'tool_result' && content !== undefined
  return isResult || Array.isArray(content) ? { ...block, content: blocksOf(content) } : block
}

function ownBlock(part: JsonRecord): JsonRecord {
  switch (part['type']) {
    case 'image_url':
    case 'input_image':
      return { type: 'image', source: sourceOf(addressOf(part)) }
    case 'file':
    case 'input_file':
      return documentOf(addressOf(part), textOf(fileOf(part)['filename']))
    default:
      return { type: 'text', text: part['text'] ?? part['refusal'] }
  }
}

function documentOf(address: string, title: string): JsonRecord {
  return { type: 'document', source: sourceOf(address), ...(title === '' ? {} : { title }) }
}

function sourceOf(address: string): JsonRecord {
  const given = readDataUrl(address)
  return given === null ? { type: 'url', url: address } : inlineSource(given)
}

function useOf(call: unknown, nested: NestedJson): JsonRecord {
  const custom = member(call, 'custom')
  const called = custom ?? member(call, 'function')
  const input = isRecord(custom)
    ? { input: custom['input'] }
    : argumentsIn(argumentsText(member(called, 'arguments')), nested)
  return { type: 'tool_use', id: member(call, 'id'), name: member(called, 'name'), input }
}

/** Members that `toolOf` writes itself: Claude refuses null as their value. */
const OF_CHAT = ['type', 'parameters', 'inputSchema', 'description', 'strict'] as const

function toolOf(tool: unknown): unknown {
  if (!isForeignTool(tool)) return tool
  const definition = isRecord(tool['function']) ? tool['function'] : tool
  const { parameters, inputSchema } = definition
  const schema = parameters ?? tool['input_schema'] ?? inputSchema
  return {
    ...(tool['type'] === 'function' ? pick(tool, 'cache_control') : omit(tool, ...OF_CHAT)),
    ...pick(definition, 'name', 'description'),
    input_schema: { properties: {}, ...(isRecord(schema) && schema), type: 'object' },
    ...pick(definition, 'strict'),
  }
}

/** Messages cannot allow some of the tools, so the others are left out. */
function allowedBy(choice: unknown): (tool: unknown) => boolean {
  if (typeOf(choice) !== 'allowed_tools') return () => true
  const allowed = listOf(member(member(choice, 'allowed_tools') ?? choice, 'tools'))
  const names = new Set(allowed.map(nameOf))
  return (tool) => names.has(member(tool, 'name'))
}

/** The name of a tool that a choice names. */
const nameOf = (named: unknown) => member(member(named, typeOf(named)) ?? named, 'name')

function choiceOf(choice: unknown): unknown {
  if (typeof choice === 'string') return { type: choice === 'required' ? 'any' : choice }
  const type = typeOf(choice)
  if (!CHOICES.test(type)) return choice
  if (type !== 'allowed_tools') return { type: 'tool', name: nameOf(choice) }
  return choiceOf(member(member(choice, type) ?? choice, 'mode'))
}
