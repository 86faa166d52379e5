export type JsonRecord = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The member of an object, or undefined when there is no such object or member. */
export function member(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

/** The parsed text, or undefined when it is not JSON (undefined is not a JSON value). */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

/** The text of what a provider sent; empty for what is nested too deep to be written out. */
export function writtenOut(value: JsonRecord): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}

export function without(record: JsonRecord, ...names: readonly string[]): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
}

/** What is no text counts as an empty one. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** What is no array counts as an empty one. */
export const listOf = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])
