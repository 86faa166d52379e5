import { type JsonRecord, member, textOf } from '../../bytes/json-value.ts'
import type { Adaptations } from '../../fit/adaptations.ts'
import { withNamedMedia } from '../../fit/media.ts'
import { ownReasoning } from '../../fit/stored-reasoning.ts'
import { parameterError } from '../../form/codec-errors.ts'
import {
  type AssistantMessage,
  type Block,
  callsOf,
  type Message,
  textsOf,
  type ToolCall,
  PARAGRAPH,
} from '../../form/request.ts'
import { isAddress, typeAt } from '../../media/data-url.ts'

type Input = { readonly instructions: string; readonly items: JsonRecord[] }

type Options = {
  readonly model: string
  readonly hasInstructions: boolean
  readonly adaptations: Adaptations | undefined
}

/**
 * The leading system messages become the instructions, unless all of them must be items. Throws
 * `UnsupportedParameterError`.
 */
export function inputOf(
  given: readonly Message[],
  { model, hasInstructions, adaptations }: Options,
): Input {
  const messages = withNamedMedia(given, isContent, adaptations)
  const first = messages.findIndex(({ role }) => role !== 'system')
  // The input may not be empty.
  const leading = hasInstructions && first !== -1 ? messages.slice(0, first) : []
  const calls = messages.flatMap(callsOf)
  const customCalls = new Set(calls.filter(({ isCustom }) => isCustom).map(({ id }) => id))
  const items = messages
    .slice(leading.length)
    .flatMap((message, index) =>
      itemsOf(message, { path: `messages.${leading.length + index}`, model, customCalls }),
    )
  return { instructions: leading.map(textIn).join(PARAGRAPH), items }
}

type Context = {
  readonly path: string
  readonly model: string
  /** Ids of calls whose input is a text; their results have a type of their own. */
  readonly customCalls: ReadonlySet<string>
}

function itemsOf(message: Message, { path, model, customCalls }: Context): JsonRecord[] {
  switch (message.role) {
    case 'system':
      return [{ role: 'developer', content: textIn(message) }]
    case 'user':
      return [{ role: 'user', content: contentOf(message.blocks, `${path}.content`) }]
    case 'assistant':
      return assistantItems(message, model)
    case 'tool': {
      const { callId, blocks } = message
      const type = customCalls.has(callId) ? 'custom_tool_call_output' : 'function_call_output'
      return [{ type, call_id: callId, output: contentOf(blocks, `${path}.content`) }]
    }
  }
}

const textIn = ({ blocks }: Message) => textsOf(blocks).join('')

function contentOf(blocks: readonly Block[], path: string): string | JsonRecord[] {
  const [first, ...others] = blocks
  if (first === undefined) return ''
  if (first.type === 'text' && others.length === 0) return first.text
  return blocks.map((block, index) => partOf(block, `${path}.${index}`))
}

const isContent = (block: unknown): boolean => {
  const type = member(block, 'type')
  const address = textOf(member(block, 'data'))
  if (type !== 'file' || !isAddress(address)) return type === 'image' || type === 'file'
  return !/^(?:video|audio)/.test(typeAt(address) ?? 'video')
}

function partOf(block: Block, path: string): JsonRecord {
  switch (block.type) {
    case 'text':
      return { type: 'input_text', text: block.text }
    case 'image': {
      const { url, detail = '' } = block
      return { type: 'input_image', image_url: url, ...(detail === '' ? {} : { detail }) }
    }
    case 'file': {
      const { name: filename, data, id: file_id } = block
      if (isAddress(data ?? '')) return { type: 'input_file', file_url: data }
      return { type: 'input_file', filename, file_data: data, file_id }
    }
    default:
      throw parameterError(
        `'${path}' is a part that the Responses API does not take: it takes text, image_url and file.`,
        path,
      )
  }
}

/** Texts between two items of reasoning are one message, before the calls there. */
function assistantItems({ blocks }: AssistantMessage, model: string): JsonRecord[] {
  const items: JsonRecord[] = []
  let [text, isLater] = ['', false]
  let calls: JsonRecord[] = []
  const flush = () => {
    items.push(...spokenItems(text, isLater), ...calls)
    isLater ||= text !== ''
    ;[text, calls] = ['', []]
  }
  for (const block of blocks) {
    if (block.type === 'text') text += block.text
    else if (block.type === 'tool-call') calls.push(callItem(block))
    else if (block.type === 'seal') {
      const reasoning = ownReasoning(block.seal, model)
      if (reasoning === null) continue
      flush()
      items.push(reasoning)
    }
  }
  flush()
  const last = items.findLastIndex(({ type }) => type !== 'reasoning')
  // Reasoning without the item that it led to is refused.
  return items.slice(0, last + 1)
}

/** A later message of an answer begins with the end of a paragraph. */
function spokenItems(piece: string, isLater: boolean): JsonRecord[] {
  const content = isLater && piece.startsWith(PARAGRAPH) ? piece.slice(PARAGRAPH.length) : piece
  return content === '' ? [] : [{ role: 'assistant', content }]
}

function callItem({ id, name, input, isCustom = false }: ToolCall): JsonRecord {
  return isCustom
    ? { type: 'custom_tool_call', call_id: id, name, input }
    : { type: 'function_call', call_id: id, name, arguments: input }
}
