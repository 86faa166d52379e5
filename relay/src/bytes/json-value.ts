export type JsonRecord = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function member(value: unknown, name: string): unknown {
  if (!isRecord(value)) return undefined
  const found = value[name]
  return found === undefined || Object.hasOwn(value, name) ? found : undefined
}

/** The parsed text, or undefined for invalid JSON (undefined is not a JSON value). */
export function parseJson(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return value
  } catch {
    return undefined
  }
}

/** The JSON text of a provider's value; empty if the value is nested too deep to be written. */
export function stringifyOrEmpty(value: JsonRecord): string {
  try {
    return JSON.stringify(value)
  } catch {
    return ''
  }
}

export function omit(record: JsonRecord, ...names: readonly string[]): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !names.includes(name)))
}

/** Empty for values that are not strings. */
export const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

const NO_ITEMS: readonly unknown[] = []

/** Empty for values that are not arrays. */
export const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : NO_ITEMS

/** The changed list; the given list if no item differs. */
export function ifChanged<Item>(given: readonly Item[], changed: readonly Item[]) {
  const isSame = changed.length === given.length && changed.every((item, at) => item === given[at])
  return isSame ? given : changed
}

/** The same list if `change` returns every item as it is. */
export function mapItems<Item>(items: readonly Item[], change: (item: Item) => Item) {
  let changed: Item[] | null = null
  let at = 0
  for (const item of items) {
    const own = change(item)
    if (changed === null && own !== item) changed = items.slice(0, at)
    changed?.push(own)
    at += 1
  }
  return changed ?? items
}

/** Like `mapItems`, and leaves all but objects as they are. */
export const mapRecords = (list: readonly unknown[], change: (item: JsonRecord) => unknown) =>
  mapItems(list, (item) => (isRecord(item) ? change(item) : item))

export const isPresent = (value: unknown) => value !== undefined && value !== null

export function omitAbsent(record: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => isPresent(value)))
}

export function pick(record: JsonRecord, ...names: readonly string[]): JsonRecord {
  const present = names.filter((name) => isPresent(member(record, name)))
  return Object.fromEntries(present.map((name) => [name, record[name]]))
}

/** Values that are not numbers are left for the provider to reject. */
export function clamp(value: unknown, min: number, max: number): unknown {
  return typeof value === 'number' ? Math.min(Math.max(value, min), max) : value
}

export function numberIn(record: unknown, name: string): number | undefined {
  const value = member(record, name)
  return typeof value === 'number' ? value : undefined
}

export const isIntegerIn = (value: unknown, min: number, max: number): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max

export const numberOrZero = (value: unknown) => (typeof value === 'number' ? value : 0)
