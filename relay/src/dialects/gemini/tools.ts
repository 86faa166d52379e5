import { isRecord, member, type JsonRecord, textOf } from '../../json-value.ts'
import { given, listGiven, refused } from './fields.ts'
import { jsonSchema } from './schema.ts'

const NAMES = 'toolConfig.functionCallingConfig.allowedFunctionNames'

export function toolMembers(request: JsonRecord): JsonRecord {
  const tools = listGiven(request, 'tools').flatMap((tool, at) => toolsOf(tool, `tools.${at}`))
  if (tools.length === 0) return {}
  const config = given(given(request, 'toolConfig'), 'functionCallingConfig')
  return { tools, ...choiceMembers(config, tools) }
}

function toolsOf(tool: unknown, path: string): JsonRecord[] {
  if (!isRecord(tool)) throw refused(path, 'must be an object.')
  const other = Object.keys(tool).find(
    (name) => !/^function(?:D|_d)eclarations$/.test(name) && tool[name] !== null,
  )
  if (other !== undefined) {
    const rule = 'is a tool that Google runs itself, which is not possible here: declare functions.'
    throw refused(`${path}.${other}`, rule)
  }
  const place = `${path}.functionDeclarations`
  return listGiven(tool, 'functionDeclarations', place).map((declaration, at) =>
    toolOf(declaration, `${place}.${at}`),
  )
}

function toolOf(declaration: unknown, path: string): JsonRecord {
  const name = textOf(given(declaration, 'name'))
  if (name === '') throw refused(`${path}.name`, 'must be the name of the function.')
  const description = given(declaration, 'description')
  const openApi = given(declaration, 'parameters')
  const parameters = given(declaration, 'parametersJsonSchema') ?? jsonSchema(openApi)
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
  const names = listGiven(config, 'allowedFunctionNames', NAMES)
  const allowed = tools.filter((tool) => names.includes(nameOf(tool)))
  if (allowed.length < new Set(names).size) throw refused(NAMES, 'must name declared functions.')
  const told = names.length === 0 ? {} : { tools: allowed }
  const mode = given(config, 'mode') ?? 'MODE_UNSPECIFIED'
  switch (textOf(mode).toUpperCase()) {
    case 'MODE_UNSPECIFIED':
      return {}
    case 'AUTO':
      return { tool_choice: 'auto' }
    case 'NONE':
      return { tool_choice: 'none' }
    case 'VALIDATED':
      return { ...told, tool_choice: 'auto' }
    case 'ANY': {
      const [name, ...more] = names
      if (name === undefined || more.length > 0) return { ...told, tool_choice: 'required' }
      return { tool_choice: { type: 'function', function: { name } } }
    }
    default:
      throw refused(
        'toolConfig.functionCallingConfig.mode',
        'must be AUTO, ANY, NONE or VALIDATED.',
      )
  }
}

const nameOf = (tool: JsonRecord) => member(tool['function'], 'name')
