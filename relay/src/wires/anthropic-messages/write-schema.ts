import { isRecord, type JsonRecord } from '../../bytes/json-value.ts'
import { wordSet } from '../../provider.ts'

/**
 * Keywords that Anthropic's structured outputs reject (page "Structured outputs"). They are moved
 * into the description.
 */
const LIMITS = wordSet(`
  minimum maximum exclusiveMinimum exclusiveMaximum multipleOf minLength maxLength minItems
  maxItems uniqueItems minProperties maxProperties
`)

/** Converts a JSON schema to the subset accepted for enforced schemas. */
export function strictSchema(schema: JsonRecord): JsonRecord {
  const limits = Object.entries(schema).filter(([name]) => LIMITS.has(name))
  const kept = Object.entries(schema).filter(([name]) => !LIMITS.has(name))
  const strict: Record<string, unknown> = Object.fromEntries(
    kept.map(([name, value]) => [name === 'oneOf' ? 'anyOf' : name, nested(name, value)]),
  )
  if (schema['type'] === 'object' || isRecord(schema['properties'])) {
    strict['additionalProperties'] = false
  }
  if (limits.length > 0) {
    const words = limits.map(([name, value]) => `${name}: ${JSON.stringify(value)}`).join(', ')
    const described = schema['description']
    strict['description'] = typeof described === 'string' ? `${described} {${words}}` : `{${words}}`
  }
  return strict
}

function nested(name: string, value: unknown): unknown {
  switch (name) {
    case 'properties':
    case '$defs':
    case 'definitions':
      return isRecord(value) ? mapValues(value, strictValue) : value
    case 'items':
      return strictValue(value)
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
      return Array.isArray(value) ? value.map(strictValue) : value
    default:
      return value
  }
}

const strictValue = (value: unknown): unknown => (isRecord(value) ? strictSchema(value) : value)

const mapValues = (record: JsonRecord, change: (value: unknown) => unknown): JsonRecord =>
  Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]))
