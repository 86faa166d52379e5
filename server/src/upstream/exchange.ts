import type { IncomingHttpHeaders } from 'node:http'
import type {
  Answer,
  Decoded,
  EventReader,
  Steps,
  StreamDecoder,
  StreamEvent,
  TransportFailure,
} from '@tollgate/relay'
import type { UpstreamLimits } from './limits.ts'

export type UpstreamCall = {
  url: string
  headers: Readonly<Record<string, string>>
  /** Null sends a GET, anything else a POST. */
  body: Buffer | null
  proxy?: string | null
  /** Decodes the answer; absent if it has the form of chat completions. */
  decoder?: AnswerDecoder
  /**
   * Replaces `decoder` when the answer passes to the client unchanged: extracts what the gateway
   * needs from it.
   */
  tap?: NativeTap
  /**
   * Called when the provider refuses the token issued for the key. Returns true if a new token may
   * be accepted.
   */
  onTokenRefused?: (() => boolean) | undefined
  /**
   * For async tasks: sends the call, reports when the provider has accepted it, and resolves with
   * the call that fetches the finished answer. Rejects with a `CallProblem`. Absent for synchronous
   * calls.
   */
  queue?: (stop: AbortSignal, onAccepted: () => void) => Promise<UpstreamCall>
  /** `websocket`: the body is sent as one message, and each answer message becomes one line. */
  transport?: 'websocket'
  isLastMessage?: (message: Buffer) => boolean
}

export type AnswerDecoder = {
  decode: (body: Buffer) => Decoded | Steps<Decoded>
  /** Overrides the usual limit of JSON nodes in an answer. */
  nodesMax?: number
  /** Null if no stream was requested. */
  createStreamDecoder: (() => StreamDecoder) | null
  /** The stream decoder reads JSON. Otherwise a JSON answer is not a stream. */
  decodesJson: boolean
}

export type NativeTap = {
  decode: (body: Buffer) => Decoded | Steps<Decoded>
  /** Members of a large answer that need not be parsed. */
  skippedMembers?: ReadonlySet<string> | undefined
  createEventReader: () => EventReader
}

/** Receives an answer as it arrives. The last call is exactly one `end` or `fail`. */
export type AnswerSink = {
  head: (status: number, headers: IncomingHttpHeaders) => void
  /**
   * Offers bytes that are overwritten after the call. False if `data` should get bytes that stay.
   */
  offer?: (chunk: Buffer) => boolean
  data: (chunk: Buffer) => void
  /** In place of `data` for a stream that is decoded to events. Only streams need it. */
  events?: (events: readonly StreamEvent[]) => void
  /** In place of `data` for a whole answer that is decoded. `body` is the provider's. */
  answer?: (answer: Answer, body: Buffer) => void
  end: () => void
  fail: (failure: TransportFailure) => void
}

const UNSENT: ReadonlySet<TransportFailure> = new Set([
  'connect',
  'connect_timeout',
  'address_guarded',
  'address_private',
])

/** Whether the provider may have received the request, and so may bill it. */
export const reachedProvider = (failure: TransportFailure) => !UNSENT.has(failure)

/** Ends the answer; an error thrown by the sink becomes `malformed`. */
export function endSink(sink: AnswerSink) {
  try {
    sink.end()
  } catch {
    sink.fail('malformed')
  }
}

/** Controls a running call. After `abort` and `release` the sink receives nothing more. */
export type Exchange = {
  pause: () => void
  resume: () => void
  abort: () => void
  /** Stops reading; the connection is kept if the answer ends soon. */
  release: () => void
}

export type Sender = {
  readonly limits: UpstreamLimits
  /** Redirects are not followed; they are answers like any other. */
  send: (call: UpstreamCall, sink: AnswerSink) => Exchange
}
