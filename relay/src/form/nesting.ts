import { isRecord, type JsonRecord } from '../bytes/json-value.ts'
import type { NestedJson } from './nested-json.ts'

const DEPTH_MAX = 64

/** Whether a value is nested shallowly enough to be written inside others. */
export function isFlat(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth < DEPTH_MAX && Object.values(value).every((inner) => isFlat(inner, depth + 1))
}

/**
 * The arguments of a call as an object. Text that is no object, such as one that was cut off, is
 * its only member, since a tool that runs without its arguments may do harm.
 */
export function inputOf(text: string, nested: NestedJson): JsonRecord {
  const input = nested.parse(text)
  if (isRecord(input) && isFlat(input)) return input
  return text.trim() === '' || input === null ? {} : { input: text }
}
