import { isRecord, member, stringifyOrEmpty, textOf } from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import { unescapeId } from '../../fit/ids.ts'
import { pairCalls } from '../../fit/pairs.ts'
import { AnswerBuilder } from '../../form/answer-builder.ts'
import { parameterError } from '../../form/codec-errors.ts'
import type { ContentCipher } from '../../form/content-cipher.ts'
import { HISTORY, lastAnswerIn, markAnswered } from '../../form/history-mark.ts'
import { NestedJson } from '../../form/nested-json.ts'
import {
  type Block,
  type FileBlock,
  type ImageBlock,
  type Loss,
  type Message,
  PARAGRAPH,
  textBlock,
  textBlocks,
  textsOf,
  type ToolResult,
  cacheMarkOf,
} from '../../form/request.ts'
import { isAddress } from '../../media/data-url.ts'
import { readThinking, type Turn } from '../read-thinking.ts'
import { withoutBillingHeader } from './billing-header.ts'

const NO_CONTENT = 'Input should be a string or a list of blocks'

/** Where a block stands. */
type Place = {
  readonly path: string
  /** Blocks that no other API can express are left out, and noted as losses. */
  readonly isHistory: boolean
  readonly losses: Set<Loss>
}

const within = (place: Place, name: string | number): Place => ({
  ...place,
  path: `${place.path}.${name}`,
})

type MessagesOptions = {
  /** Messages before this index are empty. */
  readonly from?: number
  readonly cipher: ContentCipher
  readonly losses: Set<Loss>
}

/**
 * The system prompt comes first. Throws `UnsupportedParameterError` for the first invalid field,
 * and for a block of the last message that no other API can express.
 */
export function* chatMessages(
  system: unknown,
  messages: readonly unknown[],
  { from = 0, cipher, losses }: MessagesOptions,
): Steps<readonly Message[]> {
  const chat: Message[] = []
  const place = { path: 'system', isHistory: false, losses }
  const first = contentOf(withoutBillingHeader(system ?? ''), place)
  if (first.length > 0) chat.push({ role: 'system', blocks: first })
  const reader = { cipher, losses, nested: new NestedJson() }
  const answered = lastAnswerIn(messages, (message) => member(message, 'role') === 'assistant')
  for (let index = from; index < messages.length; index += 1) {
    const message = messages[index]
    const isHistory = index < answered
    const read = readMessage(message, { path: `messages.${index}`, isHistory, losses }, reader)
    if (read.length === 0 && index <= answered) markAnswered(chat)
    chat.push(...read)
    yield
  }
  return [...messages.slice(0, from).map(() => EMPTY), ...pairCalls(chat)]
}

type Reader = Turn['reader']

const EMPTY: Message = { role: 'user', blocks: [] }

function readMessage(message: unknown, at: Place, reader: Reader): Message[] {
  const place = within(at, 'content')
  const content = member(message, 'content')
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  if (!Array.isArray(blocks)) {
    throw fieldError(place.path, NO_CONTENT)
  }
  switch (member(message, 'role')) {
    case 'user':
      return userMessages(blocks, place)
    case 'assistant':
      return assistantMessage(blocks, reader)
    case 'system':
      return [{ role: 'system', blocks: partsOf(blocks, place) }]
    default:
      throw fieldError(`${at.path}.role`, "Input should be 'user' or 'assistant'")
  }
}

/** Tool results come first, each as its own message. Their images follow in a user message. */
function userMessages(blocks: readonly unknown[], at: Place): Message[] {
  const results: Message[] = []
  const others: Block[] = []
  let isHistory = false
  for (const [index, block] of blocks.entries()) {
    const place = within(at, index)
    if (member(block, 'type') !== 'tool_result') {
      others.push(...partOf(block, place))
      continue
    }
    const result = resultOf(block, place)
    results.push(result.message)
    others.push(...result.images)
    isHistory ||= result.images.length > 0
  }
  if (others.length === 0) return results
  return [...results, { role: 'user', blocks: others, ...(isHistory && { [HISTORY]: true }) }]
}

type Result = { message: ToolResult; images: Block[] }

function resultOf(block: unknown, at: Place): Result {
  const id = unescapeId(textOf(member(block, 'tool_use_id')))
  const place = { ...within(at, 'content'), isHistory: true }
  const parts = contentOf(member(block, 'content') ?? '', place)
  const text = textsOf(parts).join('\n')
  const blocks = textBlocks(member(block, 'is_error') === true ? `Error: ${text}` : text)
  const message = { role: 'tool', callId: id, name: '', blocks, ...cacheMarkOf(block) } as const
  return { message, images: parts.filter(({ type }) => type !== 'text') }
}

function contentOf(content: unknown, place: Place): Block[] {
  if (typeof content === 'string') return textBlocks(content)
  if (Array.isArray(content)) return partsOf(content, place)
  throw fieldError(place.path, NO_CONTENT)
}

const partsOf = (blocks: readonly unknown[], place: Place): Block[] =>
  blocks.flatMap((block, index) => partOf(block, within(place, index)))

/** A block of the history is left out. */
function refused(block: unknown, { path, isHistory, losses }: Place, message: string): Block[] {
  if (!isHistory) throw fieldError(path, message)
  losses.add(lossOf(block))
  return []
}

const lossOf = (block: unknown): Loss =>
  ['image', 'document'].includes(typeName(block)) ? 'media' : 'messages'

/** Nothing for an empty text, which some providers reject. */
function partOf(block: unknown, place: Place): Block[] {
  switch (member(block, 'type')) {
    case 'text': {
      const text = member(block, 'text')
      if (typeof text !== 'string')
        return refused(block, within(place, 'text'), 'Input should be a string')
      return text === '' ? [] : [{ ...textBlock(text), ...cacheMarkOf(block) }]
    }
    case 'image':
      return imagePart(block, place)
    case 'document':
      return documentPart(block, place)
    case 'search_result':
      return searchPart(block, place)
    case 'tool_reference':
      return [textBlock(`Tool available: ${textOf(member(block, 'tool_name'))}`)]
    default:
      return refused(
        block,
        within(place, 'type'),
        `Blocks of type '${typeName(block)}' are not possible here`,
      )
  }
}

const typeName = (block: unknown) => textOf(member(block, 'type')) || 'unknown'

function imagePart(block: unknown, place: Place): Block[] {
  const source = member(block, 'source')
  const [type, data] = [textOf(member(source, 'media_type')), textOf(member(source, 'data'))]
  const address = textOf(member(source, 'url'))
  switch (member(source, 'type')) {
    case 'base64':
      return [image(`data:${type};base64,${data}`, block)]
    case 'url':
      return [image(address, block)]
    default:
      return refused(block, within(place, 'source.type'), "Input should be 'base64' or 'url'")
  }
}

const image = (url: string, block: unknown): ImageBlock => ({
  type: 'image',
  url,
  ...cacheMarkOf(block),
})

function documentPart(block: unknown, place: Place): Block[] {
  const source = member(block, 'source')
  const [type, data] = [textOf(member(source, 'media_type')), textOf(member(source, 'data'))]
  const title = textOf(member(block, 'title'))
  switch (member(source, 'type')) {
    case 'base64':
      return [fileBlock(title || 'document.pdf', `data:${type};base64,${data}`, block)]
    case 'url': {
      const url = textOf(member(source, 'url'))
      if (isAddress(url)) return [fileBlock(title || 'document.pdf', url, block)]
      return refused(block, within(place, 'source.url'), 'Input should be an address')
    }
    case 'text':
      return [{ ...textBlock(withTitle(title, data)), ...cacheMarkOf(block) }]
    case 'content':
      return textPart(block, title, within(place, 'source.content'))
    default:
      return refused(
        block,
        within(place, 'source.type'),
        "Input should be 'base64', 'url', 'text' or 'content'",
      )
  }
}

const fileBlock = (name: string, data: string, block: unknown): FileBlock => ({
  type: 'file',
  name,
  data,
  ...cacheMarkOf(block),
})

const joinedTexts = (parts: readonly Block[]) =>
  parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')

function searchPart(block: unknown, place: Place): Block[] {
  const [title, source] = [textOf(member(block, 'title')), textOf(member(block, 'source'))]
  return textPart(block, `${title} (${source})`, within(place, 'content'))
}

/** The texts of a document or of a result of a search. */
function textPart(block: unknown, title: string, place: Place): Block[] {
  const content = member(block, 'content') ?? member(member(block, 'source'), 'content')
  if (typeof content !== 'string' && !Array.isArray(content))
    return refused(block, place, NO_CONTENT)
  const text = withTitle(title, joinedTexts(contentOf(content, place)))
  return [{ ...textBlock(text), ...cacheMarkOf(block) }]
}

const withTitle = (title: string, text: string) => (title === '' ? text : `${title}\n\n${text}`)

function assistantMessage(blocks: readonly unknown[], reader: Reader): Message[] {
  const turn = { answer: new AnswerBuilder(), signatures: new Map<string, unknown>(), reader }
  for (const block of blocks) readAssistantBlock(turn, block)
  const { answer, signatures } = turn
  const { calls } = answer
  calls.splice(
    0,
    Infinity,
    ...calls.map((call) => ({ ...call, signature: signatures.get(call.id) })),
  )
  return [answer.message() ?? []].flat()
}

/** A call without a name is left out, and its result becomes a message of the user. */
function readAssistantBlock(turn: Turn, block: unknown): void {
  switch (member(block, 'type')) {
    case 'text':
      turn.answer.text += textOf(member(block, 'text'))
      break
    case 'tool_use': {
      const [id, name] = [unescapeId(textOf(member(block, 'id'))), textOf(member(block, 'name'))]
      if (name === '') {
        turn.reader.losses.add('messages')
        return
      }
      const given = member(block, 'input')
      const input = isRecord(given) ? stringifyOrEmpty(given) : '{}'
      turn.answer.calls.push({ type: 'tool-call', id, name, input, ...cacheMarkOf(block) })
      break
    }
    case 'thinking':
    case 'redacted_thinking':
      readThinking(turn, block)
      break
    case 'compaction': {
      // The API leaves out what is before a summary, and so may the client.
      const summary = textOf(member(block, 'content'))
      if (summary !== '') turn.answer.text += `${summary}${PARAGRAPH}`
      break
    }
    // Calls and results of the provider's built-in tools are not sent to other providers.
    default:
      turn.reader.losses.add(lossOf(block))
  }
}

/** For an invalid field, named by its path, in the wording of the Messages API. */
export const fieldError = (param: string, message: string) =>
  parameterError(`${param}: ${message}`, param)
