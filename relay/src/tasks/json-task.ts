import { editMembers, scanMembers } from '../bytes/json-members.ts'
import type { JsonRecord } from '../bytes/json-value.ts'
import type { Steps } from '../bytes/steps.ts'
import { isRequestProblem, type RequestProblem } from '../errors/request-problem.ts'
import type { TaskEndpoint } from '../provider.ts'
import type { Task, TaskRequest } from '../relay-request.ts'
import { type JsonBody, readJsonBody } from '../wires/json-body.ts'
import { checkBoolean, checkModel, unsupported } from '../wires/openai-chat/check-fields.ts'

export type TaskTerms = Pick<TaskRequest, 'promptTokensUpperBound' | 'outputLimit'> &
  Pick<Task, 'readAnswer' | 'measure' | 'chargesTokens' | 'observe' | 'boundsFor' | 'finish'>

export function* readJsonTask(
  { endpoint, body }: { endpoint: TaskEndpoint; body: Buffer },
  options: {
    /** Model for a request that names none; absent if the model is required. */
    defaultModel?: string
    /** Members that decide what is charged. */
    metered: readonly string[]
    /** The answer can be streamed; `terms` then returns `observe`. */
    streams?: boolean
    check: (json: JsonRecord) => RequestProblem | null
    /** Called only after `check` has passed. */
    terms: (jsonBody: JsonBody, model: string) => TaskTerms
  },
): Steps<TaskRequest | RequestProblem> {
  const read = yield* readJsonBody(body, new Set(['model', 'stream', ...options.metered]))
  if (isRequestProblem(read)) return read
  const jsonBody = withModel(read, options.defaultModel)
  const { json } = jsonBody
  const refused =
    checkModel(json['model']) ?? checkStream(json['stream'], options.streams) ?? options.check(json)
  if (refused !== null) return refused
  const model = String(json['model'])
  const { promptTokensUpperBound, outputLimit, ...task } = options.terms(jsonBody, model)
  return {
    body: jsonBody.body,
    members: jsonBody.members,
    outline: json,
    json: () => json,
    endpoint,
    model,
    stream: false,
    includeUsage: false,
    outputLimit,
    choices: 1,
    promptTokensUpperBound,
    task: { contentType: 'application/json', ...task },
  }
}

function withModel(given: JsonBody, model: string | undefined): JsonBody {
  const { json } = given
  if (model === undefined || (json['model'] ?? '') !== '') return given
  const body = editMembers(given.body, given.members, { model: JSON.stringify(model) })
  const members = scanMembers(body)
  // Safe to fall back: a body that could be scanned can be scanned with one more member.
  return 'reason' in members ? given : { body, members, json: { ...json, model } }
}

function checkStream(stream: unknown, streams = false): RequestProblem | null {
  if (stream === true && !streams) {
    return unsupported('stream', 'This endpoint does not stream')
  }
  return checkBoolean(stream, 'stream')
}
