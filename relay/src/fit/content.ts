import { isRecord, type JsonRecord, omit } from '../bytes/json-value.ts'
import type { ModelCard, ToolRules } from '../cards/model-card.ts'
import { markAnswered } from '../form/history-mark.ts'
import {
  type AssistantBlock,
  type AssistantMessage,
  type ChatForm,
  type Message,
  textBlock,
  type TextBlock,
  textBlocks,
  textsOf,
  type Tool,
  type UserMessage,
} from '../form/request.ts'
import { trueDataUrl } from '../media/data-url.ts'
import { fitMedia, withNamedMedia } from './media.ts'
import { PARAGRAPH } from './text-in.ts'

/** Roles in the order that the vendor accepts, and texts in its form. */
export function fitContent(form: ChatForm, card: ModelCard): ChatForm {
  const spoken = form.messages.map(withoutImages)
  const readable = card.vendor === 'openai' ? withNamedMedia(spoken, isReadByOpenAi) : spoken
  const plain = fitMedia(readable, card).map((message) => plainMessage(message, card))
  const told: Message[] = []
  for (const message of plain) {
    if (isSilent(message)) markAnswered(told)
    else told.push(message)
  }
  return {
    ...form,
    // A request without any message is refused.
    messages: inOrder(told.length === 0 ? plain : told, card),
    tools: form.tools.map((tool) => plainTool(tool, card.tools)),
  }
}

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

function inOrder(messages: readonly Message[], { content }: ModelCard): readonly Message[] {
  const { system, takesUserAfterTool, takesRepeatedRoles } = content
  let ordered = messages
  if (system === 'first') ordered = withOneSystem(ordered)
  if (system === 'none') ordered = ordered.map(asUser)
  if (!takesUserAfterTool) ordered = withAnswersBetween(ordered)
  return takesRepeatedRoles ? ordered : withRepeatsJoined(ordered)
}

/**
 * The leading system messages become one. Later ones become messages of the user, since moving
 * them to the front would change the beginning of the prompt, which vendors cache.
 */
function withOneSystem(messages: readonly Message[]): Message[] {
  const start = messages.findIndex(({ role }) => role !== 'system')
  const leading = messages.slice(0, start === -1 ? messages.length : start)
  const rest = messages.slice(leading.length).map(asUser)
  if (leading.length < 2) return [...leading, ...rest]
  const text = leading.map(({ blocks }) => textsOf(blocks).join(PARAGRAPH)).join(PARAGRAPH)
  return [{ role: 'system', blocks: textBlocks(text) }, ...rest]
}

const asUser = (message: Message): Message =>
  message.role === 'system' ? { ...message, role: 'user' } : message

const ACKNOWLEDGEMENT: AssistantMessage = {
  role: 'assistant',
  reasoning: '',
  blocks: textBlocks('OK.'),
}

/** Templates of Mistral's models demand an answer to tool results before the user speaks. */
function withAnswersBetween(messages: readonly Message[]): Message[] {
  return messages.flatMap((message, at) => {
    const isEarly = message.role === 'user' && messages[at - 1]?.role === 'tool'
    return isEarly ? [ACKNOWLEDGEMENT, message] : [message]
  })
}

/** Templates of some models demand that user and assistant alternate. */
function withRepeatsJoined(messages: readonly Message[]): Message[] {
  const joined: Message[] = []
  for (const message of messages) {
    const last = joined.at(-1)
    if (last?.role === 'user' && message.role === 'user')
      joined.splice(-1, 1, {
        ...message,
        blocks: joinedBlocks<UserMessage['blocks'][number]>(last.blocks, message.blocks),
      })
    else if (last?.role === 'assistant' && message.role === 'assistant')
      joined.splice(-1, 1, {
        role: 'assistant',
        reasoning: message.reasoning || last.reasoning,
        blocks: joinedBlocks<AssistantBlock>(last.blocks, message.blocks),
        signature: message.signature ?? last.signature,
      })
    else joined.push(message)
  }
  return joined
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

function plainTool(tool: Tool, rules: ToolRules): Tool {
  const { strict } = tool
  return {
    ...tool,
    ...(tool.type === 'function' ? parametersChange(tool, rules) : {}),
    strict: rules.takesStrict ? strict : undefined,
    cacheMark: undefined,
  }
}

const NO_PARAMETERS = { type: 'object', properties: {} }
const SCHEMA_IDS = ['$schema', '$id']

/** The schema of a function in the form that the vendor accepts; empty if it accepts the given. */
export function parametersChange(
  { parameters = null }: { readonly parameters?: unknown },
  { takesNoParameters, takesSchemaIds }: ToolRules,
): { parameters?: JsonRecord } {
  if (parameters === null) return takesNoParameters ? {} : { parameters: NO_PARAMETERS }
  if (takesSchemaIds || !isRecord(parameters)) return {}
  const isRefused = SCHEMA_IDS.some((id) => id in parameters)
  return isRefused ? { parameters: omit(parameters, ...SCHEMA_IDS) } : {}
}
