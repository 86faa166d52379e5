import { editMembers } from '../../bytes/json-members.ts'
import type { JsonRecord } from '../../bytes/json-value.ts'
import { problem, type RequestProblem } from '../../errors/request-problem.ts'
import type { OutlinedBody } from '../json-body.ts'
import type { KeptResponse, OwnItems } from './recent-items.ts'

/*
 * A request with `previous_response_id` continues the conversation of a response: its input is what
 * is new (https://platform.openai.com/docs/guides/conversation-state). The gateway puts the input
 * and output of all earlier responses in front, so that the request is counted, paid and sent like
 * the request of a client that sends its whole history.
 */

const MEMBER = 'previous_response_id'

/** As many turns as a conversation of agents has, and about a million tokens of text. */
const TURNS_MAX = 1000
const HISTORY_BYTES_MAX = 4 * 1024 * 1024

const ID_LENGTH_SHOWN = 100
const [OPEN_BRACKET, COMMA] = [0x5b, 0x2c]

export type Turn = {
  /** The response that this one continues; null for the first. */
  readonly previous: string | null
  /** Ids of the responses before this one, oldest first. */
  readonly chain: readonly string[]
  /** The client's own input: the JSON of its items, separated by commas. */
  readonly input: () => Buffer
}

/** The turn of a request that continues no response. */
export const firstTurn = (given: OutlinedBody): Turn => ({
  previous: null,
  chain: [],
  input: () => ownInput(given),
})

type Continued = { readonly body: Buffer; readonly turn: Turn }

/** The request with its whole history. */
export function continueResponse(
  given: OutlinedBody,
  items: Pick<OwnItems, 'findResponse'>,
): Continued | RequestProblem {
  const { body, members, outline } = given
  const id = outline[MEMBER]
  if (typeof id !== 'string') {
    return problem(`'${MEMBER}' must be the id of a response.`, MEMBER, 'invalid_value')
  }
  const last = items.findResponse(id)
  if (last === null) return notFound(id)
  const earlier = last.chain.map((one) => items.findResponse(one))
  const known = earlier.filter((response) => response !== null)
  if (known.length < earlier.length) return notFound(id)
  const history = [...known, last].map((response) => response.items)
  const bytes = history.reduce((sum, { length }) => sum + length, 0)
  if (history.length > TURNS_MAX || bytes > HISTORY_BYTES_MAX) return TOO_LONG
  const input = ownInput(given)
  const edits = { [MEMBER]: null, ...inputEdit(outline, joined([...history, input])) }
  return {
    body: editMembers(body, members, edits),
    turn: { previous: id, chain: [...last.chain, id], input: () => input },
  }
}

/** An input that is neither a text nor a list is refused later. */
const inputEdit = ({ input }: JsonRecord, items: Buffer): Record<string, string> =>
  input === undefined || typeof input === 'string' || Array.isArray(input)
    ? { input: `[${items.toString()}]` }
    : {}

function ownInput({ body, members }: OutlinedBody): Buffer {
  const found = members.list.find(({ name }) => name === 'input')
  if (found === undefined) return Buffer.alloc(0)
  const value = body.subarray(found.valueStart, found.end)
  if (value[0] === OPEN_BRACKET) return trimmed(value.subarray(1, -1))
  return Buffer.concat([Buffer.from('{"role":"user","content":'), value, Buffer.from('}')])
}

const SPACES = new Set([0x20, 0x09, 0x0a, 0x0d])

function trimmed(bytes: Buffer): Buffer {
  let [start, end] = [0, bytes.length]
  while (start < end && SPACES.has(bytes[start] ?? 0)) start += 1
  while (end > start && SPACES.has(bytes[end - 1] ?? 0)) end -= 1
  return bytes.subarray(start, end)
}

function joined(parts: readonly Buffer[]): Buffer {
  const comma = Buffer.of(COMMA)
  const filled = parts.filter(({ length }) => length > 0)
  return Buffer.concat(filled.flatMap((part, index) => (index === 0 ? [part] : [comma, part])))
}

type Ended = {
  readonly id: string
  readonly output: readonly JsonRecord[]
  /** The output is a summary in place of all that was before. */
  readonly compacts: boolean
  readonly isAsked: boolean
}

/** What is kept of a response, so that the next one can continue it. */
export function keptResponse(
  { chain, input }: Turn,
  { id, output, compacts, isAsked }: Ended,
): KeptResponse {
  const written = Buffer.from(output.map((item) => JSON.stringify(item)).join(','))
  return compacts
    ? { id, isAsked, chain: [], items: written }
    : { id, isAsked, chain, items: joined([input(), written]) }
}

/** OpenAI's code, on which clients send the whole history. */
const notFound = (id: string) =>
  problem(
    `Previous response with id '${id.slice(0, ID_LENGTH_SHOWN)}' not found. Responses expire, and` +
      ' are not stored with `store: false` or, unless `store` is true, with a long input. Send the' +
      ' earlier items again in `input`.',
    MEMBER,
    'previous_response_not_found',
  )

const TOO_LONG = problem(
  `The conversation of '${MEMBER}' is too long. Send what is needed of it in \`input\`.`,
  MEMBER,
  'request_too_large',
)
