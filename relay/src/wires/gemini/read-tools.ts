import { isRecord, type JsonRecord, textOf } from '../../bytes/json-value.ts'
import type { ChatForm, Settings, Tool } from '../../form/request.ts'
import { fieldError } from '../fields.ts'
import { readField, readListField } from './fields.ts'
import { jsonSchema } from './read-schema.ts'

const NAMES = 'toolConfig.functionCallingConfig.allowedFunctionNames'

type ReadTools = Pick<ChatForm, 'tools'> & {
  readonly choice: Pick<Settings, 'tool_choice'>
}

export function readTools(request: JsonRecord): ReadTools {
  const tools = readListField(request, 'tools').flatMap((tool, at) => toolsOf(tool, `tools.${at}`))
  if (tools.length === 0) return { tools, choice: {} }
  const config = readField(readField(request, 'toolConfig'), 'functionCallingConfig')
  return chosenTools(config, tools)
}

function toolsOf(tool: unknown, path: string): Tool[] {
  if (!isRecord(tool)) throw fieldError(path, 'must be an object')
  const providerTool = Object.keys(tool).find(
    (name) => !/^function(?:D|_d)eclarations$/.test(name) && tool[name] !== null,
  )
  if (providerTool !== undefined) {
    const rule = 'is a tool that Google runs itself, which is not possible here: declare functions'
    throw fieldError(`${path}.${providerTool}`, rule)
  }
  const place = `${path}.functionDeclarations`
  return readListField(tool, 'functionDeclarations', place).map((declaration, at) =>
    toolOf(declaration, `${place}.${at}`),
  )
}

function toolOf(declaration: unknown, path: string): Tool {
  const name = textOf(readField(declaration, 'name'))
  if (name === '') throw fieldError(`${path}.name`, 'must be the name of the function')
  const description = readField(declaration, 'description')
  const openApi = readField(declaration, 'parameters')
  const parameters = readField(declaration, 'parametersJsonSchema') ?? jsonSchema(openApi)
  return {
    type: 'function',
    name,
    ...(typeof description === 'string' ? { description } : {}),
    ...(isRecord(parameters) ? { parameters } : {}),
  }
}

/** When only some functions are allowed, the others are omitted. */
function chosenTools(config: unknown, tools: readonly Tool[]): ReadTools {
  const names = readListField(config, 'allowedFunctionNames', NAMES)
  const named = tools.filter(({ name }) => names.includes(name))
  if (named.length < new Set(names).size) throw fieldError(NAMES, 'must name declared functions')
  const allowed = names.length === 0 ? tools : named
  const mode = readField(config, 'mode') ?? 'MODE_UNSPECIFIED'
  switch (textOf(mode).toUpperCase()) {
    case 'MODE_UNSPECIFIED':
      return { tools, choice: {} }
    case 'AUTO':
      return { tools, choice: { tool_choice: 'auto' } }
    case 'NONE':
      return { tools, choice: { tool_choice: 'none' } }
    case 'VALIDATED':
      return { tools: allowed, choice: { tool_choice: 'auto' } }
    case 'ANY': {
      const [name, ...more] = names
      if (name === undefined || more.length > 0) {
        return { tools: allowed, choice: { tool_choice: 'required' } }
      }
      return { tools, choice: { tool_choice: { type: 'function', name: textOf(name) } } }
    }
    default:
      throw fieldError(
        'toolConfig.functionCallingConfig.mode',
        'must be AUTO, ANY, NONE or VALIDATED',
      )
  }
}
