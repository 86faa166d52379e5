import { type JsonBody, readJsonBody } from '../dialects/openai/json-body.ts'
import {
  checkBoolean,
  checkModel,
  type FieldProblem,
  unsupported,
} from '../dialects/openai/request-fields.ts'
import { editMembers, scanMembers } from '../json-members.ts'
import type { JsonRecord } from '../json-value.ts'
import type { TaskEndpoint } from '../provider.ts'
import type { Task, TaskRequest } from '../relay-request.ts'
import { isRequestProblem, type RequestProblem } from '../request-problem.ts'
import type { Steps } from '../steps.ts'

/** What of a request decides its price, and how its answer is read. */
export type TaskTerms = Pick<TaskRequest, 'promptTokensUpperBound' | 'outputLimit'> &
  Pick<Task, 'readAnswer' | 'measure' | 'paysTokens' | 'watch' | 'boundsAt' | 'finish'>

/** Reads a request whose body is JSON. */
export function* readJsonTask(
  { endpoint, body }: { endpoint: TaskEndpoint; body: Buffer },
  how: {
    /** Of a request that names none; absent where it has to. */
    defaultModel?: string
    /** Members that decide what is charged. */
    metered: readonly string[]
    /** The answer can be asked for as a stream, which `terms` has a watch for. */
    streams?: boolean
    check: (json: JsonRecord) => FieldProblem | null
    /** After the check. */
    terms: (given: JsonBody, model: string) => TaskTerms
  },
): Steps<TaskRequest | RequestProblem> {
  const read = yield* readJsonBody(body, new Set(['model', 'stream', ...how.metered]))
  if (isRequestProblem(read)) return read
  const given = withModel(read, how.defaultModel)
  const { json } = given
  const wrong =
    checkModel(json['model']) ?? checkStream(json['stream'], how.streams) ?? how.check(json)
  if (wrong !== null) return { type: 'invalid_request_error', ...wrong }
  const model = String(json['model'])
  const { promptTokensUpperBound, outputLimit, ...task } = how.terms(given, model)
  return {
    body: given.body,
    members: given.members,
    outline: json,
    json: () => json,
    endpoint,
    model,
    stream: false,
    includeUsageAsked: false,
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
  // Safe to fall back: what could be read before can be read with one more member.
  return 'reason' in members ? given : { body, members, json: { ...json, model } }
}

function checkStream(stream: unknown, streams = false): FieldProblem | null {
  if (stream === true && !streams) {
    return unsupported('stream', 'Answers of this endpoint come in one piece')
  }
  return checkBoolean(stream, 'stream')
}
