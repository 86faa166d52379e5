import { isRecord, type JsonRecord } from '../../bytes/json-value.ts'

const CAMEL: ReadonlyMap<string, string> = new Map([
  ['any_of', 'anyOf'],
  ['min_items', 'minItems'],
  ['max_items', 'maxItems'],
  ['min_length', 'minLength'],
  ['max_length', 'maxLength'],
  ['min_properties', 'minProperties'],
  ['max_properties', 'maxProperties'],
  ['property_ordering', 'propertyOrdering'],
])
/** 64-bit integers, which Google writes as strings. */
const COUNTS = /^(?:min|max)(?:Items|Length|Properties)$/
/** Keywords that are translated to other keywords or to an order. */
const CONVERTED_KEYWORDS = new Set(['type', 'nullable', 'propertyOrdering'])

/** Converts Google's Schema, which is based on OpenAPI, to a JSON schema. */
export function jsonSchema(schema: unknown): unknown {
  if (!isRecord(schema)) return schema
  const named = Object.entries(schema).map(
    ([name, value]) => [CAMEL.get(name) ?? name, value] as const,
  )
  const given: JsonRecord = Object.fromEntries(named)
  const others = Object.entries(given)
    .filter(([name]) => !CONVERTED_KEYWORDS.has(name))
    .map(([name, value]) => [name, keyword(name, value, given)] as const)
  const { nullable } = given
  const typed = { ...typeMember(given['type']), ...Object.fromEntries(others) }
  return nullable === true ? orNull(typed) : typed
}

function typeMember(type: unknown): JsonRecord {
  if (type === undefined || type === null || type === 'TYPE_UNSPECIFIED') return {}
  const lower = (name: unknown) => (typeof name === 'string' ? name.toLowerCase() : name)
  return { type: Array.isArray(type) ? type.map(lower) : lower(type) }
}

function keyword(name: string, value: unknown, { propertyOrdering: order }: JsonRecord): unknown {
  if (name === 'items') return jsonSchema(value)
  if (name === 'anyOf' && Array.isArray(value)) return value.map(jsonSchema)
  if (name === 'properties' && isRecord(value)) return properties(value, order)
  return COUNTS.test(name) && typeof value === 'string' ? Number(value) : value
}

/** Orders the properties as `propertyOrdering` asks. */
function properties(value: JsonRecord, order: unknown): JsonRecord {
  const names = Object.keys(value)
  const first: unknown[] = Array.isArray(order) ? order : []
  const place = new Map(first.map((name, at) => [name, at]))
  const placeOf = (name: string) => place.get(name) ?? first.length
  const ordered = names.toSorted((a, b) => placeOf(a) - placeOf(b))
  return Object.fromEntries(ordered.map((name) => [name, jsonSchema(value[name])]))
}

function orNull(schema: JsonRecord): JsonRecord {
  const { type, enum: values, anyOf } = schema
  return {
    ...schema,
    ...(type === undefined ? {} : { type: [type, 'null'].flat() }),
    ...(Array.isArray(values) ? { enum: values.concat(null) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.concat({ type: 'null' }) } : {}),
  }
}
