import { isRecord, member, type JsonRecord, textOf } from '../bytes/json-value.ts'
import type { Tokenizer } from './token-encodings.ts'

type Count = (text: string) => number

const PER_FUNCTION = 7
const PER_FUNCTION_OLD = 10
const PER_PROPERTIES = 3
const PER_PROPERTY = 3
const PER_ENUM = -3
const PER_ENUM_ITEM = 3
const AFTER_ALL = 12

/** OpenAI's models: prompt overhead by OpenAI's cookbook. Other models: the JSON text. */
export function toolTokens(tools: readonly unknown[], tokenizer: Tokenizer, count: Count): number {
  if (!tokenizer.isOpenai) return count(JSON.stringify(tools))
  const perFunction = tokenizer.encoding === 'cl100k_base' ? PER_FUNCTION_OLD : PER_FUNCTION
  return tools.reduce<number>((sum, tool) => {
    const described = member(tool, 'function') ?? member(tool, 'custom') ?? tool
    return isRecord(described) ? sum + perFunction + functionTokens(described, count) : sum
  }, AFTER_ALL)
}

function functionTokens(described: JsonRecord, count: Count): number {
  const line = `${textOf(described['name'])}:${withoutDot(textOf(described['description']))}`
  const properties = member(described['parameters'], 'properties')
  if (!isRecord(properties) || Object.keys(properties).length === 0) return count(line)
  return Object.entries(properties).reduce(
    (sum, [name, schema]) => sum + propertyTokens(name, schema, count),
    count(line) + PER_PROPERTIES,
  )
}

function propertyTokens(name: string, schema: unknown, count: Count): number {
  const type = textOf(member(schema, 'type'))
  const line = `${name}:${type}:${withoutDot(textOf(member(schema, 'description')))}`
  const choices = member(schema, 'enum')
  const items = Array.isArray(choices) ? choices : []
  const enumTokens = items.reduce<number>(
    (sum, item) =>
      sum + PER_ENUM_ITEM + count(typeof item === 'string' ? item : JSON.stringify(item)),
    items.length > 0 ? PER_ENUM : 0,
  )
  return PER_PROPERTY + count(line) + enumTokens + nestedTokens(schema, count)
}

/** The cookbook does not say how nested schemas are written, so their JSON is counted. */
function nestedTokens(schema: unknown, count: Count): number {
  const nested = [member(schema, 'properties'), member(schema, 'items')].filter(isRecord)
  return nested.reduce((sum, inner) => sum + count(JSON.stringify(inner)), 0)
}

function withoutDot(description: string): string {
  return description.endsWith('.') ? description.slice(0, -1) : description
}
