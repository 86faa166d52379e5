import { editMembers, type Members, scanMembersInSteps } from '../../bytes/json-members.ts'
import { readJson } from '../../bytes/json-parse.ts'
import { type JsonRecord, parseJson } from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import { problem, type RequestProblem } from '../../errors/request-problem.ts'
import { wordSet } from '../../provider.ts'
import { membersProblem } from '../json-body.ts'

/** A frame that asks for a response. Only short members are parsed; the request passes as bytes. */
export type TurnFrame = {
  /** The members that decide what becomes of the frame, or that its request lacks. */
  readonly head: JsonRecord
  /** The items of the input as JSON, without the brackets of their list. */
  readonly items: string
  /** The request over HTTP, with these items. `previous_response_id` stays if it `continues`. */
  readonly bodyWith: (items: string, options: { readonly continues: boolean }) => Buffer
}

/** With those that the request lacks or replaces, which nobody would find malformed later. */
const HEAD = wordSet(
  'type stream_id previous_response_id generate client_metadata model stream background',
)
const MALFORMED = membersProblem({ reason: 'malformed' })
const HEAD_BYTES_MAX = 64 * 1024

/** Members of a frame that are not part of the request. */
const OF_FRAME = { type: null, stream_id: null, generate: null, background: null }

/** A frame may be as large as a body, so it has the limits of one and is read in steps, too. */
export function* readTurnFrame(frame: Buffer): Steps<TurnFrame | RequestProblem> {
  const members = yield* scanMembersInSteps(frame)
  if ('reason' in members) return membersProblem(members)
  const head: Record<string, unknown> = {}
  let items: string | null = ''
  for (const { name, valueStart, end } of members.list) {
    if (name === 'input') items = itemsIn(frame.toString('utf8', valueStart, end))
    if (!HEAD.has(name)) continue
    if (end - valueStart > HEAD_BYTES_MAX) return problem(`The ${name} is too long.`, name)
    head[name] = parseJson(frame.toString('utf8', valueStart, end))
    if (head[name] === undefined) return MALFORMED
  }
  if (items === null) return MALFORMED
  // A warm-up becomes no request, which would be parsed as a whole.
  if (head['generate'] === false && (yield* readJson(frame)) === undefined) return MALFORMED
  return { head, items, bodyWith: (all, options) => requestOf(frame, members, { all, ...options }) }
}

/**
 * A text is a message of the user. What is no input is an item that the request is refused for.
 * Null for a list without its closing bracket.
 */
function itemsIn(input: string): string | null {
  if (input.startsWith('[')) return input.endsWith(']') ? input.slice(1, -1).trim() : null
  if (input.startsWith('"')) return `{"role":"user","content":${input}}`
  return input === 'null' ? '' : input
}

const requestOf = (
  frame: Buffer,
  members: Members,
  { all, continues }: { all: string; continues: boolean },
): Buffer =>
  editMembers(frame, members, {
    ...OF_FRAME,
    ...(continues ? {} : { previous_response_id: null }),
    stream: 'true',
    input: `[${all}]`,
  })
