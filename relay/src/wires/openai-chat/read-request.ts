import { isRecord, type JsonRecord, listOf, member, omit, textOf } from '../../bytes/json-value.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { inOrder, type Position, positionOf } from '../../form/position.ts'
import {
  type AssistantBlock,
  type AssistantMessage,
  type Block,
  type ChatForm,
  type FileBlock,
  type Message,
  type NamedTool,
  textBlocks,
  type Tool,
  type ToolCall,
  type ToolChoice,
  cacheMarkOf,
} from '../../form/request.ts'
import { fileUrl, imageAddress, isAddress, isAtGoogle } from '../../media/data-url.ts'
import type { ProviderCall } from '../provider-codec.ts'
import { resultContent } from './call-input.ts'
import { withoutFunctionRole } from './function-role.ts'
import { readSettings } from './read-settings.ts'

/** The chat of a call. */
export const formOf = ({ form, request }: Pick<ProviderCall, 'form' | 'request'>): ChatForm =>
  form ?? readChatForm(request)

/** Reads a chat for providers of another wire. Throws `UnsupportedParameterError`. */
export function readChatForm(json: JsonRecord): ChatForm {
  if ([json['functions'] ?? []].flat().length > 0) throw impossible('functions', 'use tools')
  const { function_call: called = null } = json
  if (called !== null && called !== 'auto' && called !== 'none')
    throw impossible('function_call', 'use tools')
  const tools = listOf(json['tools']).map((tool, at) => readTool(tool, `tools.${at}`))
  const choice = tools.length === 0 ? null : readChoice(json['tool_choice'] ?? null)
  return {
    messages: withoutFunctionRole(listOf(json['messages'])).flatMap((message, at) =>
      withUserMedia(readMessage(message, `messages.${at}`)),
    ),
    tools,
    settings: { ...readSettings(json), ...(choice === null ? {} : { tool_choice: choice }) },
  }
}

const impossible = (path: string, advice: string) =>
  parameterError(`'${path}' is not possible with this provider: ${advice}.`, path)

function readMessage(message: unknown, path: string): Message {
  const role = member(message, 'role')
  const content = member(message, 'content')
  const blocks = (given = content) => readBlocks(given, `${path}.content`)
  switch (role) {
    case 'system':
    case 'developer':
      return { role: 'system', blocks: marked(blocks(), message) }
    case 'user':
      return { role, blocks: marked(blocks(), message) }
    case 'assistant':
      return readAnswer(message, blocks())
    case 'tool':
      return {
        role,
        callId: textOf(member(message, 'tool_call_id')),
        name: textOf(member(message, 'name')),
        blocks: blocks(resultContent(content)),
        ...cacheMarkOf(message),
      }
    default:
      throw parameterError(
        `'${path}.role' must be one of system, developer, user, assistant and tool.`,
        `${path}.role`,
      )
  }
}

/** What an instruction shows besides texts follows in a message of the user. */
function withUserMedia(message: Message): Message[] {
  if (message.role !== 'system' || message.blocks.every(({ type }) => type === 'text'))
    return [message]
  const isText = ({ type }: Block) => type === 'text'
  const texts = message.blocks.filter(isText)
  const media = message.blocks.filter((block) => !isText(block))
  return [
    ...(texts.length === 0 ? [] : [{ ...message, blocks: texts }]),
    { role: 'user', blocks: media },
  ]
}

function readBlocks(content: unknown, path: string): Block[] {
  if (content === undefined || content === null) return []
  if (typeof content === 'string') return textBlocks(content)
  if (Array.isArray(content)) return content.map(readBlock)
  throw parameterError(`'${path}' must be a text or an array of parts.`, path)
}

function readBlock(part: unknown): Block {
  if (typeof part === 'string') return { type: 'text', text: part }
  const type = member(part, 'type')
  switch (type) {
    case 'text':
    case 'refusal':
      return { type: 'text', text: textOf(member(part, type)), ...cacheMarkOf(part) }
    case 'image_url':
      return readImage(part)
    case 'input_audio': {
      const audio = member(part, 'input_audio')
      const [data, format] = [textOf(member(audio, 'data')), textOf(member(audio, 'format'))]
      return { type: 'audio', data, format }
    }
    case 'file':
      return readFile(part)
    case 'file_url':
    case 'document_url':
      return { type: 'file', data: imageAddress(member(part, type)), ...cacheMarkOf(part) }
    default:
      return { type: 'opaque', part: isRecord(part) ? part : {} }
  }
}

/** LiteLLM's clients name an address as the id. */
function readFile(part: unknown): FileBlock {
  const file = member(part, 'file')
  const [name, given, id] = ['filename', 'file_data', 'file_id'].map((key) => {
    const value = member(file, key)
    return typeof value === 'string' ? value : undefined
  })
  const isNamed = given === undefined && id !== undefined && isAddress(id) && !isAtGoogle(id)
  const source = isNamed ? { data: id } : { data: given && fileUrl(given), id }
  return { type: 'file', name, ...source, ...cacheMarkOf(part) }
}

function readImage(part: unknown): Block {
  const image = member(part, 'image_url')
  const detail = textOf(member(image, 'detail'))
  return {
    type: 'image',
    url: imageAddress(image),
    ...(detail === '' ? {} : { detail }),
    signature: member(part, 'extra_content'),
    ...cacheMarkOf(part),
  }
}

/** A mark of a message stands at its last block that is sent. */
function marked<Item extends AssistantBlock>(blocks: readonly Item[], message: unknown): Item[] {
  const mark = cacheMarkOf(message)
  const isBlank = (block: Item) => block.type === 'text' && block.text.trim() === ''
  const last = blocks.findLastIndex((block) => !isBlank(block))
  return blocks.map((block, at) => (at === last ? { ...block, ...mark } : block))
}

function readAnswer(message: unknown, given: readonly Block[]): AssistantMessage {
  const said = given.length > 0 ? given : textBlocks(textOf(member(message, 'refusal')))
  const images = listOf(member(message, 'images')).map(readImage)
  const spoken = [...said, ...images]
  const calls = listOf(member(message, 'tool_calls')).flatMap(readCall)
  const blocks = inOrder<AssistantBlock>({
    textBetween: (start, end) => textBetween(spoken, start, end),
    calls,
    reasoning: sealsOf(message),
  })
  return {
    role: 'assistant',
    reasoning: textOf(member(message, 'reasoning_content')) || textOf(member(message, 'reasoning')),
    blocks: marked(blocks, message),
    signature: member(message, 'extra_content'),
  }
}

type PlacedSeal = { readonly items: readonly AssistantBlock[]; readonly after: Position }

/** Both members state the place of their entries in the message. */
function sealsOf(message: unknown): PlacedSeal[] {
  const read = (name: string, kind: 'thinking_block' | 'reasoning_detail') =>
    listOf(member(message, name)).map((value): PlacedSeal => {
      const entry = isRecord(value) ? omit(value, 'after') : value
      return { items: [{ type: 'seal', seal: { kind, value: entry } }], after: positionOf(value) }
    })
  // A message is the answer of one provider, which gives entries of one kind.
  return [
    ...read('thinking_blocks', 'thinking_block'),
    ...read('reasoning_details', 'reasoning_detail'),
  ]
}

/** A part of the blocks. The mark of a text that is divided stays at its end. */
function textBetween(blocks: readonly Block[], start: number, end: number): Block[] {
  let offset = 0
  return blocks.flatMap((block): Block[] => {
    const text = block.type === 'text' ? block.text : ''
    const [from, until] = [Math.max(0, start - offset), Math.min(end - offset, text.length)]
    const isHere = start <= offset && offset < end
    offset += text.length
    if (block.type !== 'text' || text === '') return isHere ? [block] : []
    if (from >= until) return []
    const { cacheMark } = block
    const mark = until === text.length && cacheMark !== undefined ? { cacheMark } : {}
    return [{ type: 'text', text: text.slice(from, until), ...mark }]
  })
}

/** A call without a name is left out, and its result becomes a message of the user. */
function readCall(call: unknown): ToolCall[] {
  const custom = member(call, 'custom')
  const definition = isRecord(custom) ? custom : member(call, 'function')
  const name = textOf(member(definition, 'name'))
  if (name === '') return []
  const input = member(definition, isRecord(custom) ? 'input' : 'arguments')
  return [
    {
      type: 'tool-call',
      id: textOf(member(call, 'id')),
      name,
      input: isRecord(input) ? JSON.stringify(input) : textOf(input),
      ...(isRecord(custom) ? { isCustom: true } : {}),
      signature: member(call, 'extra_content'),
      ...cacheMarkOf(call),
    },
  ]
}

function readTool(tool: unknown, path: string): Tool {
  const type = member(tool, 'type') === 'custom' ? 'custom' : 'function'
  const definition = member(tool, type)
  const name = textOf(member(definition, 'name'))
  if (member(tool, 'type') !== type || name === '') {
    throw parameterError(`'${path}' must be a function with a name.`, path)
  }
  const [description, parameters, strict, format] = [
    textOf(member(definition, 'description')),
    member(definition, 'parameters'),
    member(definition, 'strict'),
    member(definition, 'format'),
  ]
  return {
    type,
    name,
    ...(description === '' ? {} : { description }),
    ...(isRecord(parameters) ? { parameters } : {}),
    ...(typeof strict === 'boolean' ? { strict } : {}),
    ...(isRecord(format) ? { format } : {}),
    ...cacheMarkOf(definition),
    ...cacheMarkOf(tool),
  }
}

function readChoice(choice: unknown): ToolChoice | null {
  if (choice === null) return null
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice
  const one = namedTool(choice)
  if (one !== null) return one
  const allowed = member(choice, 'allowed_tools')
  if (member(choice, 'type') === 'allowed_tools' && isRecord(allowed)) {
    return {
      type: 'allowed_tools',
      mode: allowed['mode'] === 'required' ? 'required' : 'auto',
      tools: listOf(allowed['tools']).flatMap((tool) => namedTool(tool) ?? []),
    }
  }
  throw parameterError(
    "'tool_choice' must be auto, none, required or name a function.",
    'tool_choice',
  )
}

function namedTool(value: unknown): NamedTool | null {
  for (const type of ['function', 'custom'] as const) {
    const name = textOf(member(member(value, type), 'name'))
    if (name !== '') return { type, name }
  }
  return null
}
