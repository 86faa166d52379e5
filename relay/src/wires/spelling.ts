import { foldName } from '../bytes/json-members.ts'
import { isRecord, type JsonRecord, member } from '../bytes/json-value.ts'
import { problem, type RequestProblem } from '../errors/request-problem.ts'
import { wordSet } from '../provider.ts'
import { isExtraBody, namesOtherModels } from '../usage/billed-features.ts'

/*
 * Requests pass through as bytes, and the provider's parser may be more lenient than this one. Go
 * matches names without regard to case, and LiteLLM merges `extra_body` into the request. A member
 * that decides the charge must not be readable only at the provider.
 */

const MESSAGE_MEMBERS = new Set(['role', 'content', 'images'])
const PART_MEMBERS = wordSet(
  'type text image image_url input_audio audio_url file video_url document_url source',
)
const TOOL_MEMBERS = new Set(['type', 'name', 'function', 'custom', 'builtin_function'])
const FUNCTION_MEMBERS = new Set(['name'])

/**
 * The first member of a chat or Messages request that only the provider could read: another
 * spelling of a known member, or a member of `metered` inside `extra_body`. Null for none.
 */
export function hiddenMember(
  json: JsonRecord,
  metered: ReadonlySet<string>,
): RequestProblem | null {
  const path =
    pathInExtraBody(json, metered) ??
    joinPath('messages', inEach(json['messages'], pathInMessage)) ??
    joinPath('tools', inEach(json['tools'], pathInTool))
  return path === null ? null : unknownMember(path)
}

/** Like `hiddenMember`, for requests without messages and tools. */
export function hiddenInExtraBody(
  json: JsonRecord,
  metered: ReadonlySet<string>,
): RequestProblem | null {
  const path = pathInExtraBody(json, metered)
  return path === null ? null : unknownMember(path)
}

/** The first member of the object at `path` that is another spelling of a known name, or null. */
export function misspelledAt(
  json: JsonRecord,
  path: readonly string[],
  names: ReadonlySet<string>,
): RequestProblem | null {
  const found = path.reduce<unknown>(member, json)
  const name = isRecord(found) ? misspelling(found, names) : null
  return name === null ? null : unknownMember([...path, name].join('.'))
}

export function unknownMember(path: string): RequestProblem {
  const canonicalName = foldName(path.slice(path.lastIndexOf('.') + 1))
  return problem(`Unknown member '${path}': write '${canonicalName}'.`, path)
}

function pathInExtraBody(json: JsonRecord, metered: ReadonlySet<string>): string | null {
  for (const name in json) {
    const inner = json[name]
    if (!isExtraBody(name) || !isRecord(inner)) continue
    const hidden = Object.keys(inner).find(
      (key) => metered.has(foldName(key)) || namesOtherModels(key),
    )
    const path = joinPath(name, hidden ?? pathInExtraBody(inner, metered))
    if (path !== null) return path
  }
  return null
}

const pathInMessage = (message: JsonRecord): string | null =>
  misspelling(message, MESSAGE_MEMBERS) ??
  joinPath('content', inEach(message['content'], pathInPart))

const pathInPart = (part: JsonRecord) => misspelling(part, PART_MEMBERS)

function pathInTool(tool: JsonRecord): string | null {
  const declared = tool['function']
  const inner = isRecord(declared) ? misspelling(declared, FUNCTION_MEMBERS) : null
  return misspelling(tool, TOOL_MEMBERS) ?? joinPath('function', inner)
}

const joinPath = (name: string | number, path: string | null) =>
  path === null ? null : `${name}.${path}`

/** Some providers accept a single item in place of a list. */
function inEach(value: unknown, pathIn: (item: JsonRecord) => string | null): string | null {
  if (!Array.isArray(value)) return isRecord(value) ? pathIn(value) : null
  for (let index = 0; index < value.length; index += 1) {
    const item: unknown = value[index]
    const path = isRecord(item) ? joinPath(index, pathIn(item)) : null
    if (path !== null) return path
  }
  return null
}

function misspelling(record: JsonRecord, known: ReadonlySet<string>): string | null {
  for (const name in record) {
    if (!known.has(name) && known.has(foldName(name))) return name
  }
  return null
}
