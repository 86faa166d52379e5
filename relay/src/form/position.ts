import { type JsonRecord, member } from '../bytes/json-value.ts'

/*
 * Chat completions keep the text, the tool calls and the signed reasoning of a message apart, but
 * providers accept reasoning only in its own place. Each block of it states what precedes it.
 */

/** Characters of text, and tool calls. */
export type Position = { readonly text: number; readonly toolCalls: number }

/** The member that states a position; none at the start. */
export const positionMember = ({ text, toolCalls }: Position): JsonRecord =>
  text === 0 && toolCalls === 0 ? {} : { after: { text, tool_calls: toolCalls } }

export function positionOf(block: unknown): Position {
  const after = member(block, 'after')
  return { text: count(member(after, 'text')), toolCalls: count(member(after, 'tool_calls')) }
}

const count = (value: unknown): number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : 0

type Pieces<Item> = {
  /** The text from one offset to another, which may be Infinity. */
  readonly textBetween: (start: number, end: number) => readonly Item[]
  readonly calls: readonly Item[]
  readonly reasoning: readonly { readonly items: readonly Item[]; readonly after: Position }[]
}

/** All pieces of a message in their order. */
export function inOrder<Item>({ textBetween, calls, reasoning }: Pieces<Item>): Item[] {
  const ordered: Item[] = []
  let [textStart, callStart] = [0, 0]
  const addUntil = ({ text, toolCalls }: Position) => {
    const textEnd = Math.max(textStart, text)
    for (const item of textBetween(textStart, textEnd)) ordered.push(item)
    for (const call of calls.slice(callStart, toolCalls)) ordered.push(call)
    textStart = textEnd
    callStart = Math.max(callStart, toolCalls)
  }
  for (const { items, after } of reasoning) {
    addUntil(after)
    ordered.push(...items)
  }
  addUntil({ text: Infinity, toolCalls: Infinity })
  return ordered
}
