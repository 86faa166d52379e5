import { isRecord, member, type JsonRecord, listOf, textOf } from '../../bytes/json-value.ts'
import type { Settings, Tool, ToolChoice } from '../../form/request.ts'
import { wordSet } from '../../provider.ts'
import { fieldError } from '../fields.ts'
import { BUILT_IN, isBuiltIn } from './built-in-tools.ts'
import { type ClientTool, keyOf, NO_NAMES, SEARCH_NAME, ToolNames } from './tool-names.ts'

/** Built-in tools that the provider runs. Without them the model answers from its own knowledge. */
const PROVIDER_RUN_TOOLS =
  /^(?:web_search|file_search|code_interpreter|image_generation|mcp$|tool_search|programmatic_tool_calling)/

const CLIENT_RUN_TYPES: ReadonlySet<unknown> = wordSet(`
  function custom namespace apply_patch computer computer_use_preview local_shell shell
  tool_search
`)

/** A shell in such an environment runs at the provider. */
const CONTAINERS = /^container/

/** Whether the provider runs the tool, and may bill it in addition to tokens. */
export function isProviderRun(tool: unknown): boolean {
  const environment = member(member(tool, 'environment'), 'type')
  return !CLIENT_RUN_TYPES.has(member(tool, 'type')) || CONTAINERS.test(textOf(environment))
}

/** The tools of a request or an item. A lenient provider takes a single tool in place of a list. */
export function toolsOf(source: unknown): readonly unknown[] {
  const tools = member(source, 'tools') ?? NO_TOOLS
  return Array.isArray(tools) ? tools : [tools]
}

const NO_TOOLS: readonly unknown[] = []

/** The tools of such an item count from then on as if they stood in `tools`. */
const ITEMS_WITH_TOOLS = new Set(['additional_tools', 'tool_search_output'])

type Definition = Pick<Tool, 'description' | 'parameters' | 'strict'>

type ReadTool = { readonly tool: ClientTool; readonly definition: Definition }

export type ReadTools = {
  readonly tools: readonly Tool[]
  readonly settings: Pick<Settings, 'tool_choice' | 'parallel_tool_calls'>
  readonly names: ToolNames
}

/**
 * Reads `tools`, and the tools that items of the input add. A later definition replaces others.
 * Throws `UnsupportedParameterError`.
 */
export function readTools(json: JsonRecord): ReadTools {
  const given = json['tools'] ?? []
  if (!Array.isArray(given)) throw fieldError('tools', 'must be an array of tools')
  const read = readList(given, 'tools', null)
  const added = addedTools(listOf(json['input']))
  if (read.length + added.length === 0) {
    choiceOf(json['tool_choice'], NO_NAMES)
    return { tools: [], settings: {}, names: NO_NAMES }
  }
  const tools = new Map(read.map((one) => [keyOf(one.tool), one]))
  if (tools.size < read.length) {
    throw fieldError('tools', 'must have names that differ within each namespace')
  }
  for (const one of added) tools.set(keyOf(one.tool), one)
  const all = [...tools.values()]
  const names = new ToolNames(all.map(({ tool }) => tool))
  const functions = all.map((one) => namedFunction(one, names))
  const { choice, allowed } = choiceOf(json['tool_choice'], names)
  const offered = functions.filter(({ name }) => allowed === null || allowed.has(name))
  if (offered.length === 0) return { tools: [], settings: {}, names }
  const settings = {
    ...(choice === null ? {} : { tool_choice: choice }),
    ...(json['parallel_tool_calls'] === false ? { parallel_tool_calls: false } : {}),
  }
  return { tools: offered, settings, names }
}

/** Leaves out what cannot be offered: the items stay in the input of all later requests. */
function addedTools(input: readonly unknown[]): ReadTool[] {
  return input
    .filter((item) => ITEMS_WITH_TOOLS.has(textOf(member(item, 'type'))))
    .flatMap((item) => listOf(member(item, 'tools')))
    .flatMap((tool) => readTool(tool, null, null))
}

const namedFunction = ({ tool, definition }: ReadTool, names: ToolNames): Tool => ({
  type: 'function',
  name: names.providerName(tool),
  ...definition,
})

/** The path of a tool in an error; null if the tool is left out instead. */
type Path = string | null

function refused(path: Path, name: string, rule: string): ReadTool[] {
  if (path === null) return []
  throw fieldError(path + name, rule)
}

const readList = (given: readonly unknown[], path: Path, namespace: string | null): ReadTool[] =>
  given.flatMap((tool, index) => readTool(tool, path && `${path}[${index}]`, namespace))

function readTool(tool: unknown, path: Path, namespace: string | null): ReadTool[] {
  if (!isRecord(tool)) return refused(path, '', 'must be a tool')
  const type = textOf(tool['type'])
  if (type === 'tool_search' && isClientRun(tool)) {
    const search: ClientTool = { name: SEARCH_NAME, namespace: null, form: type }
    return [{ tool: search, definition: functionOf(tool) }]
  }
  if (PROVIDER_RUN_TOOLS.test(type)) return []
  if (isBuiltIn(type) && path !== null && namespace === null && !isProviderRun(tool)) {
    const { description, parameters } = BUILT_IN[type]
    const own = { name: type, namespace: null, form: type }
    return [{ tool: own, definition: { description, parameters } }]
  }
  const name = textOf(tool['name'])
  if (name === '') {
    if (type === 'function' || type === 'custom' || type === 'namespace') {
      return refused(path, '.name', 'is missing')
    }
  }
  switch (type) {
    case 'function':
      return [{ tool: { name, namespace, form: type }, definition: functionOf(tool) }]
    case 'custom':
      return [{ tool: { name, namespace, form: type }, definition: customOf(tool) }]
    case 'namespace':
      return readList(listOf(tool['tools']), path && `${path}.tools`, name)
    default:
      return refused(
        path,
        '.type',
        `may not be '${type}' here: define what it does as a tool of type 'function'`,
      )
  }
}

/** Either side may search for tools: OpenAI, or a client such as Codex. */
export const isClientRun = (search: JsonRecord) => search['execution'] === 'client'

function functionOf({ description, parameters, strict }: JsonRecord): Definition {
  return {
    ...(typeof description === 'string' ? { description } : {}),
    ...(isRecord(parameters) ? { parameters } : {}),
    ...(strict === true ? { strict } : {}),
  }
}

/** A function with a single string, for providers without custom tools. */
function customOf({ description, format }: JsonRecord): Definition {
  const grammar = grammarOf(format)
  const parameters = {
    type: 'object',
    properties: { input: { type: 'string', ...(grammar === '' ? {} : { description: grammar }) } },
    required: ['input'],
    additionalProperties: false,
  }
  return { ...(typeof description === 'string' ? { description } : {}), parameters }
}

function grammarOf(format: unknown): string {
  if (member(format, 'type') !== 'grammar') return ''
  const [syntax, definition] = [
    textOf(member(format, 'syntax')),
    textOf(member(format, 'definition')),
  ]
  return `It must match this grammar (${syntax}):\n${definition}`
}

type Choice = { readonly choice: ToolChoice | null; readonly allowed: ReadonlySet<string> | null }

function choiceOf(choice: unknown, names: ToolNames): Choice {
  const type = isRecord(choice) ? choice['type'] : (choice ?? null)
  switch (type) {
    case null:
    case 'none':
    case 'auto':
      return { choice: type, allowed: null }
    case 'required':
      if (names.size > 0) return { choice: type, allowed: null }
      throw fieldError('tool_choice', "may not be 'required' without a function that can be called")
    case 'function':
    case 'custom':
    case 'local_shell':
    case 'shell':
    case 'apply_patch': {
      const name = providerNameOf(choice, names)
      if (name === null) throw fieldError('tool_choice.name', 'must be that of one of the tools')
      return { choice: { type: 'function', name }, allowed: null }
    }
    case 'allowed_tools':
      return allowedOf(choice, names)
    default:
      throw fieldError('tool_choice', 'must name a function: tools of other types are not run here')
  }
}

/** Tools that are not allowed are omitted, which works with every provider. */
function allowedOf(choice: unknown, names: ToolNames): Choice {
  const tools = listOf(member(choice, 'tools'))
  const allowed = new Set(tools.flatMap((tool) => providerNameOf(tool, names) ?? []))
  const mode = member(choice, 'mode')
  if (mode === 'auto') return { choice: mode, allowed }
  if (mode === 'required' && allowed.size > 0) return { choice: mode, allowed }
  throw fieldError('tool_choice', "must allow one of the tools, with the mode 'auto' or 'required'")
}

/** Null if the request has no such tool. */
function providerNameOf(tool: unknown, names: ToolNames): string | null {
  const namespace = textOf(member(tool, 'namespace')) || null
  const type = textOf(member(tool, 'type'))
  const given = isBuiltIn(type) ? type : textOf(member(tool, 'name'))
  const name = names.providerName({ name: given, namespace })
  return names.has(name) ? name : null
}
