import { type JsonRecord, textOf } from '../../bytes/json-value.ts'
import type { Adaptations } from '../../fit/adaptations.ts'
import { withNamedMedia } from '../../fit/media.ts'
import { argumentsIn, NestedJson } from '../../form/nested-json.ts'
import {
  type AssistantMessage,
  CONTINUE_TEXT,
  type Message,
  type ToolCall,
  type ToolResult,
} from '../../form/request.ts'
import {
  cacheMember,
  contentBlock,
  contentBlocks,
  isContent,
  textContent,
} from './write-content.ts'
import { ownThinking } from './write-thinking.ts'

export type Turn = { readonly role: 'user' | 'assistant'; readonly content: JsonRecord[] }

export type Conversation = {
  /** The leading system messages; later ones become user messages. */
  readonly system: JsonRecord[]
  /** Roles alternate, and the user is first. */
  readonly turns: Turn[]
}

export function conversationOf(
  given: readonly Message[],
  model: string,
  adaptations?: Adaptations,
): Conversation {
  const messages = withNamedMedia(given, isContent, adaptations)
  const system: JsonRecord[] = []
  const turns: Turn[] = []
  const nested = new NestedJson()
  let isLeading = true
  for (const [index, message] of messages.entries()) {
    const path = `messages.${index}`
    isLeading &&= message.role === 'system'
    if (isLeading) system.push(...contentBlocks(message.blocks, `${path}.content`))
    else addTurn(turns, turnOf(message, { path, model, nested }))
  }
  if (turns[0]?.role !== 'user') turns.unshift(continueTurn())
  return { system, turns: turns.map(withResultsFirst) }
}

/** Ends the conversation with a user turn, for models without prefill. */
export function endingWithUser(turns: readonly Turn[]): Turn[] {
  return turns.at(-1)?.role === 'user' ? [...turns] : [...turns, continueTurn()]
}

/** A prefill must not end in white space. */
export function withTrimmedPrefill(turns: readonly Turn[]): Turn[] {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return [...turns]
  const content = last.content.map((block, index) =>
    index === last.content.length - 1 && block['type'] === 'text'
      ? { ...block, text: textOf(block['text']).trimEnd() }
      : block,
  )
  return [...turns.slice(0, -1), { ...last, content }]
}

/** Whether the last assistant turn called tools and its reasoning blocks are missing. */
export function lacksThinking(turns: readonly Turn[]): boolean {
  const last = turns.findLast(({ role }) => role === 'assistant')
  const types = last?.content.map(({ type }) => type) ?? []
  const hasThinking = types[0] === 'thinking' || types[0] === 'redacted_thinking'
  return types.includes('tool_use') && !hasThinking
}

const continueTurn = (): Turn => ({ role: 'user', content: textContent(CONTINUE_TEXT) })

type Context = { readonly path: string; readonly model: string; readonly nested: NestedJson }

function turnOf(message: Message, context: Context): Turn {
  const { path } = context
  switch (message.role) {
    case 'system':
    case 'user':
      return { role: 'user', content: contentBlocks(message.blocks, `${path}.content`) }
    case 'assistant':
      return { role: 'assistant', content: assistantContent(message, context) }
    case 'tool':
      return { role: 'user', content: [toolResult(message, path)] }
  }
}

function addTurn(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1)
  if (last?.role === turn.role) last.content.push(...turn.content)
  else if (turn.content.length > 0) turns.push(turn)
}

/** Tool results must come before other user content. */
function withResultsFirst(turn: Turn): Turn {
  const isResult = (block: JsonRecord) => block['type'] === 'tool_result'
  const results = turn.content.filter(isResult)
  if (results.length === 0) return turn
  const others = turn.content.filter((block) => !isResult(block))
  return { ...turn, content: [...results, ...others] }
}

function toolResult({ callId, blocks, cacheMark }: ToolResult, path: string): JsonRecord {
  const content = contentBlocks(blocks, `${path}.content`)
  return {
    type: 'tool_result',
    tool_use_id: callId,
    ...(content.length === 0 ? {} : { content }),
    ...cacheMember(cacheMark),
  }
}

function assistantContent({ blocks }: AssistantMessage, context: Context): JsonRecord[] {
  const { path, model, nested } = context
  return blocks.flatMap((block, index): JsonRecord[] => {
    switch (block.type) {
      case 'seal':
        return ownThinking(block.seal, model)
      case 'tool-call':
        return [toolUse(block, nested)]
      // Only a message of the user may have images.
      case 'image':
        return []
      default:
        return contentBlock(block, `${path}.content.${index}`)
    }
  })
}

function toolUse(call: ToolCall, nested: NestedJson): JsonRecord {
  const { id, name, input: text, isCustom = false, cacheMark } = call
  return {
    type: 'tool_use',
    id,
    name,
    input: isCustom ? { input: text } : argumentsIn(text, nested),
    ...cacheMember(cacheMark),
  }
}
