import { isRecord, type JsonRecord, stringifyOrEmpty } from '../../bytes/json-value.ts'
import { parameterError } from '../../form/codec-errors.ts'
import { wordSet } from '../../provider.ts'

/** The part of JSON Schema that Gemini accepts in OpenAPI's form (04-google-gemini, section 2). */
const KEPT = wordSet(`
  type format title description nullable enum items minItems maxItems properties required
  propertyOrdering minimum maximum minLength maxLength pattern anyOf
`)
/** A schema may refer to itself. Beyond this depth it is left open. */
const REFERENCES_MAX = 5
/** Characters that may replace references. A few references can make a schema of any size. */
const REFERRED_CHARACTERS_MAX = 256 * 1024

/**
 * Converts a JSON schema to OpenAPI's form: inlines references and drops unsupported keywords.
 * Throws `UnsupportedParameterError` if the result is too large.
 */
export function openApiSchema(schema: JsonRecord): JsonRecord {
  return converted(schema, { root: schema, references: 0, referred: { characters: 0 } })
}

type Place = {
  readonly root: JsonRecord
  readonly references: number
  readonly referred: { characters: number }
}

function converted(schema: JsonRecord, place: Place): JsonRecord {
  const { $ref: reference } = schema
  if (typeof reference === 'string') {
    const target = place.references < REFERENCES_MAX ? resolve(reference, place.root) : undefined
    return target === undefined ? {} : converted(target, deeper(place, target))
  }
  const words = withAlternatives(schema)
  const isValue = ([name]: readonly [string, unknown]) => KEPT.has(name)
  const kept = Object.entries(words).filter(isValue)
  return normalized({
    ...Object.fromEntries(kept.map(([name, value]) => [name, nested(name, value, place)])),
    ...typeMembers(words),
  })
}

const STRING_FORMATS: ReadonlySet<unknown> = new Set(['enum', 'date-time'])

/**
 * Rules of Google's schemas that JSON Schema does not have: arrays have items, objects are not
 * empty, only texts have lists of values, required properties exist, and `anyOf` stands alone
 * (BerriAI/litellm#11164).
 */
function normalized({ ...schema }: Record<string, unknown>): JsonRecord {
  const { type, properties, required, enum: values, format, anyOf } = schema
  if (Array.isArray(anyOf)) {
    if (properties !== undefined) delete schema['anyOf']
    else return pick(schema, ['description', 'nullable', 'anyOf'])
  }
  const names = isRecord(properties) ? Object.keys(properties) : []
  if (isRecord(properties) && names.length === 0) delete schema['properties']
  if (Array.isArray(required)) {
    const known = required.filter((name) => typeof name === 'string' && names.includes(name))
    if (known.length === 0) delete schema['required']
    else schema['required'] = known
  }
  if (type === 'array' && !isRecord(schema['items'])) schema['items'] = { type: 'string' }
  if (Array.isArray(values)) {
    const texts = values.filter((value) => typeof value === 'string' && value !== '')
    if ((type ?? 'string') !== 'string' || texts.length === 0) delete schema['enum']
    else schema['enum'] = texts
  }
  if (type === 'string' && format !== undefined && !STRING_FORMATS.has(format)) {
    delete schema['format']
  }
  return schema
}

const pick = (record: JsonRecord, names: readonly string[]): JsonRecord =>
  Object.fromEntries(Object.entries(record).filter(([name]) => names.includes(name)))

function deeper({ root, references, referred }: Place, target: JsonRecord): Place {
  referred.characters += stringifyOrEmpty(target).length
  if (referred.characters > REFERRED_CHARACTERS_MAX) {
    throw parameterError('The schema is too large once its references are put in their place.')
  }
  return { root, references: references + 1, referred }
}

function resolve(reference: string, root: JsonRecord): JsonRecord | undefined {
  const names = reference.startsWith('#/') ? reference.slice(2).split('/') : []
  const found = names.reduce<unknown>(
    (value, name) => (isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined),
    root,
  )
  return names.length > 0 && isRecord(found) ? found : undefined
}

function withAlternatives(schema: JsonRecord): JsonRecord {
  const { oneOf, const: only } = schema
  return {
    ...(Array.isArray(oneOf) ? { anyOf: oneOf } : {}),
    ...(typeof only === 'string' ? { type: 'string', enum: [only] } : {}),
    ...schema,
  }
}

/** A list of types becomes a nullable type, or else a choice of types. */
function typeMembers({ type }: JsonRecord): JsonRecord {
  if (!Array.isArray(type)) return {}
  const types: unknown[] = type.filter((name) => name !== 'null')
  const nullable = types.length < type.length ? { nullable: true } : {}
  if (types.length === 1) return { type: types[0], ...nullable }
  return { type: undefined, anyOf: types.map((name) => ({ type: name })), ...nullable }
}

function nested(name: string, value: unknown, place: Place): unknown {
  const convert = (inner: unknown) => (isRecord(inner) ? converted(inner, place) : inner)
  switch (name) {
    case 'properties':
      return isRecord(value)
        ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, convert(inner)]))
        : value
    case 'items':
      return convert(value)
    case 'anyOf':
      return Array.isArray(value) ? value.map(convert) : value
    default:
      return value
  }
}
