import { isRecord, type JsonRecord, listOf, member, textOf } from '../../bytes/json-value.ts'
import { blocksOf } from './native-history.ts'

const NAME = /^[\w-]{1,200}$/

/**
 * Whether Claude refuses the messages: a call without a result in the next turn, a result without a
 * call in the turn before, or an empty text. Messages of the same role are one turn
 * (https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use). `json` may be
 * an outline, in which only an empty text is empty.
 */
export function isBrokenHistory(json: JsonRecord): boolean {
  const messages = listOf(json['messages'])
  /** Ids of the calls of this turn, and of those that still need a result. */
  let [called, waiting]: [string[], string[]] = [[], []]
  let [isAnswer, isPastResults] = [false, false]
  for (const [at, message] of messages.entries()) {
    if (isAnswer !== (member(message, 'role') === 'assistant')) {
      if (waiting.length > 0) return true
      isAnswer = !isAnswer
      isPastResults = false
      ;[called, waiting] = [[], called]
    }
    if (isEmpty(message) && !(isAnswer && at === messages.length - 1)) return true
    for (const block of blocksOf(message)) {
      const type = member(block, 'type')
      if (isEmptyText(block) || blocksOf(block).some(isEmptyText)) return true
      if (type === 'tool_result') {
        const found = waiting.indexOf(textOf(member(block, 'tool_use_id')))
        if (found === -1 || isPastResults) return true
        waiting.splice(found, 1)
      } else if (type === 'tool_use') {
        if (!isAnswer || isRefusedCall(block)) return true
        called.push(textOf(member(block, 'id')))
      } else isPastResults = true
    }
  }
  return waiting.length > 0 || called.length > 0
}

function isEmpty(message: unknown): boolean {
  const content = member(message, 'content')
  return content === '' || (Array.isArray(content) && content.length === 0)
}

const isEmptyText = (block: unknown): boolean =>
  member(block, 'type') === 'text' && member(block, 'text') === ''

const isRefusedCall = (block: unknown): boolean =>
  !NAME.test(textOf(member(block, 'name'))) || !isRecord(member(block, 'input'))
