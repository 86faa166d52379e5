import { isRecord, type JsonRecord } from '../json-value.ts'

const DEPTH_MAX = 64

/** Whether a value is nested shallowly enough to be written inside others. */
export function isFlat(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth < DEPTH_MAX && Object.values(value).every((inner) => isFlat(inner, depth + 1))
}

/** The value if it is a record that can be written inside others; otherwise an empty record. */
export const flatRecord = (value: unknown): JsonRecord =>
  isRecord(value) && isFlat(value) ? value : {}
