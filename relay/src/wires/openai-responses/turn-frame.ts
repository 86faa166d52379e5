import { editMembers, type Members, scanMembersInSteps } from '../../bytes/json-members.ts'
import { type JsonRecord, parseJson } from '../../bytes/json-value.ts'
import type { Steps } from '../../bytes/steps.ts'
import { problem, type RequestProblem } from '../../errors/request-problem.ts'
import { wordSet } from '../../provider.ts'
import { membersProblem } from '../json-body.ts'

/** A frame that asks for a response. Only short members are parsed; the request passes as bytes. */
export type TurnFrame = {
  /** The members that decide what becomes of the frame. */
  readonly head: JsonRecord
  /** The items of the input as JSON, without the brackets of their list. */
  readonly items: string
  /** The request over HTTP, with these items. `previous_response_id` stays if it `continues`. */
  readonly bodyWith: (items: string, options: { readonly continues: boolean }) => Buffer
}

const HEAD = wordSet('type stream_id previous_response_id generate client_metadata model')
const HEAD_BYTES_MAX = 64 * 1024

/** Members of a frame that are not part of the request. */
const OF_FRAME = { type: null, stream_id: null, generate: null, background: null }

/** A frame may be as large as a body, so it has the limits of one and is read in steps, too. */
export function* readTurnFrame(frame: Buffer): Steps<TurnFrame | RequestProblem> {
  const members = yield* scanMembersInSteps(frame)
  if ('reason' in members) return membersProblem(members)
  const head: Record<string, unknown> = {}
  let items = ''
  for (const { name, valueStart, end } of members.list) {
    if (name === 'input') items = itemsIn(frame.toString('utf8', valueStart, end))
    if (!HEAD.has(name)) continue
    if (end - valueStart > HEAD_BYTES_MAX) return problem(`The ${name} is too long.`, name)
    head[name] = parseJson(frame.toString('utf8', valueStart, end))
  }
  return { head, items, bodyWith: (all, options) => requestOf(frame, members, { all, ...options }) }
}

/** A text is a message of the user. What is no input is an item that the request is refused for. */
function itemsIn(input: string): string {
  if (input.startsWith('[')) return input.slice(1, -1).trim()
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
