import { ifChanged } from '../bytes/json-value.ts'
import { HISTORY } from '../form/history-mark.ts'
import {
  callsOf,
  type Message,
  textBlocks,
  textsOf,
  type ToolResult,
  PARAGRAPH,
} from '../form/request.ts'

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

/** How the messages of a form, or of chat completions, show calls and results. */
export type PairRules<Message, Result extends Message> = {
  readonly isAnswer: (message: Message) => boolean
  readonly callIds: (message: Message) => readonly string[]
  readonly isResult: (message: Message) => message is Result
  readonly resultId: (result: Result) => string
  readonly aborted: (id: string) => Result
  readonly joined: (first: Result, second: Result) => Result
  /** A result without its call, as a message of the user. */
  readonly told: (result: Result) => Message
}

type Call<Result> = { readonly id: string; result: Result | null }
/** Calls of one id in one message. */
type SameCalls<Result> = { readonly calls: Call<Result>[]; results: number }

/**
 * Moves each result behind its call. A call without a result gets one, a further result of a call
 * is added to the first, and a result without a call becomes a message of the user. The same array
 * if nothing changes.
 */
export function pairMessages<Message, Result extends Message>(
  messages: readonly Message[],
  rules: PairRules<Message, Result>,
): readonly Message[] {
  const { callIds, isResult, isAnswer } = rules
  if (!messages.some((message) => isResult(message) || callIds(message).length > 0)) return messages
  const callsByMessage = new Map<Message, readonly Call<Result>[]>()
  /** The calls of the last message that uses an id. */
  const callsById = new Map<string, SameCalls<Result>>()
  const withoutCall = new Set<Message>()
  for (const message of messages) {
    if (!isResult(message)) {
      const calls = callIds(message).map((id): Call<Result> => ({ id, result: null }))
      callsByMessage.set(message, calls)
      for (const [id, same] of byId(calls)) callsById.set(id, same)
    } else if (!addResult(callsById, message, rules)) withoutCall.add(message)
  }
  const paired = messages.flatMap((message): Message[] => {
    if (isResult(message)) return withoutCall.has(message) ? [rules.told(message)] : []
    const calls = callsByMessage.get(message) ?? []
    return [message, ...calls.map(({ id, result }) => result ?? rules.aborted(id))]
  })
  const [given, last] = [messages.at(-1), paired.at(-1)]
  // A model would continue a last message of its own instead of reading the result.
  const isContinued = last !== undefined && isAnswer(last)
  if (isContinued && given !== undefined && isResult(given)) paired.push(rules.told(given))
  return ifChanged(messages, paired)
}

function byId<Result>(calls: readonly Call<Result>[]): Map<string, SameCalls<Result>> {
  const found = new Map<string, SameCalls<Result>>()
  for (const call of calls) {
    const same = found.get(call.id)
    if (same === undefined) found.set(call.id, { calls: [call], results: 0 })
    else same.calls.push(call)
  }
  return found
}

/** False if no call before it has its id. */
function addResult<Message, Result extends Message>(
  callsById: ReadonlyMap<string, SameCalls<Result>>,
  result: Result,
  { resultId, joined }: PairRules<Message, Result>,
): boolean {
  const same = callsById.get(resultId(result))
  const call = same?.calls[same.results] ?? same?.calls.at(-1)
  if (same === undefined || call === undefined) return false
  same.results += 1
  call.result = call.result === null ? result : joined(call.result, result)
  return true
}

/** The messages of a form, with their calls and results in pairs. */
export const pairCalls = (messages: readonly Message[]): readonly Message[] =>
  pairMessages(messages, FORM_RULES)

const textIn = ({ blocks }: ToolResult) => textsOf(blocks).join(PARAGRAPH)

const mediaIn = ({ blocks }: ToolResult) => blocks.filter(({ type }) => type !== 'text')

const FORM_RULES: PairRules<Message, ToolResult> = {
  isAnswer: ({ role }) => role === 'assistant',
  callIds: (message) => callsOf(message).map(({ id }) => id),
  isResult: (message) => message.role === 'tool',
  resultId: ({ callId }) => callId,
  aborted: (callId) => ({ role: 'tool', callId, name: '', blocks: textBlocks(ABORTED) }),
  joined: (first, second) => ({
    ...first,
    blocks: [
      ...textBlocks(`${textIn(first)}\n${textIn(second)}`),
      ...[first, second].flatMap(mediaIn),
    ],
  }),
  told: (result) => ({
    role: 'user',
    blocks: [
      ...textBlocks(toldResult(result.name || result.callId, textIn(result))),
      ...mediaIn(result),
    ],
    ...(mediaIn(result).length > 0 && { [HISTORY]: true }),
  }),
}
