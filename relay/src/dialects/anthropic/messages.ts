import { unescapeId } from '../../fit/ids.ts'
import { pairCalls } from '../../fit/pairs.ts'
import { positionMember } from '../../form/position.ts'
import { isRecord, member, type JsonRecord, stringifyOrEmpty, textOf } from '../../json-value.ts'
import { NestedJson } from '../../nested-json.ts'
import type { Steps } from '../../steps.ts'
import { cacheControl, type FieldProblem, isFieldProblem, fieldProblem } from '../fields.ts'
import { isSealedDetails, unsealDetails } from '../openai/reasoning-details.ts'
import { withoutBillingHeader } from './billing-header.ts'

/** Where a block stands. Blocks of the history that OpenAI's form cannot express are left out. */
type Place = { readonly path: string; readonly isHistory: boolean }

const within = ({ path, isHistory }: Place, name: string | number): Place => ({
  path: `${path}.${name}`,
  isHistory,
})

/**
 * The system prompt comes first. Fails on the first invalid field, and on a block of the last
 * message that OpenAI's form cannot express. Messages before the index `from` have only their role.
 */
export function* chatMessages(
  system: unknown,
  messages: readonly unknown[],
  from = 0,
): Steps<JsonRecord[] | FieldProblem> {
  const chat: JsonRecord[] = []
  const place = { path: 'system', isHistory: false }
  const first = contentOf(withoutBillingHeader(system ?? ''), place)
  if (isFieldProblem(first)) return first
  if (first.length > 0) chat.push({ role: 'system', content: first })
  const nested = new NestedJson()
  for (let index = from; index < messages.length; index += 1) {
    const message = messages[index]
    const isHistory = index < messages.length - 1
    const read = readMessage(message, { path: `messages.${index}`, isHistory }, nested)
    if (isFieldProblem(read)) return read
    chat.push(...read)
    yield
  }
  const roles = messages.slice(0, from).map((message) => textOf(member(message, 'role')))
  return [...roles.map((role) => ({ role: role || 'user' })), ...pairCalls(chat)]
}

function readMessage(message: unknown, at: Place, nested: NestedJson): JsonRecord[] | FieldProblem {
  const place = within(at, 'content')
  const content = member(message, 'content')
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  if (!Array.isArray(blocks)) {
    return fieldProblem(place.path, 'Input should be a string or a list of blocks')
  }
  switch (member(message, 'role')) {
    case 'user':
      return userMessages(blocks, place)
    case 'assistant':
      return assistantMessage(blocks, place.path, nested)
    case 'system': {
      const parts = partsOf(blocks, place)
      return isFieldProblem(parts) ? parts : [{ role: 'system', content: parts }]
    }
    default:
      return fieldProblem(`${at.path}.role`, "Input should be 'user' or 'assistant'")
  }
}

/** Tool results come first, each as its own message. Their images follow in a user message. */
function userMessages(blocks: readonly unknown[], at: Place): JsonRecord[] | FieldProblem {
  const results: JsonRecord[] = []
  const others: JsonRecord[] = []
  for (const [index, block] of blocks.entries()) {
    const place = within(at, index)
    if (member(block, 'type') !== 'tool_result') {
      const part = partOf(block, place)
      if (isFieldProblem(part)) return part
      if (part !== null) others.push(part)
      continue
    }
    const result = resultOf(block, place.path)
    if (isFieldProblem(result)) return result
    results.push(result.message)
    others.push(...result.images)
  }
  return [...results, ...(others.length === 0 ? [] : [{ role: 'user', content: others }])]
}

type Result = { message: JsonRecord; images: JsonRecord[] }

function resultOf(block: unknown, path: string): Result | FieldProblem {
  const id = unescapeId(textOf(member(block, 'tool_use_id')))
  if (id === '') return fieldProblem(`${path}.tool_use_id`, 'Field required')
  const place = { path: `${path}.content`, isHistory: true }
  const parts = contentOf(member(block, 'content') ?? '', place)
  if (isFieldProblem(parts)) return parts
  const text = parts.map((part) => textOf(part['text'])).filter((piece) => piece !== '')
  const content = `${member(block, 'is_error') === true ? 'Error: ' : ''}${text.join('\n')}`
  const message = { role: 'tool', tool_call_id: id, content, ...cacheControl(block) }
  return { message, images: parts.filter(({ type }) => type !== 'text') }
}

function contentOf(content: unknown, place: Place): JsonRecord[] | FieldProblem {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (Array.isArray(content)) return partsOf(content, place)
  return fieldProblem(place.path, 'Input should be a string or a list of blocks')
}

function partsOf(blocks: readonly unknown[], place: Place): JsonRecord[] | FieldProblem {
  const parts: JsonRecord[] = []
  for (const [index, block] of blocks.entries()) {
    const part = partOf(block, within(place, index))
    if (isFieldProblem(part)) return part
    if (part !== null) parts.push(part)
  }
  return parts
}

/** Null for an empty text, which some providers reject. */
function partOf(block: unknown, place: Place): JsonRecord | null | FieldProblem {
  const part = readPart(block, place)
  return isFieldProblem(part) && place.isHistory ? null : part
}

function readPart(block: unknown, place: Place): JsonRecord | null | FieldProblem {
  const { path } = place
  switch (member(block, 'type')) {
    case 'text': {
      const text = member(block, 'text')
      if (typeof text !== 'string') return fieldProblem(`${path}.text`, 'Input should be a string')
      return text === '' ? null : { type: 'text', text, ...cacheControl(block) }
    }
    case 'image':
      return imagePart(block, path)
    case 'document':
      return documentPart(block, place)
    case 'search_result':
      return searchPart(block, place)
    case 'tool_reference':
      return { type: 'text', text: `Tool available: ${textOf(member(block, 'tool_name'))}` }
    default:
      return fieldProblem(
        `${path}.type`,
        `Blocks of type '${typeName(block)}' are not possible here`,
      )
  }
}

const typeName = (block: unknown) => textOf(member(block, 'type')) || 'unknown'

function imagePart(block: unknown, path: string): JsonRecord | FieldProblem {
  const source = member(block, 'source')
  const [type, data] = [textOf(member(source, 'media_type')), textOf(member(source, 'data'))]
  const address = textOf(member(source, 'url'))
  switch (member(source, 'type')) {
    case 'base64':
      return image(`data:${type};base64,${data}`, block)
    case 'url':
      return image(address, block)
    default:
      return fieldProblem(`${path}.source.type`, "Input should be 'base64' or 'url'")
  }
}

const image = (url: string, block: unknown) => ({
  type: 'image_url',
  image_url: { url },
  ...cacheControl(block),
})

function documentPart(block: unknown, place: Place): JsonRecord | FieldProblem {
  const source = member(block, 'source')
  const [type, data] = [textOf(member(source, 'media_type')), textOf(member(source, 'data'))]
  const title = textOf(member(block, 'title'))
  switch (member(source, 'type')) {
    case 'base64':
      return {
        type: 'file',
        file: { filename: title || 'document.pdf', file_data: `data:${type};base64,${data}` },
        ...cacheControl(block),
      }
    case 'text':
      return { type: 'text', text: withTitle(title, data), ...cacheControl(block) }
    case 'content': {
      const parts = contentOf(member(source, 'content'), within(place, 'source.content'))
      if (isFieldProblem(parts)) return parts
      const text = parts.map((part) => textOf(part['text'])).join('\n')
      return { type: 'text', text: withTitle(title, text), ...cacheControl(block) }
    }
    default:
      return fieldProblem(
        `${place.path}.source.type`,
        "Input should be 'base64', 'text' or 'content'",
      )
  }
}

function searchPart(block: unknown, place: Place): JsonRecord | FieldProblem {
  const parts = contentOf(member(block, 'content'), within(place, 'content'))
  if (isFieldProblem(parts)) return parts
  const [title, source] = [textOf(member(block, 'title')), textOf(member(block, 'source'))]
  const text = parts.map((part) => textOf(part['text'])).join('\n')
  return { type: 'text', text: withTitle(`${title} (${source})`, text), ...cacheControl(block) }
}

const withTitle = (title: string, text: string) => (title === '' ? text : `${title}\n\n${text}`)

type AssistantTurn = {
  text: string
  /** Unsigned, as some providers want it back. */
  reasoning: string
  calls: JsonRecord[]
  thinkingBlocks: JsonRecord[]
  details: JsonRecord[]
  /** By id of a tool call. */
  readonly signatures: Map<string, unknown>
  readonly nested: NestedJson
}

function assistantMessage(
  blocks: readonly unknown[],
  path: string,
  nested: NestedJson,
): JsonRecord[] | FieldProblem {
  const turn: AssistantTurn = {
    nested,
    text: '',
    reasoning: '',
    calls: [],
    thinkingBlocks: [],
    details: [],
    signatures: new Map(),
  }
  for (const [index, block] of blocks.entries()) {
    const problem = readAssistantBlock(turn, block, `${path}.${index}`)
    if (problem !== null) return problem
  }
  const { text, reasoning, thinkingBlocks, details } = turn
  const calls = turn.calls.map((call) => withSignature(call, turn.signatures))
  if (text === '' && calls.length === 0) return []
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(thinkingBlocks.length === 0 ? {} : { thinking_blocks: thinkingBlocks }),
      ...(details.length === 0 ? {} : { reasoning_details: details }),
    },
  ]
}

function withSignature(call: JsonRecord, signatures: ReadonlyMap<string, unknown>): JsonRecord {
  const signature = signatures.get(textOf(call['id']))
  return signature === undefined ? call : { ...call, extra_content: signature }
}

function readAssistantBlock(
  turn: AssistantTurn,
  block: unknown,
  path: string,
): FieldProblem | null {
  switch (member(block, 'type')) {
    case 'text':
      turn.text += textOf(member(block, 'text'))
      return null
    case 'tool_use': {
      const [id, name] = [unescapeId(textOf(member(block, 'id'))), textOf(member(block, 'name'))]
      if (id === '' || name === '') return fieldProblem(path, 'A tool use needs an id and a name')
      const input = member(block, 'input')
      const written = isRecord(input) ? stringifyOrEmpty(input) : '{}'
      const named = { name, arguments: written }
      turn.calls.push({ id, type: 'function', function: named, ...cacheControl(block) })
      return null
    }
    case 'thinking':
    case 'redacted_thinking':
      readThinking(turn, block)
      return null
    // Calls and results of the provider's built-in tools are not sent to other providers.
    default:
      return null
  }
}

function readThinking(turn: AssistantTurn, block: unknown): void {
  const { type, thinking, signature, data } = isRecord(block) ? block : {}
  const { text, calls, thinkingBlocks } = turn
  const place = positionMember({ text: text.length, toolCalls: calls.length })
  if (type === 'redacted_thinking') {
    if (textOf(data) !== '') thinkingBlocks.push({ type, data, ...place })
  } else if (isSealedDetails(signature)) {
    turn.reasoning += textOf(thinking)
    for (const entry of unsealDetails(textOf(signature), turn.nested)) readSealed(turn, entry)
  } else if (textOf(signature) === '') turn.reasoning += textOf(thinking)
  else thinkingBlocks.push({ type, thinking, signature, ...place })
}

function readSealed({ details, signatures }: AssistantTurn, entry: JsonRecord): void {
  if (entry['type'] === 'tool_call') signatures.set(textOf(entry['id']), entry['extra_content'])
  else details.push(entry)
}
