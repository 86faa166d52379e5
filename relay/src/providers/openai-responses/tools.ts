import { UnsupportedParameterError } from '../../codec/provider-codec.ts'
import { isRecord, type JsonRecord, listOf, member, textOf } from '../../json-value.ts'

/** The members for tools. Throws `UnsupportedParameterError`. */
export function toolMembers(request: JsonRecord): JsonRecord {
  for (const name of ['functions', 'function_call']) {
    if (request[name] === undefined || request[name] === null) continue
    throw new UnsupportedParameterError(
      `'${name}' is not possible with the Responses API: use tools.`,
      name,
    )
  }
  const tools = listOf(request['tools']).map((tool, index) => toolOf(tool, `tools.${index}`))
  if (tools.length === 0) return {}
  const choice = choiceOf(request['tool_choice'])
  const parallel = request['parallel_tool_calls']
  return {
    tools,
    ...(choice === null ? {} : { tool_choice: choice }),
    ...(typeof parallel === 'boolean' ? { parallel_tool_calls: parallel } : {}),
  }
}

function toolOf(tool: unknown, path: string): JsonRecord {
  const type = textOf(member(tool, 'type'))
  const definition = member(tool, type)
  const name = textOf(member(definition, 'name'))
  const description = textOf(member(definition, 'description'))
  if (name !== '' && type === 'custom') {
    const format = formatOf(member(definition, 'format'))
    return { type, name, ...(description === '' ? {} : { description }), ...format }
  }
  if (name === '' || type !== 'function') {
    throw new UnsupportedParameterError(`'${path}' must be a function with a name.`, path)
  }
  const parameters = member(definition, 'parameters')
  return {
    type,
    name,
    ...(description === '' ? {} : { description }),
    parameters: isRecord(parameters) ? parameters : { type: 'object', properties: {} },
    // Chat completions do not enforce schemas unless a request says so; Responses do.
    strict: member(definition, 'strict') === true,
  }
}

/** Chat completions nest a grammar one level deeper. */
function formatOf(format: unknown): JsonRecord {
  if (!isRecord(format)) return {}
  const { type, grammar } = format
  return { format: isRecord(grammar) ? { type, ...grammar } : format }
}

function choiceOf(choice: unknown): unknown {
  if (!isRecord(choice)) return choice ?? null
  const type = textOf(choice['type'])
  const named = choice[type]
  if (!isRecord(named)) return choice
  if (type !== 'allowed_tools') return { type, name: named['name'] }
  const tools = listOf(named['tools']).map((tool) => choiceOf(tool))
  return { type, mode: named['mode'], tools }
}
