import { UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { objectSchema } from '../../fit/schema.ts'
import { isRecord, member, type JsonRecord, textOf } from '../../json-value.ts'
import type { ModelTraits } from './models.ts'
import { openApiSchema } from './schema.ts'

export function toolMembers(request: JsonRecord, traits: ModelTraits): JsonRecord {
  for (const name of ['functions', 'function_call']) {
    if (request[name] !== undefined && request[name] !== null) {
      throw new UnsupportedParameterError(`'${name}' is not possible with Gemini: use tools.`, name)
    }
  }
  const tools = Array.isArray(request['tools']) ? request['tools'] : []
  if (tools.length === 0) return {}
  const isStrict = tools.some((tool) => member(member(tool, 'function'), 'strict') === true)
  const config = callingConfig(request['tool_choice'], isStrict && traits.takesJsonSchema)
  return {
    tools: [
      { functionDeclarations: tools.map((tool, at) => declaration(tool, `tools.${at}`, traits)) },
    ],
    ...(config === null ? {} : { toolConfig: { functionCallingConfig: config } }),
  }
}

function declaration(tool: unknown, path: string, { takesJsonSchema }: ModelTraits): JsonRecord {
  const named = member(tool, 'function')
  const name = textOf(member(named, 'name'))
  if (member(tool, 'type') !== 'function' || name === '') {
    throw new UnsupportedParameterError(`'${path}' must be a function with a name.`, path)
  }
  const description = textOf(member(named, 'description'))
  const given = member(named, 'parameters')
  return {
    name,
    ...(description === '' ? {} : { description }),
    ...(isRecord(given) ? parametersMember(given, takesJsonSchema) : {}),
  }
}

/** An object schema without properties is rejected. */
function parametersMember(given: JsonRecord, takesJsonSchema: boolean): JsonRecord {
  const schema = takesJsonSchema ? given : objectSchema(openApiSchema(given)).schema
  const { properties, type } = schema
  const isEmpty = isRecord(properties) && Object.keys(properties).length === 0
  if (isEmpty || (properties === undefined && type === 'object')) return {}
  return takesJsonSchema ? { parametersJsonSchema: schema } : { parameters: schema }
}

/** With `VALIDATED` the model decides whether to call, but its calls always match the schema. */
function callingConfig(choice: unknown, isStrict: boolean): JsonRecord | null {
  if (choice === undefined || choice === null || choice === 'auto') {
    if (isStrict) return { mode: 'VALIDATED' }
    return choice === 'auto' ? { mode: 'AUTO' } : null
  }
  if (choice === 'none') return { mode: 'NONE' }
  if (choice === 'required') return { mode: 'ANY' }
  const name = nameOf(choice)
  if (name !== '') return { mode: 'ANY', allowedFunctionNames: [name] }
  if (member(choice, 'type') === 'allowed_tools') return allowedConfig(choice)
  throw new UnsupportedParameterError(
    "'tool_choice' must be auto, none, required or name a function.",
    'tool_choice',
  )
}

function allowedConfig(choice: unknown): JsonRecord {
  const allowed = member(choice, 'allowed_tools')
  const tools = member(allowed, 'tools')
  const names = Array.isArray(tools) ? tools.map(nameOf) : []
  const mode = member(allowed, 'mode') === 'required' ? 'ANY' : 'VALIDATED'
  return { mode, allowedFunctionNames: names }
}

const nameOf = (tool: unknown) => textOf(member(member(tool, 'function'), 'name'))
