import { randomBytes } from 'node:crypto'
import {
  isRecord,
  isRequestProblem,
  type JsonRecord,
  parseJson,
  readTurnFrame,
  type RequestProblem,
  textOf,
  type TurnFrame,
} from '@tollgate/relay'
import type { Clock, Timer } from '../../clock.ts'
import type { RequestSource } from '../../http/client-address.ts'
import { scheduler } from '../../scheduler/fair-scheduler.ts'
import type { FrameSocket } from '../../upstream/frame-socket.ts'
import type { ClientRequest, ClientResponse } from '../http-types.ts'
import type { ResponsesSocketLimits } from '../limits.ts'
import { Conversations, isReplayable, joinItems, type KeptBytes } from './conversations.ts'
import { turnRequest, TurnResponse } from './turn-exchange.ts'

export type ConnectionDeps = {
  readonly user: number
  readonly handshake: RequestSource
  readonly socket: FrameSocket
  readonly serve: (request: ClientRequest, response: ClientResponse) => void
  readonly kept: KeptBytes
  readonly limits: ResponsesSocketLimits
  readonly clock: Clock
}

type Problem = {
  readonly status: number
  readonly error: unknown
  readonly headers?: Readonly<Record<string, string>>
}

/** The input is null if its beginning is stored elsewhere, and with it what comes next. */
type Turn = {
  readonly response: TurnResponse
  readonly output: string[]
  readonly input: string | null
}

const GOING_AWAY = 1001
const NORMAL = 1000
const LANE_LENGTH_MAX = 64

/**
 * A client's WebSocket to the Responses API. Each `response.create` becomes a request of its own,
 * with its own hold, limits, log row and charge; a `stream_id` names a lane, which runs one
 * response at a time.
 */
export class Connection {
  readonly ended: Promise<void>
  readonly #deps: ConnectionDeps
  readonly #conversations: Conversations
  readonly #turns = new Map<string, Turn>()
  readonly #openedAt: number
  readonly #idle: Timer
  readonly #ending = Promise.withResolvers<void>()
  #isStopping = false

  constructor(deps: ConnectionDeps) {
    this.#deps = deps
    const { socket, clock, limits } = deps
    this.#conversations = new Conversations(deps.kept, deps.user)
    this.#openedAt = clock.monotonic()
    this.#idle = clock.after(limits.idleMs, () => this.#closeIfIdle(NORMAL))
    this.ended = this.#ending.promise
    socket.read({
      frame: (text) => this.#receive(text),
      closed: () => this.#end(),
      failed: () => socket.terminate(),
    })
  }

  /** Closes when the running responses have ended. */
  stop() {
    this.#isStopping = true
    this.#closeIfIdle(GOING_AWAY)
  }

  #end() {
    this.#idle.close()
    for (const { response } of this.#turns.values()) response.disconnect()
    this.#turns.clear()
    this.#conversations.clear()
    this.#ending.resolve()
  }

  #closeIfIdle(code: number) {
    if (this.#turns.size > 0) this.#idle.refresh()
    // The reader hears nothing of a close that this side begins.
    else void this.#deps.socket.close(code).then(() => this.#end())
  }

  /** Reads large frames in turn with the large requests of all users. */
  #receive(text: Buffer | null): Promise<void> | undefined {
    if (text === null) return this.#refuse('', invalid('A frame has to be an object as JSON.'))
    const reading = scheduler.runSized(this.#deps.user, readTurnFrame(text), text.length)
    return reading instanceof Promise
      ? reading.then((frame) => this.#take(frame))
      : this.#take(reading)
  }

  #take(frame: TurnFrame | RequestProblem): Promise<void> | undefined {
    if (!this.#deps.socket.isOpen) return undefined
    if (isRequestProblem(frame)) {
      return this.#refuse('', invalid(frame.message, frame.param, frame.code ?? undefined))
    }
    const lane = textOf(frame.head['stream_id'])
    if (lane.length > LANE_LENGTH_MAX) {
      return this.#refuse('', invalid('The stream_id is too long.', 'stream_id'))
    }
    const problem = this.#problemOf(frame.head, lane)
    return problem === null ? this.#create(frame, lane) : this.#refuse(lane, problem)
  }

  #problemOf(head: JsonRecord, lane: string): Problem | null {
    const { limits, clock } = this.#deps
    if (head['type'] !== 'response.create') {
      return invalid(
        `The event type '${textOf(head['type']).slice(0, 100)}' is not supported.`,
        'type',
      )
    }
    if (this.#isStopping || clock.monotonic() - this.#openedAt > limits.lifeMs) return TOO_OLD
    if (this.#turns.has(lane)) {
      return invalid('The stream has a response in progress.', 'stream_id', 'response_in_progress')
    }
    return this.#turns.size < limits.lanesMax ? null : TOO_MANY_LANES
  }

  #create({ head, items, bodyWith }: TurnFrame, lane: string): Promise<void> | undefined {
    const previous = head['previous_response_id'] ?? null
    const kept = previous === null ? null : this.#conversations.find(previous)
    const input = joinItems(kept?.items ?? '', items)
    if (head['generate'] === false) {
      return kept === undefined ? this.#refuse(lane, NOT_FOUND) : this.#prepare(head, lane, input)
    }
    // Another connection, or a request over HTTP, may have got the response.
    const body = bodyWith(input, { continues: kept === undefined })
    const response = new TurnResponse({
      event: (json) => this.#tell(lane, json),
      failed: (status, error, headers) => this.#fail(lane, { status, error, headers }),
      aborted: () => this.#deps.socket.terminate(),
    })
    this.#turns.set(lane, { response, output: [], input: kept === undefined ? null : input })
    response.once('close', () => this.#finish(lane))
    this.#deps.serve(turnRequest(this.#deps.handshake, body, head), response)
    return undefined
  }

  /** Only keeps the input, for the next response. It calls no provider and costs nothing. */
  #prepare(head: JsonRecord, lane: string, input: string): Promise<void> | undefined {
    const id = `resp_${randomBytes(24).toString('hex')}`
    this.#conversations.keep(lane, { id, items: input })
    const response = preparedResponse(head, id, this.#deps.clock.now())
    const created = { ...response, status: 'in_progress', usage: null }
    void this.#send(lane, { type: 'response.created', sequence_number: 0, response: created })
    return this.#send(lane, { type: 'response.completed', sequence_number: 1, response })
  }

  #finish(lane: string) {
    this.#turns.delete(lane)
    this.#idle.refresh()
    if (this.#isStopping) this.#closeIfIdle(GOING_AWAY)
  }

  #tell(lane: string, json: string): Promise<void> | undefined {
    const turn = this.#turns.get(lane)
    if (turn !== undefined) this.#note(lane, turn, json)
    const member = lane === '' ? '' : `"stream_id":${JSON.stringify(lane)},`
    return this.#deps.socket.send(`{${member}${json.slice(1)}`)
  }

  /** Keeps what the next response may continue. A failed response cannot be continued. */
  #note(lane: string, { output, input }: Turn, json: string) {
    if (!NOTED.test(json)) return
    const event = parseJson(json)
    if (!isRecord(event)) return
    const { type, item, response } = event
    if (type === 'response.output_item.done' && isReplayable(item))
      output.push(JSON.stringify(item))
    if (type === 'response.failed' || type === 'error') this.#conversations.drop(lane)
    if (type !== 'response.completed' && type !== 'response.incomplete') return
    const id = isRecord(response) ? textOf(response['id']) : ''
    if (input === null) return
    this.#conversations.keep(lane, { id, items: joinItems(input, ...output) })
  }

  #fail(lane: string, problem: Problem): Promise<void> | undefined {
    this.#conversations.drop(lane)
    return this.#refuse(lane, isLost(problem.error) ? NOT_FOUND : problem)
  }

  #refuse(lane: string, { status, error, headers = {} }: Problem): Promise<void> | undefined {
    return this.#send(lane, { type: 'error', status, error, headers })
  }

  #send(lane: string, event: object): Promise<void> | undefined {
    return this.#deps.socket.send(
      JSON.stringify(lane === '' ? event : { stream_id: lane, ...event }),
    )
  }
}

const NOTED =
  /"type":\s*"(?:response\.output_item\.done|response\.completed|response\.incomplete|response\.failed|error)"/

function invalid(message: string, param: string | null = null, code = 'invalid_event'): Problem {
  return { status: 400, error: { type: 'invalid_request_error', code, message, param } }
}

const NOT_FOUND = invalid(
  'The previous response is not known. Send the whole input without it.',
  'previous_response_id',
  'previous_response_not_found',
)

const LOST_CODES: ReadonlySet<unknown> = new Set([
  'previous_response_not_found',
  // Nothing is stored here.
  'unsupported_parameter',
])

const isLost = (error: unknown) =>
  isRecord(error) && error['param'] === 'previous_response_id' && LOST_CODES.has(error['code'])

const TOO_OLD = invalid(
  'This connection takes no more responses. Open a new one.',
  null,
  'websocket_connection_limit_reached',
)

const TOO_MANY_LANES: Problem = {
  status: 429,
  error: {
    type: 'rate_limit_error',
    code: 'too_many_streams',
    message: 'The connection has too many responses in progress.',
    param: null,
  },
}

const MS = 1000

/** The members that OpenAI's clients require. */
const preparedResponse = (head: JsonRecord, id: string, now: number) => ({
  id,
  object: 'response',
  created_at: Math.floor(now / MS),
  status: 'completed',
  model: textOf(head['model']),
  output: [],
  error: null,
  incomplete_details: null,
  instructions: null,
  metadata: {},
  parallel_tool_calls: true,
  temperature: null,
  top_p: null,
  tool_choice: 'auto',
  tools: [],
  usage: {
    input_tokens: 0,
    input_tokens_details: { cached_tokens: 0, cache_write_tokens: 0 },
    output_tokens: 0,
    output_tokens_details: { reasoning_tokens: 0 },
    total_tokens: 0,
  },
})
