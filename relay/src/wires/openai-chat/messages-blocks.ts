import {
  isPresent,
  isRecord,
  type JsonRecord,
  listOf,
  member,
  textOf,
} from '../../bytes/json-value.ts'
import { argumentsText, isPart, resultContent } from './call-input.ts'

/*
 * Cursor and others write tools, calls and results for Claude as Messages has them, in chat
 * completions too (BerriAI/litellm#25669, lbjlaq/Antigravity-Manager#506). For other models they
 * write parts as Responses have them (Soju06/codex-lb#833).
 */

const typeOf = (part: unknown) => member(part, 'type')
const isUse = (part: unknown) => typeOf(part) === 'tool_use'
const isResult = (part: unknown) => typeOf(part) === 'tool_result'
const isDocument = (part: unknown) =>
  typeOf(part) === 'document' && isRecord(member(part, 'source'))
/** Thinking of Mistral's is a list of parts. */
const isThought = (part: unknown) =>
  /^(?:redacted_)?thinking$/.test(textOf(typeOf(part))) && !Array.isArray(member(part, 'thinking'))
const isMoved = (part: unknown) => isUse(part) || isThought(part)
const isOfResponses = (part: unknown) =>
  /^(?:in|out)put_(?:text|image|file)$/.test(textOf(typeOf(part)))
export const isTool = (tool: unknown): tool is JsonRecord =>
  isRecord(tool) && isRecord(tool['input_schema']) && tool['function'] === undefined

/** Whether `withChatCalls` has work: it moves calls inside of answers, and results elsewhere. */
export const hasMessagesBlocks = ({
  messages,
  tools,
  tool_choice: choice,
  response_format: format,
}: JsonRecord): boolean =>
  chatChoice(choice) !== choice ||
  isFlatFormat(format) ||
  listOf(tools).some(isTool) ||
  listOf(messages).some(hasBlocks)

function hasBlocks(message: unknown): boolean {
  const content = member(message, 'content')
  if (isPart(content)) return true
  const parts = listOf(content)
  if (parts.length === 0) return false
  const isForeign = isAnswer(message) ? isMoved : isResult
  const isChanged = (part: unknown) =>
    isForeign(part) || isDocument(part) || isOfResponses(part) || typeof part === 'string'
  return parts.some(isChanged)
}

/** A format of Responses, whose schema other vendors would not find. */
const isFlatFormat = (format: unknown): format is JsonRecord =>
  isRecord(format) &&
  format['type'] === 'json_schema' &&
  isRecord(format['schema']) &&
  format['json_schema'] === undefined

const isAnswer = (message: unknown) => member(message, 'role') === 'assistant'

/** The request with tools, calls and results in the form of chat completions. */
export function withChatCalls(json: JsonRecord): JsonRecord {
  const { messages, tools, tool_choice: choice, response_format: format } = json
  return {
    ...json,
    ...(Array.isArray(messages) && {
      messages: messages.flatMap((message) => chatMessages(message, chatPart)),
    }),
    ...(Array.isArray(tools) ? { tools: tools.map(chatTool) } : {}),
    ...(isPresent(choice) ? { tool_choice: chatChoice(choice) } : {}),
    ...(isFlatFormat(format) && { response_format: nestedFormat(format) }),
    ...(member(choice, 'disable_parallel_tool_use') === true ? { parallel_tool_calls: false } : {}),
  }
}

const nestedFormat = ({ type, ...schema }: JsonRecord): JsonRecord => ({
  type,
  json_schema: { name: 'answer', ...schema },
})

type ChangePart = (part: unknown) => unknown

export function chatMessages(message: unknown, change: ChangePart): unknown[] {
  const given = member(message, 'content')
  const content: unknown = isPart(given) ? [given] : given
  if (!isRecord(message) || !Array.isArray(content)) return [message]
  return isAnswer(message)
    ? [answerOf(message, content, change)]
    : resultMessages(message, content, change)
}

function answerOf(
  message: JsonRecord,
  content: readonly unknown[],
  change: ChangePart,
): JsonRecord {
  const [uses, thoughts] = [content.filter(isUse), content.filter(isThought)]
  const said = content.filter((part) => !isMoved(part)).map(change)
  const calls = [...listOf(message['tool_calls']), ...uses.map(callOf)]
  return {
    ...message,
    content: said.length === 0 ? null : said,
    ...(thoughts.length === 0 ? {} : { thinking_blocks: thoughts }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

const callOf = (use: unknown) => ({
  id: member(use, 'id'),
  type: 'function',
  function: { name: member(use, 'name'), arguments: argumentsText(member(use, 'input')) || '{}' },
})

/** Each result is a message of its own, before the rest. */
function resultMessages(
  message: JsonRecord,
  content: readonly unknown[],
  change: ChangePart,
): unknown[] {
  const results = content.filter(isResult)
  const said = content.filter((part) => !isResult(part)).map(change)
  const rest = said.length === 0 && results.length > 0 ? [] : [{ ...message, content: said }]
  const callId = message['tool_call_id']
  return [...results.map((result) => resultOf(result, callId, change)), ...rest]
}

function resultOf(result: unknown, callId: unknown, change: ChangePart): JsonRecord {
  const given = member(result, 'content')
  const content: unknown = isPart(given) ? [given] : resultContent(given)
  const parts = Array.isArray(content) ? content.map(change) : [{ type: 'text', text: content }]
  const isError = member(result, 'is_error') === true
  return {
    role: 'tool',
    tool_call_id: member(result, 'tool_use_id') ?? callId,
    content: isError ? [{ type: 'text', text: 'Error:' }, ...parts] : parts,
  }
}

export function chatPart(part: unknown): unknown {
  if (typeof part === 'string') return { type: 'text', text: part }
  switch (typeOf(part)) {
    case 'image':
      return imagePart(sourceOf(part))
    case 'document':
      return isDocument(part) ? documentPart(part) : part
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: member(part, 'text') }
    case 'input_image': {
      const [url, detail] = [member(part, 'image_url'), member(part, 'detail')]
      return { type: 'image_url', image_url: { url, ...(isPresent(detail) && { detail }) } }
    }
    case 'input_file': {
      const filename = member(part, 'filename')
      const file_data = member(part, 'file_data') ?? member(part, 'file_url')
      return { type: 'file', file: { filename, file_data, file_id: member(part, 'file_id') } }
    }
    default:
      return part
  }
}

function imagePart({ data, url, media_type: type }: JsonRecord): JsonRecord {
  const address = typeof url === 'string' ? url : `data:${textOf(type)};base64,${textOf(data)}`
  return { type: 'image_url', image_url: { url: address } }
}

/** A document of text is its text. */
function documentPart(part: unknown): JsonRecord {
  const { type, data, url, content, file_id, media_type: mediaType } = sourceOf(part)
  const title = textOf(member(part, 'title'))
  if (type === 'text' || type === 'content') {
    const texts = [data ?? content].flat().map((one) => textOf(member(one, 'text') ?? one))
    return { type: 'text', text: [title, ...texts].filter((one) => one !== '').join('\n\n') }
  }
  const file_data = type === 'url' ? url : `data:${textOf(mediaType)};base64,${textOf(data)}`
  const source = type === 'file' ? { file_id } : { file_data }
  return { type: 'file', file: { filename: title || 'document.pdf', ...source } }
}

const sourceOf = (part: unknown): JsonRecord => {
  const source = member(part, 'source')
  return isRecord(source) ? source : {}
}

function chatTool(tool: unknown): unknown {
  if (!isTool(tool)) return tool
  const { name, description, input_schema: parameters, strict, cache_control: mark } = tool
  const strictness = typeof strict === 'boolean' ? { strict } : {}
  return {
    type: 'function',
    function: { name, description, parameters, ...strictness },
    ...(isRecord(mark) ? { cache_control: mark } : {}),
  }
}

/** The same choice if chat completions have it. */
function chatChoice(choice: unknown): unknown {
  if (choice === 'any') return 'required'
  if (!isRecord(choice)) return choice
  const { type, name } = choice
  switch (type) {
    case 'auto':
    case 'none':
      return type
    case 'any':
      return 'required'
    case 'tool':
      return { type: 'function', function: { name } }
    case 'function':
    case 'custom':
      return choice[type] === undefined ? { type, [type]: { name } } : choice
    default:
      return choice
  }
}
