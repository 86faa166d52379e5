import { isRecord, type JsonRecord, listOf, member, textOf } from '../../bytes/json-value.ts'
import { blocksOf } from './native-history.ts'

const NAME = /^[\w-]{1,200}$/

/**
 * Whether Claude refuses the messages: a call without a result in the next message, a result
 * without a call in the message before, or an empty text
 * (https://platform.claude.com/docs/en/agents-and-tools/tool-use/implement-tool-use). `json` may be
 * an outline, whose long texts begin as they do.
 */
export function isBrokenHistory(json: JsonRecord): boolean {
  const messages = listOf(json['messages'])
  let waiting: string[] = []
  for (const [at, message] of messages.entries()) {
    const isAnswer = member(message, 'role') === 'assistant'
    const isEnd = isAnswer && at === messages.length - 1
    if (isEmpty(message) && !isEnd) return true
    const called: string[] = []
    let isPastResults = false
    for (const block of blocksOf(message)) {
      const type = member(block, 'type')
      if (type === 'tool_result') {
        const found = waiting.indexOf(textOf(member(block, 'tool_use_id')))
        if (found === -1 || isPastResults || blocksOf(block).some(isBlank)) return true
        waiting.splice(found, 1)
        continue
      }
      isPastResults ||= waiting.length > 0
      if (isBlank(block)) return true
      if (type !== 'tool_use') continue
      if (!isAnswer || isRefusedCall(block)) return true
      called.push(textOf(member(block, 'id')))
    }
    if (waiting.length > 0) return true
    waiting = called
  }
  return waiting.length > 0
}

function isEmpty(message: unknown): boolean {
  const content = member(message, 'content')
  return Array.isArray(content) ? content.length === 0 : textOf(content).trim() === ''
}

const isBlank = (block: unknown): boolean =>
  member(block, 'type') === 'text' && textOf(member(block, 'text')).trim() === ''

const isRefusedCall = (block: unknown): boolean =>
  !NAME.test(textOf(member(block, 'name'))) || !isRecord(member(block, 'input'))
