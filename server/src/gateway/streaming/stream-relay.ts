/*
 * Relays an upstream's stream to the client, with back-pressure both ways. While the client accepts
 * no more bytes, the upstream is paused. After the client has disconnected, the upstream is drained
 * for a while to learn the true usage. The last bytes are not written here: the request is settled
 * before they are sent.
 */
import {
  classifyUpstreamError,
  type OutputForCounting,
  problemFromTransport,
  type StreamContinuation,
  type StreamSpeaker,
  TaskWatch,
  type TransportFailure,
  type UpstreamProblem,
  type Usage,
} from '@tollgate/relay'
import type { OpenStream, StreamReader } from '../attempts/open-stream.ts'
import { withRequestId } from '../errors.ts'
import { answerType } from '../intake/answer-type.ts'
import type { Client } from '../intake/client.ts'
import { finishResponse, type SendLimits } from '../intake/respond.ts'

type StreamProblem = UpstreamProblem & {
  /**
   * The reader's error, for the operator's log: the gateway should have accepted what the provider
   * sent.
   */
  readonly cause?: unknown
}

export type StreamEnding =
  | { type: 'finished' }
  /**
   * `isLate`: failover cannot help, because the time is over or the client lacks output that the
   * observer has counted. `keptWaiting`: the client stalled the stream. `isCut`: the connection
   * ended without an error from the provider.
   */
  | {
      type: 'broken'
      problem: StreamProblem
      isLate: boolean
      keptWaiting: boolean
      isCut: boolean
    }
  /** The client disconnected, and the upstream did not end within the drain time. */
  | { type: 'abandoned' }
  /** The stream has had no content for a while, and may yet resume. */
  | { type: 'stalled' }
  /** The stream differs from what the client has. */
  | { type: 'departed' }
  /** Nothing needs the stream any more. */
  | { type: 'stopped' }
  /** The balance is used up. `said` is the output that was paid for and delivered. */
  | { type: 'unpaid'; said: OutputForCounting }

export type StreamSource = {
  readonly stream: OpenStream
  /** Set for a stream that continues another. */
  readonly continuation: StreamContinuation | null
  /** Called once, when the stream has caught up. */
  readonly onTakeOver?: () => void
}

export type Money = {
  /** Whether this many output bytes are paid for; a promise while that is being determined. */
  readonly covers: (outputBytes: number) => true | Promise<boolean>
  /** Further output bytes already paid for. */
  readonly room: (outputBytes: number) => number
}

type Patience = {
  readonly clientStallMs: number
  readonly keptWaitingMs: number
  /** Wait for usage and the end after all choices have finished. */
  readonly tailMs: number
  /** Longest time without content. Infinity leaves that to the deadlines of the exchange. */
  readonly stallMs: number
  /** Absent if the whole output was held before the request started. */
  readonly money?: Money | undefined
}

export type Pumping = {
  /** Rejects only for a bug in the gateway. */
  readonly ending: Promise<StreamEnding>
  readonly stop: () => void
}

const streamHeaders = ({ dialect }: Client, { watch }: OpenStream) => ({
  'content-type':
    watch instanceof TaskWatch ? answerType(watch.form, watch.contentType) : dialect.streamType,
  'cache-control': 'no-cache',
  'x-accel-buffering': 'no',
})

/** If the balance may end within the received bytes, they are read in pieces of a few events. */
const PIECE_BYTES = 2048

/** Ends when the upstream has sent everything, or is silent for too long. */
export function pumpStream(source: StreamSource, client: Client, patience: Patience): Pumping {
  const pump = new Pump(source, client, patience)
  source.stream.read(pump)
  return { ending: pump.ending, stop: () => pump.stop() }
}

class Pump implements StreamReader {
  readonly ending: Promise<StreamEnding>
  readonly #stream: OpenStream
  readonly #continuation: StreamContinuation | null
  #onTakeOver: (() => void) | undefined
  readonly #client: Client
  readonly #patience: Patience
  readonly #resolve: (ending: StreamEnding) => void
  readonly #reject: (error: unknown) => void
  readonly #stopListening: (() => void)[]
  #newsCount = 0
  #heardAt = 0
  /**
   * Stall timer. Not reset per event: when it fires it re-arms for the time left since the last
   * delta.
   */
  #silence: NodeJS.Timeout | undefined
  #tail: NodeJS.Timeout | undefined
  #clientStall: NodeJS.Timeout | undefined
  #stalledAt = 0
  #isAsking = false
  #ended = false

  constructor(source: StreamSource, client: Client, patience: Patience) {
    this.#stream = source.stream
    this.#continuation = source.continuation
    this.#onTakeOver = source.onTakeOver
    this.#client = client
    this.#patience = patience
    const { promise, resolve, reject } = Promise.withResolvers<StreamEnding>()
    this.ending = promise
    this.#resolve = resolve
    this.#reject = reject
    const { response } = client
    const goOn = () => this.#goOn()
    response.on('drain', goOn)
    this.#stopListening = [() => response.off('drain', goOn)]
    this.#stopListening.push(client.onLeave(goOn))
    this.#listen()
    this.#stopListening.push(client.onTimeUp(() => this.#conclude({ type: 'abandoned' })))
  }

  takes(bytes: number): number {
    const room = this.#patience.money?.room(this.#stream.watch.outputBytes) ?? Infinity
    return bytes <= room ? bytes : Math.min(bytes, PIECE_BYTES)
  }

  blocks(blocks: readonly Buffer[]) {
    if (this.#ended) return
    const news = this.#continued(blocks)
    const { newsCount, outputBytes } = this.#stream.watch
    if (newsCount !== this.#newsCount) this.#heard(newsCount)
    const paid = this.#patience.money?.covers(outputBytes) ?? true
    if (paid === true) this.#handOn(news)
    else this.#handOnIf(paid, news).catch((error: unknown) => this.#fail(error))
  }

  /** A bug in the gateway ends this request only. */
  #fail(error: unknown) {
    this.#reject(error)
    if (!this.#ended) this.#conclude({ type: 'stopped' })
  }

  #handOn(news: readonly Buffer[]) {
    if (news.length > 0 && !this.#client.disconnected) this.#write(news)
    this.#stream.saidBytes = this.#output.outputBytes
    const { watch } = this.#stream
    if (watch.error !== null) {
      const { status, askedWith } = this.#stream
      this.#break(classifyUpstreamError({ status, headers: {}, body: watch.error, askedWith }))
    } else if (watch.overflowed) {
      this.#break(problemFromTransport('too_large'))
    } else if (this.#continuation?.departed === true) this.#conclude({ type: 'departed' })
    else if (watch.done) {
      if (watch.whole) this.#finish()
      else this.#break(problemFromTransport('closed_early'))
    } else if (watch.finished) {
      this.#waitForTail()
    } else {
      // The stream continued after it seemed to have finished.
      clearTimeout(this.#tail)
      this.#tail = undefined
    }
  }

  /** Does nothing while the upstream is paused for the client. */
  #waitForTail() {
    if (this.#clientStall !== undefined) return
    this.#tail ??= setTimeout(() => this.#finish(), this.#patience.tailMs)
  }

  /**
   * A stream whose choices have all finished is complete, whatever is missing after them and
   * however it ends.
   */
  ended(failure: TransportFailure | null) {
    if (this.#ended) return
    const { watch } = this.#stream
    if (watch.finished || (failure === null && watch.canEnd)) return this.#finish()
    const isLate = failure === 'total_timeout'
    this.#break(problemFromTransport(failure ?? 'closed_early'), { isLate, isCut: true })
  }

  /** The client lacks what failed here, although the observer has counted it. */
  stumbled(cause: unknown) {
    if (!this.#ended) this.#break({ ...problemFromTransport('malformed'), cause }, { isLate: true })
  }

  /** Pauses the upstream until it is known whether the output so far is paid for. */
  async #handOnIf(paid: Promise<boolean>, news: readonly Buffer[]) {
    this.#isAsking = true
    this.#stream.pause()
    clearTimeout(this.#silence)
    const isPaid = await paid
    this.#isAsking = false
    if (this.#ended) return
    if (!isPaid) {
      const said = this.#output.outputTextForCounting(this.#stream.saidBytes)
      return this.#conclude({ type: 'unpaid', said })
    }
    try {
      this.#handOn(news)
    } catch (error) {
      return this.stumbled(error)
    }
    if (this.#ended || this.#clientStall !== undefined) return
    this.#listen()
    this.#stream.resume()
  }

  /** The part of this stream that belongs to the client's answer. */
  get #output() {
    return this.#continuation ?? this.#stream.watch
  }

  /** A connection may be cut because the client stalled the stream. */
  #break(problem: StreamProblem, { isLate = false, isCut = false } = {}) {
    this.#endStall()
    const { clientStalledMs } = this.#stream
    const keptWaiting = isCut && clientStalledMs >= this.#patience.keptWaitingMs
    this.#conclude({ type: 'broken', problem, isLate, keptWaiting, isCut })
  }

  stop() {
    if (!this.#ended) this.#conclude({ type: 'stopped' })
  }

  #continued(blocks: readonly Buffer[]): readonly Buffer[] {
    const continuation = this.#continuation
    if (continuation === null) return blocks
    const news = blocks.flatMap((block) => continuation.push(block))
    if (continuation.tookOver) this.#noteTakeOver()
    return news
  }

  #noteTakeOver() {
    this.#onTakeOver?.()
    this.#onTakeOver = undefined
  }

  #write(events: readonly Buffer[]) {
    const { response, speaker } = this.#client
    if (!response.headersSent) response.writeHead(200, streamHeaders(this.#client, this.#stream))
    const isNative = this.#stream.native !== null
    const blocks = isNative ? this.#client.passOn(events) : speaker.say(events)
    const [first] = blocks
    if (first === undefined) return
    const bytes = blocks.length === 1 ? first : Buffer.concat(blocks)
    if (response.write(bytes) || this.#clientStall !== undefined) return
    this.#stream.pause()
    clearTimeout(this.#silence)
    clearTimeout(this.#tail)
    this.#tail = undefined
    this.#stalledAt = performance.now()
    this.#clientStall = setTimeout(() => response.destroy(), this.#patience.clientStallMs)
  }

  /** The client accepts bytes again, or has disconnected. */
  #goOn() {
    if (this.#client.disconnected) clearTimeout(this.#silence)
    if (this.#clientStall === undefined) return
    this.#endStall()
    if (this.#isAsking) return
    this.#listen()
    if (this.#stream.watch.finished) this.#waitForTail()
    this.#stream.resume()
  }

  #endStall() {
    if (this.#clientStall === undefined) return
    clearTimeout(this.#clientStall)
    this.#clientStall = undefined
    this.#stream.clientStalledMs += performance.now() - this.#stalledAt
  }

  /** After a disconnect only the deadlines of the exchange apply. */
  #listen() {
    const { stallMs } = this.#patience
    if (stallMs === Infinity || this.#client.disconnected) return
    this.#heardAt = performance.now()
    this.#silence = setTimeout(() => this.#lookForSilence(), stallMs)
  }

  #lookForSilence() {
    const leftMs = this.#heardAt + this.#patience.stallMs - performance.now()
    if (leftMs <= 0) return this.#conclude({ type: 'stalled' })
    this.#silence = setTimeout(() => this.#lookForSilence(), leftMs)
  }

  #heard(newsCount: number) {
    this.#newsCount = newsCount
    this.#heardAt = performance.now()
  }

  /** A continuation that ends before it has caught up has diverged. */
  #finish() {
    const isCaughtUp = this.#continuation?.end() ?? true
    if (isCaughtUp) this.#noteTakeOver()
    this.#conclude({ type: isCaughtUp ? 'finished' : 'departed' })
  }

  #conclude(ending: StreamEnding) {
    this.#ended = true
    clearTimeout(this.#clientStall)
    clearTimeout(this.#silence)
    clearTimeout(this.#tail)
    for (const stop of this.#stopListening) stop()
    if (ending.type === 'stalled') this.#stream.leave()
    else if (ending.type === 'finished') this.#stream.exchange.release()
    else this.#stream.exchange.abort()
    this.#resolve(ending)
  }
}

/** What the end of a complete stream contains. */
export type StreamEnd = {
  /** Empty if the client did not ask for it, or has it already. */
  readonly usageEvent: string
  /** For a stream in the client's own dialect: its last events, and usage that they lack. */
  readonly native: { readonly events: readonly Buffer[]; readonly usage: Usage | null } | null
}

type ProblemToTell = Pick<StreamProblem, 'type' | 'param' | 'code' | 'message' | 'status' | 'cause'>

type Finished = { requestId: string; limits: SendLimits; end: StreamEnd; stream: OpenStream }

/**
 * Sends the last bytes: the regular end, or an error event and no end. Rejects with errors for the
 * operator's log.
 */
export async function finishStream(
  client: Client,
  problem: ProblemToTell | null,
  finished: Finished,
): Promise<void> {
  await sayEnd(client, problem, finished)
  if (problem?.cause === undefined) return
  throw new Error('A stream could not be written to its client.', { cause: problem.cause })
}

async function sayEnd(
  client: Client,
  problem: ProblemToTell | null,
  { requestId, limits, end, stream }: Finished,
): Promise<void> {
  const { response, speaker } = client
  if (client.disconnected) return
  const passed = stream.watch instanceof TaskWatch ? stream.watch : null
  // An error event cannot be written among raw bytes. Clients notice that the bytes break off.
  if (problem !== null && passed?.isBytes === true) return void response.destroy()
  if (!response.headersSent) response.writeHead(200, streamHeaders(client, stream))
  if (problem === null) return finishResponse(response, passed ? '' : endOf(speaker, end), limits)
  const { type, param, code, status } = problem
  const message = withRequestId(problem.message, requestId)
  const failure = speaker.fail({ type, param, code, status, message })
  return finishResponse(response, failure, limits)
}

const endOf = (speaker: StreamSpeaker, { usageEvent, native }: StreamEnd) =>
  native === null || speaker.native === undefined
    ? speaker.end(usageEvent)
    : speaker.native.end(native.events, native.usage)
