import {
  isPresent,
  isRecord,
  type JsonRecord,
  listOf,
  mapRecords,
  omit,
} from '../../bytes/json-value.ts'

/** Anthropic rejects more marks in a request (Wei-Shaw/sub2api#176). */
const MARKS_MAX = 4

/** The request with the last marks, which cover the longest prefixes of the prompt. */
export function limitCacheMarks(request: JsonRecord): JsonRecord {
  const { tools, system, messages } = request
  const own = isPresent(request['cache_control']) ? 1 : 0
  const excess = countIn([tools, system, messages]) + own - MARKS_MAX
  if (excess <= 0) return request
  const rest = { excess }
  return {
    ...request,
    ...(tools === undefined ? {} : { tools: withoutFirst(tools, rest) }),
    ...(system === undefined ? {} : { system: withoutFirst(system, rest) }),
    messages: withoutFirst(messages, rest),
  }
}

/** Tools, blocks and messages may be marked, and messages have blocks. */
function countIn(value: unknown): number {
  if (Array.isArray(value)) return value.reduce<number>((sum, item) => sum + countIn(item), 0)
  if (!isRecord(value)) return 0
  return (isPresent(value['cache_control']) ? 1 : 0) + countIn(listOf(value['content']))
}

function withoutFirst(list: unknown, rest: { excess: number }): readonly unknown[] {
  return mapRecords(listOf(list), (item) => {
    const { content } = item
    const kept = Array.isArray(content) ? withoutFirst(content, rest) : content
    const own = kept === content ? item : { ...item, content: kept }
    if (rest.excess === 0 || !isPresent(item['cache_control'])) return own
    rest.excess -= 1
    return omit(own, 'cache_control')
  })
}
