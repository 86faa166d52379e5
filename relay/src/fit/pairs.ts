import { type JsonRecord, listOf, member, textOf } from '../json-value.ts'
import { textIn } from './text-in.ts'

/*
 * Chat completions require the results of an assistant's calls directly behind them, one for each
 * call (https://platform.openai.com/docs/guides/function-calling). Other APIs let results stand
 * anywhere, and histories of agents lack results of calls that were interrupted.
 */

const ABORTED = 'The tool call was aborted.'

type Call = { readonly id: string; result: JsonRecord | null }
/** Calls of one id in one message. */
type SameCalls = { readonly calls: Call[]; results: number }

/**
 * Moves each result behind its call. A call without a result gets one, a further result of a call
 * is added to the first, and a result without a call becomes a message of the user. The same array
 * if nothing changes.
 */
export function pairCalls(messages: JsonRecord[]): JsonRecord[] {
  if (!messages.some(isAboutCalls)) return messages
  const callsByMessage = new Map<JsonRecord, readonly Call[]>()
  /** The calls of the last message that uses an id. */
  const callsById = new Map<string, SameCalls>()
  const withoutCall = new Set<JsonRecord>()
  for (const message of messages) {
    if (message['role'] !== 'tool') {
      const calls = callsOf(message)
      callsByMessage.set(message, calls)
      for (const [id, same] of byId(calls)) callsById.set(id, same)
    } else if (!addResult(callsById, message)) withoutCall.add(message)
  }
  const paired = messages.flatMap((message) => {
    if (message['role'] === 'tool') return withoutCall.has(message) ? [told(message)] : []
    return [message, ...(callsByMessage.get(message) ?? []).map(resultOf)]
  })
  const [given, last] = [messages.at(-1), paired.at(-1)]
  // A model would continue a last message of its own instead of reading the result.
  if (given?.['role'] === 'tool' && last?.['role'] === 'assistant') paired.push(told(given))
  const isSame =
    paired.length === messages.length && paired.every((one, at) => one === messages[at])
  return isSame ? messages : paired
}

const isAboutCalls = (message: JsonRecord) =>
  message['role'] === 'tool' || listOf(message['tool_calls']).length > 0

const callsOf = (message: JsonRecord): Call[] =>
  listOf(message['tool_calls']).map((call) => ({ id: textOf(member(call, 'id')), result: null }))

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
function addResult(callsById: ReadonlyMap<string, SameCalls>, result: JsonRecord): boolean {
  const same = callsById.get(textOf(result['tool_call_id']))
  const call = same?.calls[same.results] ?? same?.calls.at(-1)
  if (same === undefined || call === undefined) return false
  same.results += 1
  call.result = call.result === null ? result : joined(call.result, result)
  return true
}

const resultOf = ({ id, result }: Call): JsonRecord =>
  result ?? { role: 'tool', tool_call_id: id, content: ABORTED }

const joined = (first: JsonRecord, second: JsonRecord): JsonRecord => ({
  ...first,
  content: `${textIn(first)}\n${textIn(second)}`,
})

function told(result: JsonRecord): JsonRecord {
  const { name, tool_call_id: id } = result
  return {
    role: 'user',
    content: `Result of ${textOf(name) || textOf(id) || 'a tool call'}:\n${textIn(result)}`,
  }
}
