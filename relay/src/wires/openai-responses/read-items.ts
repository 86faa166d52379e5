import {
  isRecord,
  member,
  type JsonRecord,
  listOf,
  stringifyOrEmpty,
  textOf,
} from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import { pairCalls } from '../../fit/pairs.ts'
import { AnswerBuilder } from '../../form/answer-builder.ts'
import type { ContentCipher } from '../../form/content-cipher.ts'
import { HISTORY, lastAnswerIn, markAnswered } from '../../form/history-mark.ts'
import { NestedJson } from '../../form/nested-json.ts'
import { type Block, type Loss, type Message, textBlocks, textsOf } from '../../form/request.ts'
import { fieldError } from '../fields.ts'
import { argumentsText } from '../openai-chat/call-input.ts'
import { readThinking } from '../read-thinking.ts'
import { LOST_SUMMARY, readCompaction } from './compaction.ts'
import { decryptEntries, isOwnContent } from './encrypted-content.ts'
import {
  agentParts,
  contentParts,
  isLost,
  plainText,
  resultParts,
  spokenText,
} from './read-parts.ts'
import { isClientRun } from './read-tools.ts'
import { SEARCH_NAME, type ToolNames } from './tool-names.ts'

/** Consecutive items of the assistant, which form a single message. */
type Turn = {
  readonly answer: AnswerBuilder
  /** The last item was a message, so the next text is a separate paragraph. */
  isAfterText: boolean
}

type Conversation = {
  readonly messages: Message[]
  turn: Turn | null
  /** The model has answered after the item that is read. */
  isHistory: boolean
  /** Images in tool results. Only a user message can show them. */
  readonly toolResultParts: Block[]
  /** By id of a tool call or image. */
  readonly signatures: Map<string, unknown>
  readonly nested: NestedJson
  readonly names: ToolNames
  readonly losses: Set<Loss>
  readonly cipher: ContentCipher
}

/** Built-in tools that the provider ran. Their items are not sent to other providers. */
const PROVIDER_RUN_CALLS = /^(?:web_search|file_search|code_interpreter|mcp|tool_search|program)_?/

/**
 * The instructions come first. Items of the history that no other API can express are left out:
 * they stay in the input of all later requests. Throws `UnsupportedParameterError` for the first
 * invalid field.
 */
export function* chatMessages(
  instructions: unknown,
  input: string | readonly unknown[],
  { names, losses, cipher }: Pick<Conversation, 'names' | 'losses' | 'cipher'>,
): Steps<readonly Message[]> {
  const conversation: Conversation = {
    names,
    losses,
    cipher,
    messages: [],
    turn: null,
    toolResultParts: [],
    signatures: new Map(),
    nested: new NestedJson(),
    isHistory: false,
  }
  if (textOf(instructions) !== '') addSystem(conversation, textOf(instructions))
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : input
  const answered = lastAnswerIn(items, isAnswer)
  for (const [index, item] of items.entries()) {
    conversation.isHistory = index < answered
    readItem(conversation, item, `input[${index}]`)
    if (isAnswer(item) && conversation.turn === null) markAnswered(conversation.messages)
    yield
  }
  endTurn(conversation)
  return pairCalls(conversation.messages)
}

function readItem(conversation: Conversation, item: unknown, path: string): void {
  if (!isRecord(item)) throw fieldError(path, 'must be an item')
  const type = typeOf(item)
  switch (type) {
    case 'message':
      return readMessage(conversation, item, path)
    case 'function_call':
      return readCall(conversation, item, objectText(item['arguments'], conversation.nested))
    case 'custom_tool_call':
      return readCall(conversation, item, JSON.stringify({ input: textOf(item['input']) }))
    case 'tool_search_call':
      return isClientRun(item) ? readSearch(conversation, item) : undefined
    case 'tool_search_output':
      return isClientRun(item) ? readFound(conversation, item, path) : undefined
    case 'agent_message':
      return addUser(conversation, agentParts(item['content']))
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

const isAnswer = (item: unknown) =>
  member(item, 'role') === 'assistant' || textOf(member(item, 'type')).endsWith('_call')

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
): void {
  const [, tool = '', isOutput] = /^(\w+)_call(_output)?$/.exec(type) ?? []
  if (tool === '' || PROVIDER_RUN_CALLS.test(tool)) return
  if (isOutput !== undefined) {
    readResult(conversation, item, path)
    return
  }
  const input = item['action'] ?? item['operation'] ?? item['actions'] ?? {}
  readCall(conversation, { ...item, name: tool }, JSON.stringify(input))
}

function readMessage(conversation: Conversation, item: JsonRecord, path: string): void {
  const { role, content } = item
  const place = `${path}.content`
  switch (role) {
    case 'assistant': {
      const text = spokenText(content)
      const turn = turnOf(conversation)
      const { answer } = turn
      answer.text += turn.isAfterText && answer.text !== '' ? `\n\n${text}` : text
      turn.isAfterText = true
      break
    }
    case 'user': {
      addUser(conversation, contentParts(content, place, conversation.isHistory))
      break
    }
    case 'system':
    case 'developer': {
      const text = plainText(content, place, conversation)
      endTurn(conversation)
      addSystem(conversation, text)
      break
    }
    default:
      throw fieldError(`${path}.role`, "must be 'user', 'assistant', 'system' or 'developer'")
  }
}

function addUser(conversation: Conversation, blocks: readonly Block[]): void {
  if (blocks.some(isLost)) conversation.losses.add('media')
  endTurn(conversation)
  if (blocks.length > 0) conversation.messages.push({ role: 'user', blocks })
}

/** Many models accept only a single system message. */
function addSystem({ messages }: Conversation, text: string): void {
  if (text === '') return
  const last = messages.at(-1)
  const texts = last?.role === 'system' ? [...textsOf(last.blocks), text] : [text]
  // In contrast to `join`, this copies no text: a request may have thousands of such messages.
  const told = texts.reduce((before, next) => `${before}\n\n${next}`)
  const message = { role: 'system', blocks: textBlocks(told) } as const
  if (last?.role === 'system') messages.splice(-1, 1, message)
  else messages.push(message)
}

function readCall(conversation: Conversation, item: JsonRecord, input: string): void {
  const { names, signatures } = conversation
  const name = textOf(item['name'])
  if (name === '') return
  const turn = turnOf(conversation)
  const { calls } = turn.answer
  const id =
    textOf(item['call_id'] ?? item['id']) || `call_${conversation.messages.length}_${calls.length}`
  const namespace = textOf(item['namespace']) || null
  calls.push({
    type: 'tool-call',
    id,
    name: names.providerName({ name, namespace }),
    input: input || '{}',
    signature: signatures.get(id),
  })
  turn.isAfterText = false
}

/**
 * Arguments as the JSON of an object. The model may have written others, or the output limit cut
 * them off; vendors refuse them in the history (vllm-project/vllm, MiniMax).
 */
function objectText(given: unknown, nested: NestedJson): string {
  const text = argumentsText(given)
  const isUsable = text === '' || isRecord(nested.parse(text)) || nested.isSpent
  return isUsable ? text : JSON.stringify({ arguments: text })
}

function readSearch(conversation: Conversation, item: JsonRecord): void {
  const search = item['arguments']
  const input = isRecord(search) ? stringifyOrEmpty(search) : '{}'
  readCall(conversation, { ...item, name: SEARCH_NAME }, input)
}

/** The found tools also count as `tools` of the request. */
function readFound(conversation: Conversation, item: JsonRecord, path: string): void {
  const found = listOf(item['tools']).map((tool) => textOf(member(tool, 'name')))
  const output = found.length === 0 ? 'No tools found.' : `Tools found: ${found.join(', ')}`
  readResult(conversation, { ...item, output }, path)
}

function readSummary(conversation: Conversation, item: JsonRecord): void {
  const summary = readCompaction(item, conversation)
  if (summary === null) conversation.losses.add('messages')
  endTurn(conversation)
  conversation.messages.push({ role: 'user', blocks: textBlocks(summary ?? LOST_SUMMARY) })
}

/** An image without data, such as an unfinished image, is skipped. */
function readImage(conversation: Conversation, item: JsonRecord): void {
  const data = textOf(item['result'])
  if (data === '') return
  const turn = turnOf(conversation)
  const format = textOf(item['output_format']) || 'png'
  turn.answer.images.push({
    type: 'image',
    url: `data:image/${format};base64,${data}`,
    signature: conversation.signatures.get(textOf(item['id'])),
  })
  turn.isAfterText = false
}

function readResult(conversation: Conversation, item: JsonRecord, path: string): void {
  // A local shell's output has the id of the call as its own.
  const id = textOf(item['call_id'] ?? item['id'])
  const parts = resultParts(item['output'], `${path}.output`)
  if (parts.some(isLost)) conversation.losses.add('media')
  endTurn(conversation, { isToolNext: true })
  const name = id === '' ? textOf(item['name']) : ''
  const blocks = textBlocks(textsOf(parts).join('\n'))
  conversation.messages.push({ role: 'tool', callId: id, name, blocks })
  conversation.toolResultParts.push(...parts.filter(({ type }) => type !== 'text'))
}

function readReasoning(conversation: Conversation, item: JsonRecord): void {
  const turn = turnOf(conversation)
  const texts = [...listOf(item['content']), ...listOf(item['summary'])]
  const text = texts.map((part) => textOf(member(part, 'text'))).find((piece) => piece !== '')
  turn.answer.reasoning += text ?? ''
  const encrypted = item['encrypted_content']
  const entries = decryptEntries(encrypted, conversation)
  if (entries === null && isOwnContent(encrypted, conversation.cipher)) {
    conversation.losses.add('reasoning')
  }
  const { signatures } = conversation
  for (const block of listOf(item['thinking_blocks'])) {
    readThinking({ answer: turn.answer, signatures, reader: conversation }, block)
  }
  for (const entry of entries ?? []) readSigned(conversation, turn.answer, entry)
  turn.isAfterText = false
}

function readSigned({ signatures }: Conversation, answer: AnswerBuilder, entry: JsonRecord): void {
  switch (entry['type']) {
    case 'thinking':
    case 'redacted_thinking':
      answer.addThinking(entry)
      return
    case 'tool_call':
    case 'image':
      signatures.set(textOf(entry['id']), entry['extra_content'])
      return
    case 'message':
      answer.signature = entry['extra_content']
      return
    case 'reasoning_details':
      for (const detail of listOf(entry['entries'])) answer.addDetail(detail)
  }
}

function turnOf(conversation: Conversation): Turn {
  if (conversation.turn === null) {
    flushToolResultParts(conversation)
    conversation.turn = { answer: new AnswerBuilder(), isAfterText: false }
  }
  return conversation.turn
}

/** Results of a turn's calls stay together; their media follow after the last result. */
function endTurn(conversation: Conversation, { isToolNext = false } = {}): void {
  const { turn } = conversation
  const message = turn?.answer.message() ?? null
  conversation.turn = null
  if (message !== null) conversation.messages.push(message)
  else if (turn !== null) markAnswered(conversation.messages)
  if (!isToolNext) flushToolResultParts(conversation)
}

function flushToolResultParts({ messages, toolResultParts }: Conversation): void {
  if (toolResultParts.length === 0) return
  messages.push({ role: 'user', blocks: toolResultParts.splice(0), [HISTORY]: true })
}
