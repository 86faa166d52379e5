import type { ModelCard, ToolRules } from '../cards/model-card.ts'
import { readDataUrl } from '../codec/data-url.ts'
import { isRecord, type JsonRecord, member, omit, textOf } from '../json-value.ts'
import { fitMedia } from './media.ts'
import { PARAGRAPH, textIn } from './text-in.ts'
import { withChanges } from './with-changes.ts'

/** Roles in the order that the vendor accepts, and texts in its form. */
export function fitContent(json: JsonRecord, card: ModelCard): JsonRecord {
  const { messages, tools } = json
  if (!Array.isArray(messages)) return json
  const plain = fitMedia(messages, card).map((message: unknown) =>
    isRecord(message) ? plainMessage(message, card) : message,
  )
  const told = plain.filter((message) => !isSilent(message))
  return {
    ...json,
    // A request without any message is refused.
    messages: inOrder(told.length === 0 ? plain : told, card),
    ...(Array.isArray(tools) ? { tools: tools.map((tool) => plainTool(tool, card)) } : {}),
  }
}

/** An answer of the assistant of which nothing is left, such as one of images. */
const isSilent = (message: unknown) =>
  isRecord(message) &&
  message['role'] === 'assistant' &&
  Object.entries(message).every(([name, value]) => name === 'role' || isNothing(value))

/** True is a mark of vendors, such as `prefix`. */
const isNothing = (value: unknown) =>
  [null, undefined, '', true].some((nothing) => value === nothing) ||
  (Array.isArray(value) && value.length === 0)

function inOrder(messages: readonly unknown[], { content }: ModelCard): readonly unknown[] {
  const { system, takesUserAfterTool, takesRepeatedRoles } = content
  let ordered = messages
  if (system === 'first') ordered = withOneSystem(ordered)
  if (system === 'none') ordered = ordered.map(asUser)
  if (!takesUserAfterTool) ordered = withAnswersBetween(ordered)
  return takesRepeatedRoles ? ordered : withRepeatsJoined(ordered)
}

/** Members of messages that only codecs understand. */
const MESSAGE_EXTENSIONS = ['thinking_blocks', 'cache_control', 'images'] as const

export function plainMessage(message: JsonRecord, card: ModelCard): JsonRecord {
  const { content, tool_calls: calls } = message
  const signatures = card.reasoningBack.takesSignatures ? [] : ['extra_content']
  const plainCall = (call: unknown) =>
    isRecord(call) ? omit(call, 'cache_control', ...signatures) : call
  const isImagesOnly = !Array.isArray(calls) && 'images' in message
  const needsText = isImagesOnly || (Array.isArray(calls) && !card.content.takesNullContent)
  return {
    ...omit(message, ...MESSAGE_EXTENSIONS, ...signatures),
    // No provider accepts an empty message.
    ...(content === null && needsText ? { content: '' } : {}),
    ...(Array.isArray(content) ? { content: plainParts(content, card) } : {}),
    ...(Array.isArray(calls) ? { tool_calls: calls.map(plainCall) } : {}),
  }
}

/** A single text becomes a string, and so do several where lists are not accepted. */
function plainParts(parts: readonly unknown[], { content }: ModelCard): unknown {
  const texts = parts.map((part) => (member(part, 'type') === 'text' ? member(part, 'text') : null))
  const isText = texts.every((text) => typeof text === 'string')
  if (isText && (texts.length === 1 || !content.takesTextLists)) return texts.join(PARAGRAPH)
  return parts.map((part) => withTrueType(withoutPartExtensions(part)))
}

/** Vendors compare the declared type of an image with its bytes. */
function withTrueType(part: unknown): unknown {
  const image = member(part, 'image_url')
  const url = textOf(member(image, 'url'))
  const inline = url.startsWith('data:image/') ? readDataUrl(url) : null
  if (inline === null || !isRecord(part) || !isRecord(image)) return part
  const { mediaType, data } = inline
  if (url.startsWith(`data:${mediaType};base64,`)) return part
  return { ...part, image_url: { ...image, url: `data:${mediaType};base64,${data}` } }
}

export const withoutPartExtensions = (value: unknown) =>
  isRecord(value) ? omit(value, 'cache_control', 'extra_content') : value

const roleOf = (message: unknown) => member(message, 'role')

/**
 * The leading system messages become one. Later ones become messages of the user, since moving
 * them to the front would change the beginning of the prompt, which vendors cache.
 */
function withOneSystem(messages: readonly unknown[]): unknown[] {
  const start = messages.findIndex((message) => roleOf(message) !== 'system')
  const leading = messages.slice(0, start === -1 ? messages.length : start)
  const [first] = leading
  const merged =
    leading.length < 2 || !isRecord(first)
      ? leading
      : [{ ...first, content: leading.map(textIn).join(PARAGRAPH) }]
  const rest = messages.slice(leading.length)
  return [...merged, ...rest.map(asUser)]
}

const asUser = (message: unknown) =>
  isRecord(message) && roleOf(message) === 'system' ? { ...message, role: 'user' } : message

const ACKNOWLEDGEMENT = { role: 'assistant', content: 'OK.' }

/** Templates of Mistral's models demand an answer to tool results before the user speaks. */
function withAnswersBetween(messages: readonly unknown[]): unknown[] {
  return messages.flatMap((message, at) => {
    const isEarly = roleOf(message) === 'user' && roleOf(messages[at - 1]) === 'tool'
    return isEarly ? [ACKNOWLEDGEMENT, message] : [message]
  })
}

/** Templates of some models demand that user and assistant alternate. */
function withRepeatsJoined(messages: readonly unknown[]): unknown[] {
  const joined: unknown[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    const isRepeat = ALTERNATING.has(roleOf(message)) && roleOf(last) === roleOf(message)
    if (isRepeat && isRecord(last) && isRecord(message)) joined.splice(-1, 1, join(last, message))
    else joined.push(message)
  }
  return joined
}

const ALTERNATING = new Set<unknown>(['user', 'assistant'])

function join(first: JsonRecord, second: JsonRecord): JsonRecord {
  const contents = [first['content'], second['content']]
  const content = contents.some(Array.isArray)
    ? contents.flatMap(partsOf)
    : contents.map(textOf).filter(isNotEmpty).join(PARAGRAPH)
  return { ...first, ...second, content }
}

const isNotEmpty = (text: string) => text !== ''

const partsOf = (content: unknown): unknown[] => {
  if (Array.isArray(content)) return content
  return textOf(content) === '' ? [] : [{ type: 'text', text: content }]
}

function plainTool(tool: unknown, { tools }: ModelCard): unknown {
  const plain = withoutPartExtensions(tool)
  const named = member(plain, 'function')
  if (!isRecord(plain) || !isRecord(named)) return plain
  const fitted = withChanges(named, {
    ...(tools.takesStrict ? {} : { strict: undefined }),
    ...parametersChange(named, tools),
  })
  return { ...plain, function: fitted }
}

const NO_PARAMETERS = { type: 'object', properties: {} }
const SCHEMA_IDS = ['$schema', '$id']

/** The schema of a function in the form that the vendor accepts; empty if it accepts the given. */
export function parametersChange(
  { parameters = null }: JsonRecord,
  { takesNoParameters, takesSchemaIds }: ToolRules,
): JsonRecord {
  if (parameters === null) return takesNoParameters ? {} : { parameters: NO_PARAMETERS }
  const isRefused =
    !takesSchemaIds && isRecord(parameters) && SCHEMA_IDS.some((id) => id in parameters)
  return isRefused ? { parameters: omit(parameters, ...SCHEMA_IDS) } : {}
}
