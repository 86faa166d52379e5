import { isRecord, member } from '../bytes/json-value.ts'
import type { CacheMark } from './request.ts'

/** The mark of a block, a call, a tool or a request, in the form of the Messages API. */
export function cacheMarkOf(source: unknown): { cacheMark?: CacheMark } {
  const mark = member(source, 'cache_control')
  return isRecord(mark) && mark['type'] === 'ephemeral'
    ? { cacheMark: { ...mark, type: 'ephemeral' } }
    : {}
}
