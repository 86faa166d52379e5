import { isRequestProblem, type RequestProblem } from '../errors/request-problem.ts'
import type { TaskEndpoint } from '../provider.ts'
import type { TaskRequest } from '../relay-request.ts'
import { checkModel, invalid, missing, unsupported } from '../wires/openai-chat/check-fields.ts'
import {
  fieldOf,
  type FormPart,
  formType,
  newBoundary,
  readForm,
  withField,
  writeForm,
} from './form.ts'
import { taskRequest, type TaskRules } from './json-task.ts'

const NO_MEMBERS = { list: [], closeAt: 0, longTexts: [], count: 0, nodes: 0 }

/** Reads a multipart request. The form is rewritten for each provider. */
export function readFormTask(
  { endpoint, body, contentType }: { endpoint: TaskEndpoint; body: Buffer; contentType: string },
  options: TaskRules<readonly FormPart[]> & { readonly fileBytesMax: number },
): TaskRequest | RequestProblem {
  const { fileBytesMax, defaultModel } = options
  const metered = new Set(['model', 'stream', ...options.metered])
  const parts = readForm(body, contentType, { metered, fileBytesMax })
  if (isRequestProblem(parts)) return parts
  const model = fieldOf(parts, 'model') || defaultModel
  const refused = checkModel(model) ?? checkStream(parts, options.streams) ?? options.check(parts)
  if (refused !== null) return refused
  const boundary = newBoundary()
  const given = { body, members: NO_MEMBERS, outline: {}, endpoint, model: String(model) }
  return taskRequest(given, {
    contentType: formType(boundary),
    encode: (name) => writeForm(withField(parts, 'model', name), boundary),
    ...options.terms(parts, given.model),
  })
}

function checkStream(parts: readonly FormPart[], streams = false): RequestProblem | null {
  return asksStream(parts) && !streams
    ? unsupported('stream', 'This endpoint does not stream')
    : null
}

/** Forms have no booleans; servers accept these values as true. */
export const asksStream = (parts: readonly FormPart[]): boolean =>
  /^(?:true|1|yes|on)$/i.test(fieldOf(parts, 'stream') ?? '')

export function fileIn(parts: readonly FormPart[], name: string): FormPart | RequestProblem {
  const [part, second] = parts.filter((candidate) => candidate.name === name)
  if (part === undefined) return missing(name, 'Send the file in a part of that name')
  const isFile = part.file !== null && part.bytes.length > 0 && second === undefined
  return isFile ? part : invalid(name, 'must be one file that is not empty')
}
