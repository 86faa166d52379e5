import { isRecord, type JsonRecord } from '../json-value.ts'

const DEPTH_MAX = 64

/** Whether a value can be written out inside of others, whatever a provider sent. */
export function isFlat(value: unknown, depth = 0): boolean {
  if (typeof value !== 'object' || value === null) return true
  return depth < DEPTH_MAX && Object.values(value).every((inner) => isFlat(inner, depth + 1))
}

/** What can be written out inside of others; no members where that is not so. */
export const flatRecord = (value: unknown): JsonRecord =>
  isRecord(value) && isFlat(value) ? value : {}
