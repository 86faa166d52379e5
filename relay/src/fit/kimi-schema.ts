import { isRecord, type JsonRecord, listOf, omit, textOf } from '../bytes/json-value.ts'
import { type FittedSchema, objectSchema, resolved } from './schema.ts'

/*
 * Rules of Kimi's coding address: the root is an object (14790897/MiqroForge-Desktop#1165), each
 * alternative of a union has its own type and the union has none (MoonshotAI/kimi-cli#2531), and a
 * reference stands alone and points into `$defs` (MoonshotAI/kimi-cli#2061).
 */

export function kimiSchema(given: JsonRecord): FittedSchema {
  // The root may be a reference to one of its own definitions.
  const { schema, note } = objectSchema({ ...omit(given, '$ref'), ...resolved(given, given) })
  return { schema: fitted(schema), note }
}

function fitted(schema: JsonRecord): JsonRecord {
  const { $ref: reference } = schema
  if (typeof reference === 'string') {
    return { $ref: reference.replace(/^#\/definitions\//, '#/$defs/') }
  }
  const { type, definitions, anyOf, ...others } = schema
  const own = type ?? impliedType(schema)
  const rest = Object.fromEntries(
    Object.entries(others).map(([name, value]) => [name, inner(name, value)]),
  )
  const $defs = { ...records(definitions), ...records(schema['$defs']) }
  const shared = Object.keys($defs).length === 0 ? {} : { $defs }
  if (Array.isArray(anyOf)) {
    const typed = (branch: unknown) => (isRecord(branch) ? fitted(withType(branch, own)) : branch)
    return { ...rest, anyOf: anyOf.map(typed), ...shared }
  }
  return { ...(own === undefined ? {} : { type: own }), ...rest, ...shared }
}

const withType = (branch: JsonRecord, type: unknown): JsonRecord =>
  type === undefined || 'type' in branch || '$ref' in branch || 'anyOf' in branch
    ? branch
    : { ...branch, type }

function impliedType({ properties, items, enum: values }: JsonRecord): string | undefined {
  if (isRecord(properties)) return 'object'
  if (isRecord(items)) return 'array'
  const isText = listOf(values).length > 0 && listOf(values).every((value) => textOf(value) !== '')
  return isText ? 'string' : undefined
}

function inner(name: string, value: unknown): unknown {
  if (name === 'properties' || name === 'patternProperties') return records(value)
  const isSchema = name === 'items' || name === 'additionalProperties'
  return isSchema && isRecord(value) ? fitted(value) : value
}

const records = (value: unknown): JsonRecord =>
  Object.fromEntries(
    Object.entries(isRecord(value) ? value : {}).map(([name, one]) => [
      name,
      isRecord(one) ? fitted(one) : one,
    ]),
  )
