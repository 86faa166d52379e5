import { isRecord, type JsonRecord, listOf } from '../../bytes/json-value.ts'

/** Anthropic rejects more marks in a request (Wei-Shaw/sub2api#176). */
const MARKS_MAX = 4

/** The request with the last marks, which cover the longest prefixes of the prompt. */
export function limitCacheMarks(request: JsonRecord): JsonRecord {
  const { tools, system, messages } = request
  const own = 'cache_control' in request ? 1 : 0
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
  return ('cache_control' in value ? 1 : 0) + countIn(listOf(value['content']))
}

function withoutFirst(list: unknown, rest: { excess: number }): unknown[] {
  return listOf(list).map((item) => {
    if (rest.excess === 0 || !isRecord(item)) return item
    const { content, cache_control: mark, ...others } = item
    const kept = Array.isArray(content)
      ? { content: withoutFirst(content, rest) }
      : content === undefined
        ? {}
        : { content }
    if (mark === undefined || rest.excess === 0) {
      return { ...others, ...kept, ...(mark === undefined ? {} : { cache_control: mark }) }
    }
    rest.excess -= 1
    return { ...others, ...kept }
  })
}
