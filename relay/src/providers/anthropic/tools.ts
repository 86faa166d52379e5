import { type ProviderCall, UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { type FittedSchema, inCurrentDraft, objectSchema } from '../../fit/schema.ts'
import { isRecord, member, type JsonRecord, textOf } from '../../json-value.ts'
import { cacheMark } from './blocks.ts'
import { type ModelTraits, traitsOf } from './models.ts'
import { strictSchema } from './schema.ts'

export type ToolSettings = {
  readonly tools: readonly JsonRecord[]
  readonly choice: JsonRecord | null
  readonly mustCall: boolean
}

/** Models without structured outputs answer in a schema by calling this tool. */
export const JSON_TOOL = 'answer_in_json'

export function answerSchema(request: JsonRecord): JsonRecord | undefined {
  const format = request['response_format']
  if (member(format, 'type') !== 'json_schema') return undefined
  const schema = member(member(format, 'json_schema'), 'schema')
  return isRecord(schema) ? schema : { type: 'object' }
}

/** Whether the arguments of `JSON_TOOL` are the text of the answer. */
export const answersByTool = ({ request, model, channel }: ProviderCall) =>
  answerSchema(request) !== undefined && !traitsOf(model, channel.cardOf).acceptsSchemas

export function toolSettings(request: JsonRecord, traits: ModelTraits): ToolSettings {
  for (const name of ['functions', 'function_call']) {
    if (request[name] !== undefined && request[name] !== null) {
      throw new UnsupportedParameterError(
        `'${name}' is not possible with Anthropic: use tools.`,
        name,
      )
    }
  }
  const given = Array.isArray(request['tools']) ? request['tools'] : []
  const tools = given.map((tool, index) => toolOf(tool, `tools.${index}`, traits))
  const schema = traits.acceptsSchemas ? undefined : answerSchema(request)
  if (schema !== undefined) {
    const { schema: input_schema, note } = fittedSchema(schema)
    const jsonTool = { name: JSON_TOOL, description: joined(JSON_TOOL_USE, note), input_schema }
    return withChoice([...tools, jsonTool], { type: 'any' }, request)
  }
  return tools.length === 0 ? NO_TOOLS : chosenTools(request, tools)
}

const JSON_TOOL_USE = 'Call this with your answer.'
const NO_TOOLS: ToolSettings = { tools: [], choice: null, mustCall: false }

function chosenTools(request: JsonRecord, tools: readonly JsonRecord[]): ToolSettings {
  const choice = request['tool_choice']
  const allowed = allowedTools(choice)
  if (allowed === null) return withChoice(tools, choiceOf(choice), request)
  const left = tools.filter(({ name }) => allowed.names.has(name))
  return withChoice(left, choiceOf(allowed.mode), request)
}

function withChoice(
  tools: readonly JsonRecord[],
  choice: JsonRecord | null,
  request: JsonRecord,
): ToolSettings {
  const mustCall = choice?.['type'] === 'any' || choice?.['type'] === 'tool'
  if (request['parallel_tool_calls'] !== false || choice?.['type'] === 'none') {
    return { tools, choice, mustCall }
  }
  const alone = { ...(choice ?? { type: 'auto' }), disable_parallel_tool_use: true }
  return { tools, choice: alone, mustCall }
}

function toolOf(tool: unknown, path: string, { acceptsSchemas }: ModelTraits): JsonRecord {
  const named = member(tool, 'function')
  const name = textOf(member(named, 'name'))
  if (member(tool, 'type') !== 'function' || name === '') {
    throw new UnsupportedParameterError(`'${path}' must be a function with a name.`, path)
  }
  const parameters = member(named, 'parameters')
  const { schema, note } = fittedSchema(isRecord(parameters) ? parameters : {})
  const description = joined(textOf(member(named, 'description')), note)
  const isStrict = acceptsSchemas && member(named, 'strict') === true
  return {
    name,
    ...(description === '' ? {} : { description }),
    input_schema: isStrict ? strictSchema(schema) : schema,
    ...(isStrict ? { strict: true } : {}),
    ...cacheMark(named),
    ...cacheMark(tool),
  }
}

const fittedSchema = (given: JsonRecord): FittedSchema => objectSchema(inCurrentDraft(given))

const joined = (...texts: string[]) => texts.filter((text) => text !== '').join('\n\n')

function allowedTools(choice: unknown): { names: Set<unknown>; mode: unknown } | null {
  if (member(choice, 'type') !== 'allowed_tools') return null
  const allowed = member(choice, 'allowed_tools')
  const tools = member(allowed, 'tools')
  const names = Array.isArray(tools)
    ? tools.map((tool) => member(member(tool, 'function'), 'name'))
    : []
  return { names: new Set(names), mode: member(allowed, 'mode') }
}

function choiceOf(choice: unknown): JsonRecord | null {
  if (choice === undefined || choice === null) return null
  if (choice === 'auto' || choice === 'none') return { type: choice }
  if (choice === 'required') return { type: 'any' }
  const name = textOf(member(member(choice, 'function'), 'name'))
  if (name !== '') return { type: 'tool', name }
  throw new UnsupportedParameterError(
    "'tool_choice' must be auto, none, required or name a function.",
    'tool_choice',
  )
}
