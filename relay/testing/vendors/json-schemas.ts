import { isRecord, type JsonRecord, listOf, textOf } from '../../src/bytes/json-value.ts'

/* What rules look at in JSON schemas of tools and answers. */

const OF_ONE = ['items', 'additionalProperties', 'not', 'if', 'then', 'else', 'contains']
const OF_LIST = ['anyOf', 'oneOf', 'allOf', 'prefixItems']
const OF_NAMES = ['properties', '$defs', 'definitions', 'patternProperties']

/** The schema itself and all schemas within. */
export function schemasIn(schema: unknown): JsonRecord[] {
  if (!isRecord(schema)) return []
  const inner = [
    ...OF_ONE.map((name) => schema[name]),
    ...OF_LIST.flatMap((name) => listOf(schema[name])),
    ...OF_NAMES.flatMap((name) => Object.values(propertiesOf(schema, name))),
  ]
  return [schema, ...inner.flatMap(schemasIn)]
}

export const someSchema = (
  roots: readonly unknown[],
  isFound: (schema: JsonRecord) => boolean,
): boolean => roots.flatMap(schemasIn).some(isFound)

export function propertiesOf(schema: JsonRecord, name = 'properties'): JsonRecord {
  const properties = schema[name]
  return isRecord(properties) ? properties : {}
}

/** The type may be written in capitals, as Google does. */
export const isOfType = ({ type }: JsonRecord, name: string) => textOf(type).toLowerCase() === name

export const hasAny = (schema: unknown, ...words: string[]) =>
  isRecord(schema) && words.some((word) => Object.hasOwn(schema, word))

/** How deep objects and lists are nested. */
export function depthOf(schema: unknown): number {
  if (!isRecord(schema)) return 0
  const own = isOfType(schema, 'object') || isOfType(schema, 'array') ? 1 : 0
  const inner = [
    schema['items'],
    ...listOf(schema['anyOf']),
    ...Object.values(propertiesOf(schema)),
  ]
  return own + Math.max(0, ...inner.map(depthOf))
}

/** An enum with a value of another type than the schema's own. */
export const hasMistypedEnum = ({ type, enum: values }: JsonRecord) =>
  textOf(type) !== '' &&
  listOf(values).some((value) => value !== null && !fits(value, textOf(type)))

const fits = (value: unknown, type: string) =>
  type === 'integer' ? Number.isInteger(value) : typeof value === type

export const LOOKAROUND = /\(\?<?[=!]/
