import type { JsonRecord } from '../../bytes/json-value.ts'
import type { ModelCard } from '../../cards/model-card.ts'
import { markOf } from '../../form/history-mark.ts'
import {
  type AssistantMessage,
  type Block,
  type ChatForm,
  type Message,
  type NamedTool,
  sealsOf,
  type Tool,
  type ToolCall,
  type ToolChoice,
  withoutSeals,
} from '../../form/request.ts'

type ChatStyle = {
  /** The member for reasoning. */
  readonly member: 'reasoning_content' | 'reasoning'
  /** A message with tool calls may have no text. */
  readonly takesNullContent: boolean
  /** Keeps signed blocks, which no vendor of chat completions takes. */
  readonly keepsThinking?: boolean
}

export const OPENAI_STYLE: ChatStyle = { member: 'reasoning_content', takesNullContent: true }

/** Writes chat completions. */
export function writeChat(
  { messages, tools, settings }: ChatForm,
  style: ChatStyle = OPENAI_STYLE,
): JsonRecord {
  const { model, tool_choice: choice, parallel_tool_calls: isParallel, ...others } = settings
  return {
    model,
    messages: messages.map((message) => writeMessage(message, style)),
    ...others,
    ...(tools.length === 0 ? {} : { tools: tools.map(writeTool) }),
    ...(choice === undefined ? {} : { tool_choice: writeChoice(choice) }),
    ...(isParallel === undefined ? {} : { parallel_tool_calls: isParallel }),
  }
}

/** Writes chat completions for a model. */
export const writeChatFor = (
  form: ChatForm,
  { reasoningBack: { member }, content: { takesNullContent } }: ModelCard,
): JsonRecord => writeChat(form, { member, takesNullContent })

function writeMessage(message: Message, style: ChatStyle): JsonRecord {
  switch (message.role) {
    case 'system':
      return { role: 'system', content: contentOf(message.blocks) }
    case 'user':
      return { role: 'user', content: contentOf(message.blocks), ...markOf(message) }
    case 'assistant':
      return writeAnswer(message, style)
    case 'tool':
      return { role: 'tool', tool_call_id: message.callId, content: contentOf(message.blocks) }
  }
}

/** A single text is a string, unless it has a mark. */
function contentOf(blocks: readonly Block[]): string | JsonRecord[] {
  const [first, ...others] = blocks
  if (first === undefined) return ''
  const isString = first.type === 'text' && first.cacheMark === undefined && others.length === 0
  return isString ? first.text : blocks.map(partOf)
}

function partOf(block: Block): JsonRecord {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: block.text, cache_control: block.cacheMark }
    case 'image': {
      const { url, detail, signature, cacheMark } = block
      const image = { type: 'image_url', image_url: { url, detail }, cache_control: cacheMark }
      return { ...image, extra_content: signature }
    }
    case 'audio':
      return { type: 'input_audio', input_audio: { data: block.data, format: block.format } }
    case 'file': {
      const { name: filename, data: file_data, id: file_id, cacheMark } = block
      return { type: 'file', file: { filename, file_data, file_id }, cache_control: cacheMark }
    }
    case 'opaque':
      return { type: 'text', ...block.part }
  }
}

function writeAnswer(
  { reasoning, blocks, signature }: AssistantMessage,
  { member, takesNullContent, keepsThinking = false }: ChatStyle,
): JsonRecord {
  const [said, images, calls]: [Block[], Block[], ToolCall[]] = [[], [], []]
  for (const block of withoutSeals(blocks)) {
    if (block.type === 'tool-call') calls.push(block)
    else if (block.type === 'image') images.push(block)
    else said.push(block)
  }
  const details = sealsOf(blocks, 'reasoning_detail')
  const thoughts = keepsThinking ? sealsOf(blocks, 'thinking_block') : []
  const isNull = said.length === 0 && (calls.length > 0 ? takesNullContent : false)
  return {
    role: 'assistant',
    content: isNull ? null : contentOf(said),
    ...(reasoning === '' ? {} : { [member]: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(writeCall) }),
    ...(images.length === 0 ? {} : { images: images.map(partOf) }),
    ...(thoughts.length === 0 ? {} : { thinking_blocks: thoughts }),
    ...(details.length === 0 ? {} : { reasoning_details: details }),
    ...(signature === undefined ? {} : { extra_content: signature }),
  }
}

function writeCall({ id, name, input, isCustom = false, signature, cacheMark }: ToolCall) {
  const call = isCustom
    ? { id, type: 'custom', custom: { name, input } }
    : { id, type: 'function', function: { name, arguments: input } }
  return { ...call, cache_control: cacheMark, extra_content: signature }
}

export function writeTool(tool: Tool): JsonRecord {
  const { type, name, description, parameters, strict, format, cacheMark } = tool
  const definition =
    type === 'custom' ? { name, description, format } : { name, description, parameters, strict }
  return { type, [type]: definition, cache_control: cacheMark }
}

function writeChoice(choice: ToolChoice): unknown {
  if (typeof choice === 'string') return choice
  if (choice.type !== 'allowed_tools') return named(choice)
  const { type, mode, tools } = choice
  return { type, allowed_tools: { mode, tools: tools.map(named) } }
}

const named = ({ type, name }: NamedTool) => ({ type, [type]: { name } })
