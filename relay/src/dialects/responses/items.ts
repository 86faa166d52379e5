import { pairCalls } from '../../fit/pairs.ts'
import { positionMember } from '../../form/position.ts'
import {
  isRecord,
  member,
  type JsonRecord,
  listOf,
  stringifyOrEmpty,
  textOf,
} from '../../json-value.ts'
import { NestedJson } from '../../nested-json.ts'
import type { Steps } from '../../steps.ts'
import { type FieldProblem, isFieldProblem, fieldProblem } from '../fields.ts'
import { readCompaction } from './compaction.ts'
import { unseal } from './encrypted-content.ts'
import { contentParts, plainText, resultParts, spokenText } from './parts.ts'
import { SEARCH_NAME, type ToolNames } from './tool-names.ts'
import { isClientRun } from './tools.ts'

/** Consecutive items of the assistant, which form a single message. */
type Turn = {
  text: string
  /** The last item was a message, so the next text is a separate paragraph. */
  isAfterText: boolean
  reasoning: string
  readonly calls: JsonRecord[]
  readonly thinkingBlocks: JsonRecord[]
  readonly images: JsonRecord[]
  readonly details: unknown[]
  /** The provider's signature of the message. */
  extraContent: JsonRecord
}

type Conversation = {
  readonly messages: JsonRecord[]
  turn: Turn | null
  /** Images in tool results. Only a user message can show them. */
  readonly toolResultParts: JsonRecord[]
  /** By id of a tool call or image. */
  readonly signatures: Map<string, unknown>
  readonly nested: NestedJson
  readonly names: ToolNames
}

/** Built-in tools that the provider ran. Their items are not sent to other providers. */
const PROVIDER_RUN_CALLS = /^(?:web_search|file_search|code_interpreter|mcp|tool_search|program)_?/

/**
 * The instructions come first. Items of the history that OpenAI's form cannot express are left out:
 * they stay in the input of all later requests. Fails on the first invalid field.
 */
export function* chatMessages(
  instructions: unknown,
  input: string | readonly unknown[],
  names: ToolNames,
): Steps<JsonRecord[] | FieldProblem> {
  const conversation: Conversation = {
    names,
    messages: [],
    turn: null,
    toolResultParts: [],
    signatures: new Map(),
    nested: new NestedJson(),
  }
  if (textOf(instructions) !== '') addSystem(conversation, textOf(instructions))
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  for (const [index, item] of items.entries()) {
    const problem = readItem(conversation, item, `input[${index}]`)
    if (problem !== null) return problem
    yield
  }
  endTurn(conversation)
  return pairCalls(conversation.messages)
}

function readItem(conversation: Conversation, item: unknown, path: string): FieldProblem | null {
  if (!isRecord(item)) return fieldProblem(path, 'must be an item')
  const type = typeOf(item)
  switch (type) {
    case 'message':
      return readMessage(conversation, item, path)
    case 'function_call':
      return readCall(conversation, item, objectText(item['arguments'], conversation.nested))
    case 'custom_tool_call':
      return readCall(conversation, item, JSON.stringify({ input: textOf(item['input']) }))
    case 'tool_search_call':
      return isClientRun(item) ? readSearch(conversation, item) : null
    case 'tool_search_output':
      return isClientRun(item) ? readFound(conversation, item, path) : null
    case 'reasoning':
      return readReasoning(conversation, item)
    case 'image_generation_call':
      return readImage(conversation, item)
    case 'compaction':
    case 'compaction_summary':
      return readSummary(conversation, item)
    default:
      return readClientTool(conversation, item, { type, path })
  }
}

export const isReference = (item: unknown) => isRecord(item) && typeOf(item) === 'item_reference'

/** A reference needs no type. */
function typeOf({ type, role, id }: JsonRecord): string {
  if (typeof type === 'string' && type !== '') return type
  return role === undefined && typeof id === 'string' ? 'item_reference' : 'message'
}

/** Calls of tools that the client runs, such as `shell_call`, and the outputs of all calls. */
function readClientTool(
  conversation: Conversation,
  item: JsonRecord,
  { type, path }: { type: string; path: string },
): FieldProblem | null {
  const [, tool = '', isOutput] = /^(\w+)_call(_output)?$/.exec(type) ?? []
  if (tool === '' || PROVIDER_RUN_CALLS.test(tool)) return null
  if (isOutput !== undefined) return readResult(conversation, item, path)
  const input = item['action'] ?? item['operation'] ?? item['actions'] ?? {}
  return readCall(conversation, { ...item, name: tool }, JSON.stringify(input))
}

function readMessage(
  conversation: Conversation,
  item: JsonRecord,
  path: string,
): FieldProblem | null {
  const { role, content } = item
  const place = `${path}.content`
  switch (role) {
    case 'assistant': {
      const text = spokenText(content)
      const turn = turnOf(conversation)
      turn.text += turn.isAfterText && turn.text !== '' ? `\n\n${text}` : text
      turn.isAfterText = true
      return null
    }
    case 'user': {
      const parts = contentParts(content, place)
      if (isFieldProblem(parts)) return parts
      endTurn(conversation)
      if (parts.length > 0) conversation.messages.push({ role, content: parts })
      return null
    }
    case 'system':
    case 'developer': {
      const text = plainText(content, place)
      if (typeof text !== 'string') return text
      endTurn(conversation)
      addSystem(conversation, text)
      return null
    }
    default:
      return fieldProblem(`${path}.role`, "must be 'user', 'assistant', 'system' or 'developer'")
  }
}

/** Many models accept only a single system message. */
function addSystem({ messages }: Conversation, text: string): void {
  if (text === '') return
  const last = messages.at(-1)
  if (last?.['role'] !== 'system') messages.push({ role: 'system', content: text })
  else messages.splice(-1, 1, { ...last, content: `${textOf(last['content'])}\n\n${text}` })
}

function readCall(conversation: Conversation, item: JsonRecord, input: string): null {
  const { names, signatures } = conversation
  const name = textOf(item['name'])
  if (name === '') return null
  const turn = turnOf(conversation)
  const id =
    textOf(item['call_id'] ?? item['id']) ||
    `call_${conversation.messages.length}_${turn.calls.length}`
  const signature = signatures.get(id)
  const namespace = textOf(item['namespace']) || null
  turn.calls.push({
    id,
    type: 'function',
    function: { name: names.providerName({ name, namespace }), arguments: input || '{}' },
    ...(signature === undefined ? {} : { extra_content: signature }),
  })
  turn.isAfterText = false
  return null
}

/**
 * Arguments as the JSON of an object. The model may have written others, or the output limit cut
 * them off; vendors refuse them in the history (vllm-project/vllm, MiniMax).
 */
function objectText(given: unknown, nested: NestedJson): string {
  const text = textOf(given)
  const isUsable = text === '' || isRecord(nested.parse(text)) || nested.isSpent
  return isUsable ? text : JSON.stringify({ arguments: text })
}

function readSearch(conversation: Conversation, item: JsonRecord): null {
  const search = item['arguments']
  const input = isRecord(search) ? stringifyOrEmpty(search) : '{}'
  return readCall(conversation, { ...item, name: SEARCH_NAME }, input)
}

/** The found tools also count as `tools` of the request. */
function readFound(conversation: Conversation, item: JsonRecord, path: string) {
  const found = listOf(item['tools']).map((tool) => textOf(member(tool, 'name')))
  const output = found.length === 0 ? 'No tools found.' : `Tools found: ${found.join(', ')}`
  return readResult(conversation, { ...item, output }, path)
}

function readSummary(conversation: Conversation, item: JsonRecord): null {
  const summary = readCompaction(item, conversation.nested)
  endTurn(conversation)
  if (summary !== '') conversation.messages.push({ role: 'user', content: summary })
  return null
}

/** An image without data, such as an unfinished image, is skipped. */
function readImage(conversation: Conversation, item: JsonRecord): null {
  const data = textOf(item['result'])
  if (data === '') return null
  const turn = turnOf(conversation)
  const signature = conversation.signatures.get(textOf(item['id']))
  const format = textOf(item['output_format']) || 'png'
  turn.images.push({
    type: 'image_url',
    image_url: { url: `data:image/${format};base64,${data}` },
    ...(signature === undefined ? {} : { extra_content: signature }),
  })
  turn.isAfterText = false
  return null
}

function readResult(
  conversation: Conversation,
  item: JsonRecord,
  path: string,
): FieldProblem | null {
  // A local shell's output has the id of the call as its own.
  const id = textOf(item['call_id'] ?? item['id'])
  const parts = resultParts(item['output'], `${path}.output`)
  if (isFieldProblem(parts)) return parts
  endTurn(conversation, { isToolNext: true })
  const texts = parts.filter(({ type }) => type === 'text').map(({ text }) => textOf(text))
  const named = id === '' ? { name: textOf(item['name']) } : {}
  const content = texts.join('\n')
  conversation.messages.push({ role: 'tool', tool_call_id: id, ...named, content })
  conversation.toolResultParts.push(...parts.filter(({ type }) => type !== 'text'))
  return null
}

function readReasoning(conversation: Conversation, item: JsonRecord): null {
  const turn = turnOf(conversation)
  const texts = [...listOf(item['content']), ...listOf(item['summary'])]
  const text = texts.map((part) => textOf(member(part, 'text'))).find((piece) => piece !== '')
  turn.reasoning += text ?? ''
  for (const entry of unseal(item['encrypted_content'], conversation.nested))
    readSealed(conversation, turn, entry)
  turn.isAfterText = false
  return null
}

function readSealed({ signatures }: Conversation, turn: Turn, entry: JsonRecord): void {
  switch (entry['type']) {
    case 'thinking':
    case 'redacted_thinking': {
      const place = positionMember({ text: turn.text.length, toolCalls: turn.calls.length })
      turn.thinkingBlocks.push({ ...entry, ...place })
      return
    }
    case 'tool_call':
    case 'image':
      signatures.set(textOf(entry['id']), entry['extra_content'])
      return
    case 'message':
      turn.extraContent = { extra_content: entry['extra_content'] }
      return
    case 'reasoning_details':
      for (const detail of listOf(entry['entries'])) turn.details.push(detail)
  }
}

function turnOf(conversation: Conversation): Turn {
  if (conversation.turn === null) {
    flushToolResultParts(conversation)
    conversation.turn = {
      text: '',
      isAfterText: false,
      reasoning: '',
      calls: [],
      thinkingBlocks: [],
      images: [],
      details: [],
      extraContent: {},
    }
  }
  return conversation.turn
}

/** Results of a turn's calls stay together; their media follow after the last result. */
function endTurn(conversation: Conversation, { isToolNext = false } = {}): void {
  const { turn, messages } = conversation
  conversation.turn = null
  if (turn !== null && (turn.text !== '' || turn.calls.length > 0 || turn.images.length > 0)) {
    const { text, calls, thinkingBlocks, images, details, reasoning } = turn
    messages.push({
      role: 'assistant',
      content: text === '' ? null : text,
      ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...(thinkingBlocks.length === 0 ? {} : { thinking_blocks: thinkingBlocks }),
      ...(images.length === 0 ? {} : { images }),
      ...(details.length === 0 ? {} : { reasoning_details: details }),
      ...turn.extraContent,
    })
  }
  if (!isToolNext) flushToolResultParts(conversation)
}

function flushToolResultParts({ messages, toolResultParts }: Conversation): void {
  if (toolResultParts.length > 0)
    messages.push({ role: 'user', content: toolResultParts.splice(0) })
}
