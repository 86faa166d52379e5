import { isRecord, member, type JsonRecord, listOf, textOf } from '../../json-value.ts'
import { type FieldProblem, isFieldProblem, fieldProblem } from '../fields.ts'
import type { ToolKind } from './response-context.ts'

/** Built-in tools that the provider runs. Without them the model answers from its own knowledge. */
const PROVIDER_RUN_TOOLS =
  /^(?:web_search|file_search|code_interpreter|image_generation|mcp$|tool_search|programmatic_tool_calling)/

type ReadTool = { readonly name: string; readonly kind: ToolKind; readonly tool: JsonRecord }

export type ReadTools = {
  /** Members of the chat request. */
  readonly members: JsonRecord
  readonly kinds: ReadonlyMap<string, ToolKind>
}

export function readTools(json: JsonRecord): ReadTools | FieldProblem {
  const given = json['tools'] ?? []
  if (!Array.isArray(given)) return fieldProblem('tools', 'must be an array of tools')
  const read = readList(given, 'tools', null)
  if (isFieldProblem(read)) return read
  const kinds = new Map(read.map(({ name, kind }) => [name, kind]))
  if (kinds.size < read.length) {
    return fieldProblem('tools', 'must have names that differ, also between namespaces')
  }
  const toolChoice = choiceOf(json['tool_choice'], kinds)
  if (isFieldProblem(toolChoice)) return toolChoice
  const { choice, allowed } = toolChoice
  const tools = read.filter(({ name }) => allowed === null || allowed.has(name))
  if (tools.length === 0) return { members: {}, kinds }
  const members = {
    tools: tools.map(({ tool }) => tool),
    ...(choice === null ? {} : { tool_choice: choice }),
    ...(json['parallel_tool_calls'] === false ? { parallel_tool_calls: false } : {}),
  }
  return { members, kinds }
}

function readList(
  given: readonly unknown[],
  path: string,
  namespace: string | null,
): ReadTool[] | FieldProblem {
  const tools: ReadTool[] = []
  for (const [index, tool] of given.entries()) {
    const read = readTool(tool, `${path}[${index}]`, namespace)
    if (isFieldProblem(read)) return read
    tools.push(...read)
  }
  return tools
}

function readTool(
  tool: unknown,
  path: string,
  namespace: string | null,
): ReadTool[] | FieldProblem {
  if (!isRecord(tool)) return fieldProblem(path, 'must be a tool')
  const type = textOf(tool['type'])
  if (PROVIDER_RUN_TOOLS.test(type)) return []
  const name = textOf(tool['name'])
  if (name === '') {
    if (type === 'function' || type === 'custom' || type === 'namespace') {
      return fieldProblem(`${path}.name`, 'is missing')
    }
  }
  switch (type) {
    case 'function':
      return [{ name, kind: { isCustom: false, namespace }, tool: functionOf(tool) }]
    case 'custom':
      return [{ name, kind: { isCustom: true, namespace }, tool: customOf(tool) }]
    case 'namespace':
      return readList(listOf(tool['tools']), `${path}.tools`, name)
    default:
      return fieldProblem(
        `${path}.type`,
        `may not be '${type}' here: define what it does as a tool of type 'function'`,
      )
  }
}

function functionOf({ name, description, parameters, strict }: JsonRecord): JsonRecord {
  return {
    type: 'function',
    function: {
      name,
      ...(typeof description === 'string' ? { description } : {}),
      ...(isRecord(parameters) ? { parameters } : {}),
      ...(strict === true ? { strict } : {}),
    },
  }
}

/** A function with a single string, for providers without custom tools. */
function customOf({ name, description, format }: JsonRecord): JsonRecord {
  const grammar = grammarOf(format)
  const parameters = {
    type: 'object',
    properties: { input: { type: 'string', ...(grammar === '' ? {} : { description: grammar }) } },
    required: ['input'],
    additionalProperties: false,
  }
  const descriptionMember = typeof description === 'string' ? { description } : {}
  return { type: 'function', function: { name, ...descriptionMember, parameters } }
}

function grammarOf(format: unknown): string {
  if (member(format, 'type') !== 'grammar') return ''
  const [syntax, definition] = [
    textOf(member(format, 'syntax')),
    textOf(member(format, 'definition')),
  ]
  return `It must match this grammar (${syntax}):\n${definition}`
}

type Choice = { readonly choice: unknown; readonly allowed: ReadonlySet<string> | null }

function choiceOf(choice: unknown, kinds: ReadonlyMap<string, ToolKind>): Choice | FieldProblem {
  const type = isRecord(choice) ? choice['type'] : (choice ?? null)
  switch (type) {
    case null:
    case 'none':
    case 'auto':
      return { choice: type, allowed: null }
    case 'required':
      if (kinds.size > 0) return { choice: type, allowed: null }
      return fieldProblem(
        'tool_choice',
        "may not be 'required' without a function that can be called",
      )
    case 'function':
    case 'custom': {
      const name = textOf(member(choice, 'name'))
      if (!kinds.has(name))
        return fieldProblem('tool_choice.name', 'must be that of one of the tools')
      return { choice: { type: 'function', function: { name } }, allowed: null }
    }
    case 'allowed_tools':
      return allowedOf(choice, kinds)
    default:
      return fieldProblem(
        'tool_choice',
        'must name a function: tools of other types are not run here',
      )
  }
}

/** Tools that are not allowed are omitted, which works with every provider. */
function allowedOf(choice: unknown, kinds: ReadonlyMap<string, ToolKind>): Choice | FieldProblem {
  const names = listOf(member(choice, 'tools')).map((tool) => textOf(member(tool, 'name')))
  const allowed = new Set(names.filter((name) => kinds.has(name)))
  const mode = member(choice, 'mode')
  if (mode === 'auto') return { choice: mode, allowed }
  if (mode === 'required' && allowed.size > 0) return { choice: mode, allowed }
  return fieldProblem(
    'tool_choice',
    "must allow one of the tools, with the mode 'auto' or 'required'",
  )
}
