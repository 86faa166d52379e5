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
import { imageAddress } from '../../media/data-url.ts'
import { wordSet } from '../../provider.ts'
import { argumentsText, resultContent } from '../openai-chat/call-input.ts'
import { chatMessages, chatPart, isTool, withChatCalls } from '../openai-chat/messages-blocks.ts'
import { toolsOf } from './read-tools.ts'
import { formatMember } from './write-request.ts'

/*
 * Clients that have moved from chat completions send some of its members, messages, parts and tools
 * in requests of Responses (Wei-Shaw/sub2api#3304, madox2/vim-ai#162, lobehub/lobehub#8163,
 * openai/openai-python#2677, diegosouzapw/OmniRoute#1914, diegosouzapw/OmniRoute#3150). Cursor's
 * items also have blocks of Messages (maximhq/bifrost#1985).
 */

const MOVED = [
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'response_format',
  'reasoning_effort',
  'verbosity',
] as const

const PARTS = wordSet(`
  text image_url file image tool_use tool_result thinking redacted_thinking
`)

export const hasChatMembers = (json: JsonRecord): boolean =>
  MOVED.some((name) => isPresent(json[name])) ||
  toolsOf(json).some((tool) => isTool(tool) || flatTool(tool) !== tool) ||
  flatTool(json['tool_choice']) !== json['tool_choice'] ||
  isRecord(json['input']) ||
  listOf(json['input']).some((item) => isBare(item) || isOfChat(item))

/** A text or a part in place of an item. */
const isBare = (item: unknown): boolean =>
  typeof item === 'string' || BARE.test(textOf(member(item, 'type')))

const BARE = /^(?:text|image_url|input_(?:text|image|file|audio))$/

/** Messages, and outputs of calls; items of other types have parts of their own. */
function isOfChat(item: unknown): boolean {
  if (!isRecord(item)) return false
  const { type, role, content, output } = item
  if (type !== undefined && type !== 'message') return hasPart(output) || isValue(output)
  const isNull = role === 'user' && !isPresent(content)
  return isNull || role === 'tool' || Array.isArray(item['tool_calls']) || hasPart(content)
}

/** What a tool returned, which the agent has not written as text. */
const isValue = (output: unknown) => typeof output === 'number' || typeof output === 'boolean'

const hasPart = (parts: unknown): boolean =>
  Array.isArray(parts) && parts.some((part) => isRecord(part) && PARTS.has(textOf(part['type'])))

/** The request with the members and items that Responses have. */
export function withoutChatMembers(json: JsonRecord): JsonRecord {
  const { tools, tool_choice, ...others } = withChatCalls(omit(json, ...MOVED))
  const { max_output_tokens, max_completion_tokens, max_tokens, reasoning_effort: effort } = json
  const { response_format, verbosity, text, reasoning } = json
  const input = inputIn(json)
  const format = { ...formatMember(response_format), ...(isPresent(verbosity) && { verbosity }) }
  return {
    ...others,
    input: isRecord(input) ? itemsIn([input]) : Array.isArray(input) ? itemsIn(input) : input,
    tools: Array.isArray(tools) ? tools.map(flatTool) : tools,
    tool_choice: flatTool(tool_choice),
    max_output_tokens: max_output_tokens ?? max_completion_tokens ?? max_tokens,
    text: merged(format, text),
    reasoning: merged(isPresent(effort) ? { effort } : {}, reasoning),
  }
}

/** What the client's own member says takes precedence. */
const merged = (moved: JsonRecord, own: unknown): unknown =>
  Object.keys(moved).length === 0 ? own : { ...moved, ...(isRecord(own) ? own : {}) }

/** Cursor may send both, of which the messages alone may have the results of tools. */
function inputIn({ input, messages }: JsonRecord): unknown {
  if (listOf(messages).length === 0) return input ?? messages
  const isComplete =
    input !== '' && (listOf(input).some(isResult) || !listOf(messages).some(isResult))
  return isPresent(input) && isComplete ? input : messages
}

const isResult = (item: unknown): boolean =>
  member(item, 'role') === 'tool' ||
  textOf(member(item, 'type')).endsWith('_call_output') ||
  listOf(member(item, 'content')).some((part) => member(part, 'type') === 'tool_result')

/** A nested tool, or a choice of tools, with its definition in place. */
export function flatTool(tool: unknown): unknown {
  const type = textOf(member(tool, 'type'))
  const definition = member(tool, type)
  if (!isRecord(definition)) return tool
  const { tools, ...named } = definition
  return { ...named, type, ...(Array.isArray(tools) && { tools: tools.map(flatTool) }) }
}

/** Bare parts that follow each other are a message of the user. */
function itemsIn(input: readonly unknown[]): unknown[] {
  const items: unknown[] = []
  let parts: unknown[] = []
  for (const item of input) {
    if (isBare(item)) {
      if (parts.length === 0) items.push({ role: 'user', content: parts })
      parts.push(inputPart(foreignPart(item)))
    } else {
      items.push(...itemsOf(item))
      parts = []
    }
  }
  return items
}

function itemsOf(item: unknown): unknown[] {
  if (!isRecord(item) || !isOfChat(item)) return [item]
  const { output } = item
  if (isValue(output)) return [{ ...item, output: resultContent(output) }]
  if (Array.isArray(output))
    return [{ ...item, output: output.map((part) => inputPart(foreignPart(part))) }]
  return chatMessages(item, foreignPart).filter(isRecord).flatMap(messageItems)
}

/** Files and images of Responses stay: chat completions cannot name all that these may have. */
const foreignPart = (part: unknown): unknown =>
  /^input_(?:image|file)$/.test(textOf(member(part, 'type'))) ? part : chatPart(part)

function messageItems(message: JsonRecord): unknown[] {
  const { role, content, tool_calls: calls, thinking_blocks: thoughts } = message
  if (role === 'tool') {
    const output = partsIn(resultContent(content), inputPart)
    return [{ type: 'function_call_output', call_id: message['tool_call_id'], output }]
  }
  // OpenAI refuses ids that other APIs have given.
  const isOwn = textOf(message['id']).startsWith('msg_')
  const item = pick(message, 'type', ...(isOwn ? ['id'] : []), 'status', 'phase', 'role')
  if (role !== 'assistant') return [{ ...item, content: partsIn(content ?? '', inputPart) }]
  const said = partsIn(content, outputPart)
  const isSilent = said === '' || !isPresent(said) || (Array.isArray(said) && said.length === 0)
  return [
    // No item of Responses has the reasoning of Messages: a member that only this gateway reads.
    ...(isPresent(thoughts) ? [{ type: 'reasoning', summary: [], thinking_blocks: thoughts }] : []),
    ...(isSilent ? [] : [{ ...item, content: said }]),
    ...listOf(calls).map(callItem),
  ]
}

const partsIn = (content: unknown, change: (part: unknown) => unknown): unknown =>
  Array.isArray(content) ? content.map(change) : content

function inputPart(part: unknown): unknown {
  switch (member(part, 'type')) {
    case 'text':
      return { type: 'input_text', text: member(part, 'text') }
    case 'image_url': {
      const image = member(part, 'image_url')
      const detail = textOf(member(image, 'detail'))
      return {
        type: 'input_image',
        image_url: imageAddress(image),
        ...(detail === '' ? {} : { detail }),
      }
    }
    case 'file':
      return flatPart(part)
    default:
      return part
  }
}

function flatPart(part: unknown): unknown {
  const file = member(part, 'file')
  return isRecord(file) ? { type: 'input_file', ...file } : part
}

const outputPart = (part: unknown): unknown =>
  member(part, 'type') === 'text' ? { type: 'output_text', text: member(part, 'text') } : part

function callItem(call: unknown): unknown {
  const [call_id, custom] = [member(call, 'id'), member(call, 'custom')]
  if (isRecord(custom)) return { ...custom, type: 'custom_tool_call', call_id }
  const called = member(call, 'function')
  const input = argumentsText(member(called, 'arguments'))
  return { type: 'function_call', call_id, name: member(called, 'name'), arguments: input }
}
