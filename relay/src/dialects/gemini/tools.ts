import { isRecord, member, type JsonRecord, textOf } from '../../json-value.ts'
import { readField, readListField, fieldError } from './fields.ts'
import { jsonSchema } from './schema.ts'

const NAMES = 'toolConfig.functionCallingConfig.allowedFunctionNames'

export function toolMembers(request: JsonRecord): JsonRecord {
  const tools = readListField(request, 'tools').flatMap((tool, at) => toolsOf(tool, `tools.${at}`))
  if (tools.length === 0) return {}
  const config = readField(readField(request, 'toolConfig'), 'functionCallingConfig')
  return { tools, ...choiceMembers(config, tools) }
}

function toolsOf(tool: unknown, path: string): JsonRecord[] {
  if (!isRecord(tool)) throw fieldError(path, 'must be an object.')
  const providerTool = Object.keys(tool).find(
    (name) => !/^function(?:D|_d)eclarations$/.test(name) && tool[name] !== null,
  )
  if (providerTool !== undefined) {
    const rule = 'is a tool that Google runs itself, which is not possible here: declare functions.'
    throw fieldError(`${path}.${providerTool}`, rule)
  }
  const place = `${path}.functionDeclarations`
  return readListField(tool, 'functionDeclarations', place).map((declaration, at) =>
    toolOf(declaration, `${place}.${at}`),
  )
}

function toolOf(declaration: unknown, path: string): JsonRecord {
  const name = textOf(readField(declaration, 'name'))
  if (name === '') throw fieldError(`${path}.name`, 'must be the name of the function.')
  const description = readField(declaration, 'description')
  const openApi = readField(declaration, 'parameters')
  const parameters = readField(declaration, 'parametersJsonSchema') ?? jsonSchema(openApi)
  return {
    type: 'function',
    function: {
      name,
      ...(description === undefined ? {} : { description }),
      ...(parameters === undefined ? {} : { parameters }),
    },
  }
}

/** When only some functions are allowed, the others are omitted. */
function choiceMembers(config: unknown, tools: readonly JsonRecord[]): JsonRecord {
  const names = readListField(config, 'allowedFunctionNames', NAMES)
  const allowed = tools.filter((tool) => names.includes(nameOf(tool)))
  if (allowed.length < new Set(names).size) throw fieldError(NAMES, 'must name declared functions.')
  const allowedTools = names.length === 0 ? {} : { tools: allowed }
  const mode = readField(config, 'mode') ?? 'MODE_UNSPECIFIED'
  switch (textOf(mode).toUpperCase()) {
    case 'MODE_UNSPECIFIED':
      return {}
    case 'AUTO':
      return { tool_choice: 'auto' }
    case 'NONE':
      return { tool_choice: 'none' }
    case 'VALIDATED':
      return { ...allowedTools, tool_choice: 'auto' }
    case 'ANY': {
      const [name, ...more] = names
      if (name === undefined || more.length > 0) return { ...allowedTools, tool_choice: 'required' }
      return { tool_choice: { type: 'function', function: { name } } }
    }
    default:
      throw fieldError(
        'toolConfig.functionCallingConfig.mode',
        'must be AUTO, ANY, NONE or VALIDATED.',
      )
  }
}

const nameOf = (tool: JsonRecord) => member(tool['function'], 'name')
