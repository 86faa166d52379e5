import { isRecord, type JsonRecord } from '../bytes/json-value.ts'
import type { ModelCard, ToolRules } from '../cards/model-card.ts'
import { parameterError } from '../form/codec-errors.ts'
import { markAnswered } from '../form/history-mark.ts'
import {
  type AssistantBlock,
  type Block,
  type ChatForm,
  CONTINUE_TEXT,
  type Message,
  textBlock,
  type TextBlock,
  textBlocks,
  textsOf,
  type Tool,
  PARAGRAPH,
} from '../form/request.ts'
import { isAddress, trueDataUrl } from '../media/data-url.ts'
import { fitMedia, withNamedMedia } from './media.ts'
import { inOrder, type OrderRules } from './order.ts'
import { withoutKeywords } from './schema.ts'

/** Roles in the order that the vendor accepts, and texts in its form. */
export function fitContent(form: ChatForm, card: ModelCard): ChatForm {
  const spoken = form.messages.map(withoutImages)
  const isRead = (block: AssistantBlock) =>
    (card.content.takesFileAddresses || !isFileAddress(block)) &&
    (card.vendor !== 'openai' || isReadByOpenAi(block))
  const readable = withNamedMedia(spoken, isRead)
  const plain = fitMedia(readable, card).map((message) => plainMessage(message, card))
  if (!card.content.takesFileAddresses) rejectFileAddresses(plain)
  const told: Message[] = []
  for (const message of plain) {
    if (isSilent(message)) markAnswered(told)
    else told.push(message)
  }
  return {
    ...form,
    // A request without any message is refused.
    messages: inOrder(told.length === 0 ? plain : withUser(told, card), card.content, FORM_ORDER),
    tools: form.tools.map((tool) => plainTool(tool, card.tools)),
  }
}

/**
 * Templates of models look for what the user asks, and Zhipu does too (farion1231/cc-switch#5653).
 * Agents leave it out of a shortened history.
 */
function withUser(messages: readonly Message[], { vendor }: ModelCard): readonly Message[] {
  const hasRole = (wanted: Message['role']) => messages.some(({ role }) => role === wanted)
  if (vendor === 'openai' || hasRole('user')) return messages
  if (vendor !== 'zhipu' && !hasRole('assistant')) return messages
  const first = messages.findIndex(({ role }) => role !== 'system')
  const start = first === -1 ? messages.length : first
  const asked = { role: 'user', blocks: textBlocks(CONTINUE_TEXT) } as const
  return [...messages.slice(0, start), asked, ...messages.slice(start)]
}

function rejectFileAddresses(messages: readonly Message[]): void {
  const at = messages.findIndex(({ blocks }) => blocks.some(isFileAddress))
  if (at === -1) return
  throw parameterError(
    'This provider reads no file by its address: send its data, or ask another model.',
    `messages.${at}.content`,
  )
}

const isFileAddress = (block: AssistantBlock): boolean =>
  block.type === 'file' && isAddress(block.data ?? '')

const OPENAI_IMAGES = /^data:image\/(?:png|jpe?g|gif|webp);|^https?:/i

/** OpenAI refuses other formats of images and recordings, and parts of other vendors. */
function isReadByOpenAi(block: AssistantBlock): boolean {
  if (block.type === 'image') return OPENAI_IMAGES.test(trueDataUrl(block.url))
  if (block.type === 'audio') return ['wav', 'mp3'].includes(block.format)
  return block.type !== 'opaque'
}

/** An answer of the assistant of which nothing is left, such as one of images. */
const isSilent = (message: Message) =>
  message.role === 'assistant' &&
  message.blocks.length === 0 &&
  message.reasoning === '' &&
  message.signature === undefined

/** Chat completions have no place for images of the assistant. */
const withoutImages = (message: Message): Message =>
  message.role === 'assistant'
    ? { ...message, blocks: message.blocks.filter(({ type }) => type !== 'image') }
    : message

function plainMessage(message: Message, { content }: ModelCard): Message {
  switch (message.role) {
    case 'assistant': {
      const blocks = message.blocks.map(plainBlock)
      return { ...message, blocks: joinedTexts(blocks, content.takesTextLists) }
    }
    case 'tool': {
      const blocks = joinedTexts(message.blocks.map(plainBlock), content.takesTextLists)
      return { ...message, blocks, cacheMark: undefined }
    }
    default:
      return {
        ...message,
        blocks: joinedTexts(message.blocks.map(plainBlock), content.takesTextLists),
      }
  }
}

/** Without marks for caches, and with the type of an image that vendors find in its bytes. */
function plainBlock<Block extends AssistantBlock>(block: Block): Block {
  if (block.type === 'seal' || block.type === 'opaque') return block
  if (block.type !== 'image') return { ...block, cacheMark: undefined }
  return { ...block, url: trueDataUrl(block.url), cacheMark: undefined }
}

/** Several texts become one where lists are not accepted. */
function joinedTexts<Block extends AssistantBlock>(
  blocks: readonly Block[],
  takesTextLists: boolean,
): readonly (Block | TextBlock)[] {
  const isText = blocks.every(({ type }) => type === 'text')
  if (takesTextLists || !isText || blocks.length < 2) return blocks
  return [textBlock(textsOf(blocks).join(PARAGRAPH))]
}

const FORM_ORDER: OrderRules<Message> = {
  roleOf: ({ role }) => role,
  asUser: (message) => (message.role === 'system' ? { ...message, role: 'user' } : message),
  joined: (first, second) => {
    if (first.role === 'assistant' && second.role === 'assistant') {
      return {
        role: 'assistant',
        reasoning: second.reasoning || first.reasoning,
        blocks: joinedBlocks<AssistantBlock>(first.blocks, second.blocks),
        signature: second.signature ?? first.signature,
      }
    }
    if (first.role === 'assistant' || second.role === 'assistant') return second
    return { ...second, blocks: joinedBlocks<Block>(first.blocks, second.blocks) }
  },
  acknowledgement: { role: 'assistant', reasoning: '', blocks: textBlocks('OK.') },
}

/** A text of each become two paragraphs. */
function joinedBlocks<Block extends AssistantBlock>(
  first: readonly Block[],
  second: readonly Block[],
): readonly (Block | TextBlock)[] {
  const blocks = [...first, ...second]
  const isPlain = [first, second].every((list) => textsOf(list).length < 2)
  if (!isPlain || blocks.some(({ type }) => !JOINED.has(type))) return blocks
  const others = blocks.filter(({ type }) => type !== 'text')
  const text = textsOf(blocks).join(PARAGRAPH)
  return [...textBlocks(text), ...others]
}

const JOINED: ReadonlySet<string> = new Set(['text', 'seal', 'tool-call'])

const plainTool = (tool: Tool, rules: ToolRules): Tool => ({
  ...tool,
  ...(tool.type === 'function' ? definitionChange(tool, rules) : {}),
  cacheMark: undefined,
})

const NO_PARAMETERS = { type: 'object', properties: {} }
const SCHEMA_IDS = ['$schema', '$id']

/** Members of a function to replace; undefined removes one. */
export const definitionChange = (
  definition: { readonly parameters?: unknown },
  rules: ToolRules,
): { parameters?: JsonRecord; strict?: undefined } => ({
  ...parametersChange(definition, rules),
  ...(rules.takesStrict ? {} : { strict: undefined }),
})

/** The schema in the form that the vendor accepts; empty if it accepts the given. */
function parametersChange(
  { parameters = null }: { readonly parameters?: unknown },
  { takesNoParameters, ...rules }: ToolRules,
): { parameters?: JsonRecord } {
  if (parameters === null) return takesNoParameters ? {} : { parameters: NO_PARAMETERS }
  if (!isRecord(parameters)) return {}
  const typed = parameters['type'] === undefined ? { ...NO_PARAMETERS, ...parameters } : parameters
  const accepted = withoutKeywords(typed, [
    ...(rules.takesSchemaIds ? [] : SCHEMA_IDS),
    ...(rules.takesAdditionalProperties ? [] : ['additionalProperties']),
  ])
  return accepted === parameters ? {} : { parameters: accepted }
}
