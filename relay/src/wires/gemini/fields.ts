import { isRecord, textOf } from '../../bytes/json-value.ts'
import { memoize } from '../../bytes/memoize.ts'
import { fieldError } from '../fields.ts'

/** Google also accepts the name in snake case. Null counts as absent. */
export function readField(value: unknown, name: string): unknown {
  if (!isRecord(value)) return undefined
  // No member of an object's prototype has a name of the API.
  return value[name] ?? value[snakeCase(name)] ?? undefined
}

export const snakeCase = memoize((name) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
)

/**
 * The items of a list, empty if absent. Google takes a single item in place of a list, as its own
 * examples have it. Throws `UnsupportedParameterError` for other values.
 */
export function readListField(value: unknown, name: string, path = name): unknown[] {
  const list = readField(value, name) ?? []
  if (Array.isArray(list)) return list
  if (isRecord(list)) return [list]
  throw fieldError(path, 'must be a list')
}

export type Role = 'user' | 'model'

/**
 * Old clients send function results in a role of their own, others have the roles of other APIs,
 * and a single question needs no role.
 */
export const roleOf = (content: unknown): Role =>
  /^(?:model|assistant)$/.test(textOf(readField(content, 'role'))) ? 'model' : 'user'
