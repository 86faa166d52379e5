import { isRecord, member, type JsonRecord } from '../../bytes/json-value.ts'
import {
  type FittedSchema,
  inCurrentDraft,
  objectSchema,
  withPlainProperties,
} from '../../fit/schema.ts'
import { parameterError } from '../../form/codec-errors.ts'
import type { ChatForm, Settings, Tool, ToolChoice } from '../../form/request.ts'
import type { ProviderCall } from '../provider-codec.ts'
import { type ModelTraits, traitsOf } from './model-traits.ts'
import { cacheMember } from './write-content.ts'
import { strictSchema } from './write-schema.ts'

export type ToolSettings = {
  readonly tools: readonly JsonRecord[]
  readonly choice: JsonRecord | null
  readonly mustCall: boolean
}

/** Models without structured outputs answer in a schema by calling this tool. */
export const JSON_TOOL = 'answer_in_json'

export function answerSchema(settings: JsonRecord): JsonRecord | undefined {
  const format = settings['response_format']
  if (member(format, 'type') !== 'json_schema') return undefined
  const schema = member(member(format, 'json_schema'), 'schema')
  return isRecord(schema) ? schema : { type: 'object' }
}

/** Whether the arguments of `JSON_TOOL` are the text of the answer. */
export const answersByTool = ({ request, model, channel }: ProviderCall) =>
  answerSchema(request) !== undefined && !traitsOf(model, channel.cardOf).acceptsSchemas

export function toolSettings(
  { tools: given, settings }: ChatForm,
  traits: ModelTraits,
): ToolSettings {
  const tools = given.map((tool, index) => toolOf(tool, `tools.${index}`, traits))
  const schema = traits.acceptsSchemas ? undefined : answerSchema(settings)
  if (schema !== undefined) {
    const { schema: input_schema, note } = fittedSchema(schema)
    const jsonTool = { name: JSON_TOOL, description: joined(JSON_TOOL_USE, note), input_schema }
    return withChoice([...tools, jsonTool], { type: 'any' }, settings)
  }
  return tools.length === 0 ? NO_TOOLS : chosenTools(settings, tools)
}

const JSON_TOOL_USE = 'Call this with your answer.'
const NO_TOOLS: ToolSettings = { tools: [], choice: null, mustCall: false }

function chosenTools(settings: Settings, tools: readonly JsonRecord[]): ToolSettings {
  const { tool_choice: choice } = settings
  if (typeof choice !== 'object' || choice.type !== 'allowed_tools') {
    return withChoice(tools, choiceOf(choice), settings)
  }
  const allowed = new Set<unknown>(choice.tools.map(({ name }) => name))
  const left = tools.filter(({ name }) => allowed.has(name))
  if (left.length === 0 && choice.mode === 'required') {
    throw parameterError("'tool_choice' allows none of the tools.", 'tool_choice')
  }
  // A history with calls needs tools.
  if (left.length === 0) return withChoice(tools, { type: 'none' }, settings)
  return withChoice(left, choiceOf(choice.mode), settings)
}

function withChoice(
  tools: readonly JsonRecord[],
  choice: JsonRecord | null,
  { parallel_tool_calls: isParallel }: Settings,
): ToolSettings {
  const mustCall = choice?.['type'] === 'any' || choice?.['type'] === 'tool'
  if (isParallel !== false || choice?.['type'] === 'none') return { tools, choice, mustCall }
  const alone = { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true }
  return { tools, choice: alone, mustCall }
}

function toolOf(tool: Tool, path: string, { acceptsSchemas }: ModelTraits): JsonRecord {
  const { type, name, description: text = '', parameters = {}, strict, cacheMark } = tool
  if (type !== 'function') {
    throw parameterError(`'${path}' must be a function with a name.`, path)
  }
  const { schema, note, hasPatterns } = fittedSchema(parameters)
  const description = joined(text, note)
  // Strict schemas have no patterns.
  const isStrict = acceptsSchemas && strict === true && !hasPatterns
  return {
    name,
    ...(description === '' ? {} : { description }),
    input_schema: isStrict ? strictSchema(schema) : schema,
    ...(isStrict ? { strict: true } : {}),
    ...cacheMember(cacheMark),
  }
}

function fittedSchema(given: JsonRecord): FittedSchema & { readonly hasPatterns: boolean } {
  const { schema, note } = objectSchema(inCurrentDraft(given))
  const plain = withPlainProperties(schema)
  return { schema: plain, note, hasPatterns: plain !== schema }
}

const joined = (...texts: string[]) => texts.filter((text) => text !== '').join('\n\n')

function choiceOf(choice: Exclude<ToolChoice, { type: 'allowed_tools' }> | undefined) {
  switch (choice) {
    case undefined:
      return null
    case 'auto':
    case 'none':
      return { type: choice }
    case 'required':
      return { type: 'any' }
    default:
      return { type: 'tool', name: choice.name }
  }
}
