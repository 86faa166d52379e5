import type { IncomingHttpHeaders } from 'node:http'
import type { EventReader, Steps, StreamDecoder, TransportFailure } from '@tollgate/relay'
import type { UpstreamLimits } from './limits.ts'

export type UpstreamCall = {
  url: string
  headers: Readonly<Record<string, string>>
  /** Null asks with GET; everything else is posted. */
  body: Buffer | null
  /** The proxy to go through; none where it is absent or null. */
  proxy?: string | null
  /** Turns an answer into OpenAI's form; absent where it has that form already. */
  reader?: AnswerReader
  /** In place of a reader: the answer is the client's as it comes, and this is what is read of it. */
  native?: NativeReader
  /** To be told when the provider refuses the token that stands for the key; true if another may be accepted. */
  refused?: (() => boolean) | undefined
  /**
   * Of what the provider puts into a queue: sends the call, tells when it is taken, and resolves with the one that gets
   * the answer once it is there; rejects with a `CallProblem`. Absent for what is answered at once.
   */
  queue?: (stop: AbortSignal, taken: () => void) => Promise<UpstreamCall>
  /** `websocket`: the body is one message, and each message of the answer one line. */
  transport?: 'websocket'
  /** Of a message: nothing follows it. */
  isLast?: (message: Buffer) => boolean
}

export type AnswerReader = {
  /** A whole answer in OpenAI's form. */
  decode: (body: Buffer) => Buffer | Steps<Buffer>
  /** Of an answer that is decoded; absent for the usual. */
  nodesMax?: number
  /** Null where no stream was asked for. */
  decoder: (() => StreamDecoder) | null
  /** The decoder reads JSON; otherwise JSON is an answer that is no stream. */
  decodesJson: boolean
}

export type NativeReader = {
  /** A whole answer in OpenAI's form. */
  decode: (body: Buffer) => Buffer | Steps<Buffer>
  /** Members of a large answer that need not be parsed. */
  unread?: ReadonlySet<string> | undefined
  /** Of the events of a stream. */
  reader: () => EventReader
}

/** Hears of an answer as it comes; the last thing it hears is one `end` or one `fail`. */
export type AnswerSink = {
  head: (status: number, headers: IncomingHttpHeaders) => void
  data: (chunk: Buffer) => void
  end: () => void
  fail: (failure: TransportFailure) => void
}

const UNSENT: ReadonlySet<TransportFailure> = new Set([
  'connect',
  'connect_timeout',
  'address_guarded',
  'address_private',
])

/** Whether a provider whose answer was lost so may have got the request, and may bill its work. */
export const reachedProvider = (failure: TransportFailure) => !UNSENT.has(failure)

/** The answer is whole, unless its sink stumbles over it. */
export function tellEnd(sink: AnswerSink) {
  try {
    sink.end()
  } catch {
    sink.fail('malformed')
  }
}

/** The control over a running call. After `abort` and `release` the sink hears nothing more. */
export type Exchange = {
  pause: () => void
  resume: () => void
  /** Ends the call and its connection. */
  abort: () => void
  /** Nobody reads on; the connection is kept if the answer ends soon. */
  release: () => void
}

/** Whatever sends calls. */
export type Sender = {
  readonly limits: UpstreamLimits
  /** Redirects are answers like any other: they are not followed. */
  send: (call: UpstreamCall, sink: AnswerSink) => Exchange
}
