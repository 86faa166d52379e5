import { ifChanged } from '../bytes/json-value.ts'
import { HISTORY } from '../form/history-mark.ts'
import {
  callsOf,
  type Message,
  textBlocks,
  textsOf,
  type ToolResult,
  type UserMessage,
} from '../form/request.ts'
import { PARAGRAPH } from './text-in.ts'

/*
 * Chat completions require the results of an assistant's calls directly behind them, one for each
 * call (https://platform.openai.com/docs/guides/function-calling). Other APIs let results stand
 * anywhere, and histories of agents lack results of calls that were interrupted.
 */

/** The result of a call that was interrupted. */
export const ABORTED = 'The tool call was aborted.'

/** What the user is made to say of a result without its call. */
export const toldResult = (name: string, text: string) =>
  `Result of ${name || 'a tool call'}:\n${text}`

type Call = { readonly id: string; result: ToolResult | null }
/** Calls of one id in one message. */
type SameCalls = { readonly calls: Call[]; results: number }

/**
 * Moves each result behind its call. A call without a result gets one, a further result of a call
 * is added to the first, and a result without a call becomes a message of the user. The same array
 * if nothing changes.
 */
export function pairCalls(messages: readonly Message[]): readonly Message[] {
  if (!messages.some(isAboutCalls)) return messages
  const callsByMessage = new Map<Message, readonly Call[]>()
  /** The calls of the last message that uses an id. */
  const callsById = new Map<string, SameCalls>()
  const withoutCall = new Set<Message>()
  for (const message of messages) {
    if (message.role !== 'tool') {
      const calls = callsOf(message).map(({ id }): Call => ({ id, result: null }))
      callsByMessage.set(message, calls)
      for (const [id, same] of byId(calls)) callsById.set(id, same)
    } else if (!addResult(callsById, message)) withoutCall.add(message)
  }
  const paired = messages.flatMap((message): Message[] => {
    if (message.role === 'tool') return withoutCall.has(message) ? [told(message)] : []
    return [message, ...(callsByMessage.get(message) ?? []).map(resultOf)]
  })
  const [given, last] = [messages.at(-1), paired.at(-1)]
  // A model would continue a last message of its own instead of reading the result.
  if (given?.role === 'tool' && last?.role === 'assistant') paired.push(told(given))
  return ifChanged(messages, paired)
}

const isAboutCalls = (message: Message) => message.role === 'tool' || callsOf(message).length > 0

function byId(calls: readonly Call[]): Map<string, SameCalls> {
  const found = new Map<string, SameCalls>()
  for (const call of calls) {
    const same = found.get(call.id)
    if (same === undefined) found.set(call.id, { calls: [call], results: 0 })
    else same.calls.push(call)
  }
  return found
}

/** False if no call before it has its id. */
function addResult(callsById: ReadonlyMap<string, SameCalls>, result: ToolResult): boolean {
  const same = callsById.get(result.callId)
  const call = same?.calls[same.results] ?? same?.calls.at(-1)
  if (same === undefined || call === undefined) return false
  same.results += 1
  call.result = call.result === null ? result : joined(call.result, result)
  return true
}

const resultOf = ({ id, result }: Call): ToolResult =>
  result ?? { role: 'tool', callId: id, name: '', blocks: textBlocks(ABORTED) }

const textIn = ({ blocks }: ToolResult) => textsOf(blocks).join(PARAGRAPH)

const mediaIn = ({ blocks }: ToolResult) => blocks.filter(({ type }) => type !== 'text')

const joined = (first: ToolResult, second: ToolResult): ToolResult => ({
  ...first,
  blocks: [
    ...textBlocks(`${textIn(first)}\n${textIn(second)}`),
    ...[first, second].flatMap(mediaIn),
  ],
})

const told = (result: ToolResult): UserMessage => ({
  role: 'user',
  blocks: [
    ...textBlocks(toldResult(result.name || result.callId, textIn(result))),
    ...mediaIn(result),
  ],
  ...(mediaIn(result).length > 0 && { [HISTORY]: true }),
})
