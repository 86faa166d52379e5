import { type JsonRecord, member, omit } from '../../bytes/json-value.ts'
import { parameterError } from '../../form/codec-errors.ts'
import type { AzureVersion } from '../../wires/azure-address.ts'
import type { TaskCall } from '../../wires/provider-codec.ts'

/*
 * Members that dated versions lack (Microsoft, "Azure OpenAI API version lifecycle"):
 *
 * | Member                                       | Since      | In older versions              |
 * | -------------------------------------------- | ---------- | ------------------------------ |
 * | functions, function_call                     | 2023-07-01 | rejected                       |
 * | tools, tool_choice                           | 2023-12-01 | rejected                       |
 * | dimensions, encoding_format other than float | 2024-03-01 | rejected; float is left out    |
 * | response_format with a schema                | 2024-08-01 | rejected                       |
 * | max_completion_tokens                        | 2024-09-01 | max_tokens; the larger of both |
 * | stream_options, parallel_tool_calls          | 2024-09-01 | left out; the gateway counts   |
 * | images/edits (an endpoint)                   | 2025-04-01 | rejected                       |
 *
 * All other members pass unchanged.
 */

type Gate = {
  readonly member: string
  readonly since: string
  /**
   * False for values that can be left out without changing the answer; absent if there are none.
   */
  readonly isNeeded?: (value: unknown) => boolean
}

const GATES: readonly Gate[] = [
  { member: 'functions', since: '2023-07-01' },
  { member: 'function_call', since: '2023-07-01', isNeeded: (value) => value !== 'none' },
  { member: 'tools', since: '2023-12-01' },
  { member: 'tool_choice', since: '2023-12-01', isNeeded: (value) => value !== 'none' },
  { member: 'dimensions', since: '2024-03-01' },
  { member: 'encoding_format', since: '2024-03-01', isNeeded: (value) => value !== 'float' },
  { member: 'parallel_tool_calls', since: '2024-09-01', isNeeded: () => false },
  { member: 'stream_options', since: '2024-09-01', isNeeded: () => false },
]
const SCHEMA_SINCE = '2024-08-01'
const COMPLETION_LIMIT_SINCE = '2024-09-01'
/** Available as a preview. */
const EDITS_SINCE = '2025-04-01'
const DATE_LENGTH = '2024-10-21'.length

export function bodyFor(request: JsonRecord, version: AzureVersion): JsonRecord {
  if (version.style === 'v1') return request
  const date = version.name.slice(0, DATE_LENGTH)
  const missing = GATES.filter(({ member: name, since }) => date < since && name in request)
  for (const { member: name, since, isNeeded = () => true } of missing) {
    const value = request[name]
    if (isGiven(value) && isNeeded(value)) throw tooOld(name, since, version.name)
  }
  const format = member(request['response_format'], 'type')
  if (format === 'json_schema' && date < SCHEMA_SINCE) {
    throw tooOld('response_format', SCHEMA_SINCE, version.name)
  }
  const known = omit(request, ...missing.map(({ member: name }) => name))
  return date < COMPLETION_LIMIT_SINCE ? withOldLimit(known) : known
}

function withOldLimit(request: JsonRecord): JsonRecord {
  const { max_tokens, max_completion_tokens } = request
  const limits = [max_tokens, max_completion_tokens].filter((limit) => typeof limit === 'number')
  const others = omit(request, 'max_tokens', 'max_completion_tokens')
  return limits.length === 0 ? others : { ...others, max_tokens: Math.max(...limits) }
}

export function checkTask({ endpoint }: Pick<TaskCall, 'endpoint'>, version: AzureVersion) {
  if (endpoint !== 'imageEdits' || version.style === 'v1') return
  if (version.name.slice(0, DATE_LENGTH) >= EDITS_SINCE) return
  throw parameterError(
    `API version ${version.name} of this channel changes no images; it takes ${EDITS_SINCE} or later.`,
  )
}

const isGiven = (value: unknown) =>
  value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

const tooOld = (name: string, since: string, version: string) =>
  parameterError(
    `API version ${version} of this channel has no '${name}'; it takes ${since} or later.`,
    name,
  )
