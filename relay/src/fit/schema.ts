import {
  ifChanged,
  isRecord,
  type JsonRecord,
  listOf,
  mapItems,
  member,
  omit,
  textOf,
} from '../bytes/json-value.ts'

/* Changes to the schemas of tools that providers demand. */

const UNIONS = ['anyOf', 'oneOf', 'allOf'] as const
/** A longer description of a union is left out. */
const NOTE_LENGTH_MAX = 2000

export type FittedSchema = {
  readonly schema: JsonRecord
  /** For the tool's description: what the schema no longer says. Empty for nothing. */
  readonly note: string
}

/**
 * The schema without a union at its top level, which Anthropic rejects
 * (anthropics/claude-code#27337). Properties of the alternatives become properties of the schema.
 */
export function withoutTopUnion(schema: JsonRecord): FittedSchema {
  const unions = UNIONS.filter((name) => Array.isArray(schema[name]))
  if (unions.length === 0) return { schema, note: '' }
  let merged: JsonRecord = Object.fromEntries(
    Object.entries(schema).filter(([name]) => !UNIONS.some((union) => union === name)),
  )
  const notes: string[] = []
  for (const name of unions) {
    const branches = listOf(schema[name]).map((branch) => resolved(branch, schema))
    merged = withBranches(merged, branches, name === 'allOf')
    const text = JSON.stringify(schema[name])
    if (name !== 'allOf' && text.length <= NOTE_LENGTH_MAX) {
      const amount = name === 'oneOf' ? 'exactly one' : 'at least one'
      notes.push(`The input must match ${amount} of these JSON schemas: ${text}`)
    }
  }
  return { schema: merged, note: notes.join('\n') }
}

/** Keywords besides unions that OpenAI refuses at the top (nspady/google-calendar-mcp#39). */
const VALUES = ['enum', 'const', 'not'] as const

/** The schema of an object, without unions and values at its top, whose lists have items. */
export function objectSchema(given: JsonRecord): FittedSchema {
  const { schema, note } = withoutTopUnion(given)
  const hasValues = VALUES.some((name) => name in schema)
  const plain = withListItems(hasValues ? omit(schema, ...VALUES) : schema)
  return {
    schema: plain['type'] === 'object' ? plain : { properties: {}, ...plain, type: 'object' },
    note,
  }
}

/** OpenAI refuses a list that does not say what it holds (PrefectHQ/fastmcp#2464). */
function withListItems(schema: JsonRecord): JsonRecord {
  const { type } = schema
  const isList = type === 'array' || (Array.isArray(type) && type.includes('array'))
  const fitted = changedValues(schema, (value, name) => inner(name, value, withListItems))
  return isList && !('items' in schema) ? { ...fitted, items: {} } : fitted
}

const POINTER = /^#\/(\$defs|definitions)\/([^/]+)$/

/** The schema that a reference of `root` points to; other schemas are returned unchanged. */
export function resolved(branch: unknown, root: JsonRecord): JsonRecord {
  const [, group = '', name = ''] = POINTER.exec(textOf(member(branch, '$ref'))) ?? []
  const found = member(member(root, group), name) ?? branch
  return isRecord(found) ? found : {}
}

/** `isEach`: all branches hold at once. Otherwise any of them may. */
function withBranches(
  schema: JsonRecord,
  branches: readonly JsonRecord[],
  isEach: boolean,
): JsonRecord {
  const given = isRecord(schema['properties']) ? schema['properties'] : {}
  /** By property, the different schemas of the branches, by their JSON. */
  const alternatives = new Map<string, Map<string, unknown>>()
  const requiredBy = new Map<unknown, number>()
  for (const branch of branches) {
    const own = isRecord(branch['properties']) ? branch['properties'] : {}
    for (const [name, value] of Object.entries(own)) {
      if (Object.hasOwn(given, name)) continue
      const others = alternatives.get(name) ?? new Map<string, unknown>()
      alternatives.set(name, others.set(JSON.stringify(value), value))
    }
    for (const name of new Set(listOf(branch['required']))) {
      requiredBy.set(name, (requiredBy.get(name) ?? 0) + 1)
    }
  }
  const properties = [...alternatives].map(([name, byJson]): [string, unknown] => {
    const [first, ...others] = byJson.values()
    return [name, others.length === 0 ? first : { anyOf: [first, ...others] }]
  })
  const shared = [...requiredBy].filter(([, count]) => isEach || count === branches.length)
  const required = new Set([...listOf(schema['required']), ...shared.map(([name]) => name)])
  return {
    ...schema,
    properties: { ...given, ...Object.fromEntries(properties) },
    ...(required.size === 0 ? {} : { required: [...required] }),
  }
}

/**
 * The schema in the words of draft 2020-12, which Anthropic checks (anthropics/claude-code#9605):
 * no null for a keyword, no boolean limits, no tuples in `items`.
 */
export function inCurrentDraft(schema: JsonRecord): JsonRecord {
  const limits = {
    ...schema,
    ...numericLimit(schema, 'minimum'),
    ...numericLimit(schema, 'maximum'),
  }
  return Object.fromEntries(
    Object.entries(limits).flatMap(([name, value]): [string, unknown][] => {
      if (name === 'items' && Array.isArray(value)) {
        return value.length === 0
          ? []
          : [['prefixItems', inner('prefixItems', value, inCurrentDraft)]]
      }
      const isAbsent = value === undefined || (value === null && KEYWORDS.has(name))
      return isAbsent ? [] : [[name, inner(name, value, inCurrentDraft)]]
    }),
  )
}

const PLAIN_NAME = /^[a-zA-Z0-9_.-]{1,64}$/
const SPECIAL = /[\\^$.*+?()[\]{}|/]/g

/**
 * Properties whose names Anthropic refuses become patterns that only these names match: `required`
 * and the model's arguments keep the names.
 */
export function withPlainProperties(schema: JsonRecord): JsonRecord {
  const fitted = changedValues(schema, (value, name) => inner(name, value, withPlainProperties))
  const { properties, patternProperties } = fitted
  const given = Object.entries(isRecord(properties) ? properties : {})
  const others = given.filter(([name]) => !PLAIN_NAME.test(name))
  if (others.length === 0) return fitted
  const patterns = others.map(([name, value]) => [`^${name.replaceAll(SPECIAL, '\\$&')}$`, value])
  return {
    ...fitted,
    properties: Object.fromEntries(given.filter(([name]) => PLAIN_NAME.test(name))),
    patternProperties: {
      ...(isRecord(patternProperties) ? patternProperties : {}),
      ...Object.fromEntries(patterns),
    },
  }
}

/** The same schema if it has none of the keywords. A property may have such a name. */
export function withoutKeywords(schema: JsonRecord, keywords: readonly string[]): JsonRecord {
  const change = (one: JsonRecord) => withoutKeywords(one, keywords)
  const fitted = changedValues(schema, (value, name) => inner(name, value, change))
  return keywords.some((name) => name in fitted) ? omit(fitted, ...keywords) : fitted
}

/** Keywords that may not be null. `const`, `default` and `enum` may have null. */
const KEYWORDS: ReadonlySet<string> = new Set([
  'type',
  'description',
  'properties',
  'required',
  'items',
  'additionalProperties',
  'format',
  'pattern',
  ...UNIONS,
])

/** Draft 4 has a boolean next to `minimum`; later drafts have the number itself. */
function numericLimit(schema: JsonRecord, name: 'minimum' | 'maximum'): JsonRecord {
  const exclusive = name === 'minimum' ? 'exclusiveMinimum' : 'exclusiveMaximum'
  if (typeof schema[exclusive] !== 'boolean') return {}
  return schema[exclusive]
    ? { [exclusive]: schema[name], [name]: undefined }
    : { [exclusive]: undefined }
}

/** The value of a keyword, in which every schema is changed; the same if none changes. */
function inner(name: string, value: unknown, change: (schema: JsonRecord) => JsonRecord): unknown {
  const changed = (one: unknown) => (isRecord(one) ? change(one) : one)
  switch (name) {
    case 'properties':
    case '$defs':
    case 'definitions':
    case 'patternProperties':
      return isRecord(value) ? changedValues(value, changed) : value
    case 'items':
    case 'not':
    case 'additionalProperties':
      return changed(value)
    case 'anyOf':
    case 'oneOf':
    case 'allOf':
    case 'prefixItems':
      return Array.isArray(value) ? mapItems(value, changed) : value
    // OpenAI and Claude refuse a name that stands twice (lidge-jun/opencodex#270).
    case 'required':
      return Array.isArray(value) ? ifChanged(value, [...new Set(value)]) : value
    default:
      return value
  }
}

function changedValues(
  record: JsonRecord,
  change: (value: unknown, name: string) => unknown,
): JsonRecord {
  const changes = Object.keys(record).flatMap((name): [string, unknown][] => {
    const value = change(record[name], name)
    return value === record[name] ? [] : [[name, value]]
  })
  return changes.length === 0 ? record : { ...record, ...Object.fromEntries(changes) }
}
