import { editMembers, scanMembers } from '../bytes/json-members.ts'
import { type JsonRecord, member, textOf } from '../bytes/json-value.ts'
import type { Steps } from '../bytes/steps.ts'
import { isRequestProblem, type RequestProblem } from '../errors/request-problem.ts'
import type { TaskEndpoint } from '../provider.ts'
import type { Task, TaskRequest } from '../relay-request.ts'
import type { AnswerSummary } from '../usage/answer-summary.ts'
import { parseUsage } from '../usage/usage.ts'
import { type JsonBody, readJsonBody } from '../wires/json-body.ts'
import { reportedError } from '../wires/openai-chat/answer-summary.ts'
import { checkBoolean, checkModel, unsupported } from '../wires/openai-chat/check-fields.ts'

export type TaskTerms = Pick<TaskRequest, 'promptTokensUpperBound' | 'outputLimit'> &
  Pick<Task, 'readAnswer' | 'measure' | 'chargesTokens' | 'observe' | 'boundsFor' | 'finish'>

/** How the requests of an endpoint are read. `Fields` are those of a JSON body or of a form. */
export type TaskRules<Fields, Read = Fields> = {
  /** Model for a request that names none; absent if the model is required. */
  readonly defaultModel?: string
  /** Fields that decide what is charged. */
  readonly metered: readonly string[]
  /** The answer can be streamed; `terms` then returns `observe`. */
  readonly streams?: boolean
  readonly check: (fields: Fields) => RequestProblem | null
  /** Called only after `check` has passed. */
  readonly terms: (read: Read, model: string) => TaskTerms
}

export function* readJsonTask(
  { endpoint, body }: { endpoint: TaskEndpoint; body: Buffer },
  options: TaskRules<JsonRecord, JsonBody>,
): Steps<TaskRequest | RequestProblem> {
  const read = yield* readJsonBody(body, new Set(['model', 'stream', ...options.metered]))
  if (isRequestProblem(read)) return read
  const jsonBody = withModel(read, options.defaultModel)
  const { json } = jsonBody
  const refused =
    checkModel(json['model']) ?? checkStream(json['stream'], options.streams) ?? options.check(json)
  if (refused !== null) return refused
  const model = String(json['model'])
  const given = { body: jsonBody.body, members: jsonBody.members, outline: json, endpoint, model }
  return taskRequest(given, { contentType: 'application/json', ...options.terms(jsonBody, model) })
}

export function taskRequest(
  given: Pick<TaskRequest, 'body' | 'members' | 'outline' | 'endpoint' | 'model'>,
  {
    promptTokensUpperBound,
    outputLimit,
    ...task
  }: TaskTerms & Pick<Task, 'contentType' | 'encode'>,
): TaskRequest {
  return {
    ...given,
    json: () => given.outline,
    stream: false,
    includeUsage: false,
    outputLimit,
    choices: 1,
    promptTokensUpperBound,
    task,
  }
}

/** Reads a task's answer in JSON that has no text output. */
export const summaryIn = (
  json: unknown,
  isWhole: boolean,
  usage = parseUsage(member(json, 'usage')),
): AnswerSummary => ({
  complete: reportedError(json) === null && isWhole,
  form: 'json',
  model: textOf(member(json, 'model')) || null,
  usage,
  outputText: () => '',
})

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
