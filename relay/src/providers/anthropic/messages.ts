import { UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { inOrder } from '../../form/position.ts'
import { isRecord, member, type JsonRecord, textOf } from '../../json-value.ts'
import { argumentsIn, NestedJson } from '../../nested-json.ts'
import { cacheMark, contentBlocks, textBlocks } from './blocks.ts'
import { readStoredThinking } from './thinking.ts'

export type Turn = { readonly role: 'user' | 'assistant'; readonly content: JsonRecord[] }

export type Conversation = {
  /** The leading system messages; later ones become user messages. */
  readonly system: JsonRecord[]
  /** Roles alternate, and the user is first. */
  readonly turns: Turn[]
}

/** Stands in for a user message where the provider requires one. */
const CONTINUE_TEXT = 'Continue.'

export function readConversation(messages: readonly unknown[], model: string): Conversation {
  const others = messages.findIndex((message) => !isSystem(message))
  const systemCount = others === -1 ? messages.length : others
  const system = messages
    .slice(0, systemCount)
    .flatMap((message, index) => blocksOf(message, index))
  const turns: Turn[] = []
  const context = { model, nested: new NestedJson() }
  for (const [offset, message] of messages.slice(systemCount).entries()) {
    addTurn(turns, readTurn(message, systemCount + offset, context))
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

const continueTurn = (): Turn => ({ role: 'user', content: textBlocks(CONTINUE_TEXT) })

function isSystem(message: unknown): boolean {
  const role = member(message, 'role')
  return role === 'system' || role === 'developer'
}

type ReadContext = { readonly model: string; readonly nested: NestedJson }

function readTurn(message: unknown, index: number, context: ReadContext): Turn {
  switch (member(message, 'role')) {
    case 'system':
    case 'developer':
    case 'user':
      return { role: 'user', content: blocksOf(message, index) }
    case 'assistant':
      return {
        role: 'assistant',
        content: withMark(assistantBlocks(message, index, context), message),
      }
    case 'tool':
      return { role: 'user', content: [toolResult(message, index)] }
    default: {
      const path = `messages.${index}.role`
      const roles = 'system, developer, user, assistant and tool'
      throw new UnsupportedParameterError(`'${path}' must be one of ${roles}.`, path)
    }
  }
}

function blocksOf(message: unknown, index: number): JsonRecord[] {
  const content = contentBlocks(member(message, 'content'), `messages.${index}.content`)
  return withMark(content, message)
}

/** A cache mark on a message applies to the last block. */
function withMark(blocks: JsonRecord[], message: unknown): JsonRecord[] {
  const last = blocks.at(-1)
  return last === undefined ? blocks : [...blocks.slice(0, -1), { ...last, ...cacheMark(message) }]
}

function addTurn(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1)
  if (last?.role === turn.role) last.content.push(...turn.content)
  else if (turn.content.length > 0) turns.push(turn)
}

/** Tool results must come before other user content. */
function withResultsFirst({ role, content }: Turn): Turn {
  const isResult = (block: JsonRecord) => block['type'] === 'tool_result'
  const others = content.filter((block) => !isResult(block))
  return { role, content: [...content.filter(isResult), ...others] }
}

function toolResult(message: unknown, index: number): JsonRecord {
  const path = `messages.${index}`
  const content = contentBlocks(member(message, 'content'), `${path}.content`)
  return {
    type: 'tool_result',
    tool_use_id: toolId(member(message, 'tool_call_id'), `${path}.tool_call_id`),
    ...(content.length === 0 ? {} : { content }),
    ...cacheMark(message),
  }
}

function assistantBlocks(
  message: unknown,
  index: number,
  { model, nested }: ReadContext,
): JsonRecord[] {
  const content = contentBlocks(member(message, 'content'), `messages.${index}.content`)
  const text = content.length > 0 ? content : textBlocks(textOf(member(message, 'refusal')))
  if (isRecord(member(message, 'function_call'))) {
    const path = `messages.${index}.function_call`
    throw new UnsupportedParameterError(
      `'${path}' is not possible with Anthropic: use tool_calls.`,
      path,
    )
  }
  const calls = member(message, 'tool_calls')
  const uses = Array.isArray(calls)
    ? calls.map((call, position) =>
        toolUse(call, `messages.${index}.tool_calls.${position}`, nested),
      )
    : []
  const stored = readStoredThinking(member(message, 'thinking_blocks'), model)
  return inOrder({
    textBetween: (start, end) => textBetween(text, start, end),
    calls: uses,
    reasoning: stored.map(({ block, after }) => ({ items: [block], after })),
  })
}

/** A part of the blocks. The mark of a block that is split stays at its end. */
function textBetween(blocks: readonly JsonRecord[], start: number, end: number): JsonRecord[] {
  let offset = 0
  return blocks.flatMap((block) => {
    const text = textOf(block['text'])
    const [from, until] = [Math.max(0, start - offset), Math.min(end - offset, text.length)]
    const isHere = start <= offset && offset < end
    offset += text.length
    if (text === '') return isHere ? [block] : []
    if (from >= until) return []
    const mark = until === text.length ? cacheMark(block) : {}
    return textBlocks(text.slice(from, until), mark)
  })
}

function toolUse(call: unknown, path: string, nested: NestedJson): JsonRecord {
  const named = member(call, 'function')
  const name = textOf(member(named, 'name'))
  if (name === '') {
    throw new UnsupportedParameterError(`'${path}' must be the call of a function.`, path)
  }
  const input = argumentsIn(textOf(member(named, 'arguments')), nested, path)
  return {
    type: 'tool_use',
    id: toolId(member(call, 'id'), `${path}.id`),
    name,
    input: isRecord(input) ? input : {},
    ...cacheMark(call),
  }
}

function toolId(id: unknown, path: string): string {
  const text = textOf(id)
  if (text === '') throw new UnsupportedParameterError(`'${path}' is missing.`, path)
  return text
}
