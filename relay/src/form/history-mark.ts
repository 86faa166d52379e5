import { isRecord, type JsonRecord } from '../bytes/json-value.ts'

/**
 * Marks a message of the user that was answered, though the answer had nothing to keep, or that
 * shows what a tool returned. A symbol, so that no provider gets it.
 */
export const HISTORY = Symbol('history')

export type HistoryMark = { readonly [HISTORY]?: boolean | undefined }

export const isMarked = (message: unknown): boolean =>
  typeof message === 'object' && message !== null && HISTORY in message && message[HISTORY] === true

/** For an answer that is left out: the question before it is history. */
export function markAnswered(messages: unknown[]): void {
  const last = messages.at(-1)
  if (isRecord(last) && last['role'] === 'user')
    messages.splice(-1, 1, { ...last, [HISTORY]: true })
}

/**
 * The index of the last answer. A last message of the model is no answer: the model continues it,
 * so the message before it is still the question.
 */
export const lastAnswerIn = <Message>(
  messages: readonly Message[],
  isAnswer: (message: Message) => boolean,
): number => messages.slice(0, -1).findLastIndex(isAnswer)

export const markOf = (message: HistoryMark): JsonRecord =>
  isMarked(message) ? { [HISTORY]: true } : {}
