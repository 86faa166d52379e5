/*
 * Relays an upstream's stream to the client, with back-pressure both ways. While the client accepts
 * no more bytes, the upstream is paused. After the client has disconnected, the upstream is drained
 * for a while to learn the true usage. The last bytes are not written here: the request is settled
 * before they are sent.
 */
import {
  classifyUpstreamError,
  type CountableOutput,
  problemFromTransport,
  type StreamContinuation,
  type TransportFailure,
  type UpstreamProblem,
} from '@tollgate/relay'
import type { Clock, Timer } from '../../clock.ts'
import type { OpenStream, StreamConsumer } from '../attempts/open-stream.ts'
import { isNothing, NO_OUTPUT, type StreamOutput } from '../attempts/stream-reader.ts'
import type { ClientResponse } from '../http-types.ts'
import type { Client } from '../intake/client.ts'
import { streamHeaders } from './finish-stream.ts'

type StreamProblem = UpstreamProblem & {
  /**
   * The consumer's error, for the operator's log: the gateway should have accepted what the
   * provider sent.
   */
  readonly cause?: unknown
}

export type StreamEnding =
  | { type: 'finished' }
  /**
   * `isUnrecoverable`: failover cannot help, because the time is over or the client lacks output
   * that the observer has counted. `clientStalled`: the client stalled the stream. `isCut`: the
   * connection ended without an error from the provider.
   */
  | {
      type: 'broken'
      problem: StreamProblem
      isUnrecoverable: boolean
      clientStalled: boolean
      isCut: boolean
    }
  /** The client disconnected, and the upstream did not end within the drain time. */
  | { type: 'abandoned' }
  /** The stream has had no content for a while, and may yet resume. */
  | { type: 'stalled' }
  /** The stream differs from what the client has. */
  | { type: 'diverged' }
  /** Nothing needs the stream any more. */
  | { type: 'stopped' }
  /** The balance is used up. `paidOutput` is the delivered output. */
  | { type: 'unpaid'; paidOutput: CountableOutput }

export type StreamSource = {
  readonly stream: OpenStream
  /** Set for a stream that continues another. */
  readonly continuation: StreamContinuation | null
  /** Called once, when the stream has caught up. */
  readonly onTakeOver?: () => void
}

export type StreamBudgetView = {
  /** Whether this many output bytes are paid for; a promise while that is being determined. */
  readonly covers: (outputBytes: number) => true | Promise<boolean>
  /** Further output bytes already paid for. */
  readonly remainingBytes: (outputBytes: number) => number
  /** How long hidden output is paid for without a raise; Infinity if there is none. */
  readonly growsInMs: () => number
}

type PumpLimits = {
  readonly clientStallMs: number
  readonly clientStallTotalMs: number
  /** Wait for usage and the end after all choices have finished. */
  readonly tailMs: number
  /** Longest time without content. Infinity leaves that to the deadlines of the exchange. */
  readonly stallMs: number
  /** Absent if the whole output was held before the request started. */
  readonly budget?: StreamBudgetView | undefined
}

export type Pumping = {
  /** Rejects only for a bug in the gateway. */
  readonly ending: Promise<StreamEnding>
  readonly stop: () => void
}

/** If the balance may end within the received bytes, they are read in pieces of a few events. */
const READ_STEP_BYTES = 2048

/** Ends when the upstream has sent everything, or is silent for too long. */
export function pumpStream(source: StreamSource, client: Client, limits: PumpLimits): Pumping {
  const pump = new Pump(source, client, limits)
  source.stream.read(pump)
  return { ending: pump.ending, stop: () => pump.stop() }
}

class Pump implements StreamConsumer {
  readonly ending: Promise<StreamEnding>
  readonly #stream: OpenStream
  readonly #continuation: StreamContinuation | null
  #onTakeOver: (() => void) | undefined
  readonly #client: Client
  readonly #clock: Clock
  readonly #limits: PumpLimits
  readonly #resolve: (ending: StreamEnding) => void
  readonly #reject: (error: unknown) => void
  readonly #stopListening: (() => void)[]
  #deltaCount = 0
  #lastDeltaAt = 0
  /**
   * Stall timer. Not reset per event: when it fires it re-arms for the time left since the last
   * delta.
   */
  #stallTimer: Timer | undefined
  #tailTimer: Timer | undefined
  #clientStallTimer: Timer | undefined
  #budgetTimer: Timer | undefined
  #clientStalledAt = 0
  #awaitsBudget = false
  #ended = false

  constructor(source: StreamSource, client: Client, limits: PumpLimits) {
    this.#stream = source.stream
    this.#continuation = source.continuation
    this.#onTakeOver = source.onTakeOver
    this.#client = client
    this.#clock = client.clock
    this.#limits = limits
    const { promise, resolve, reject } = Promise.withResolvers<StreamEnding>()
    this.ending = promise
    this.#resolve = resolve
    this.#reject = reject
    const { response } = client
    const onWritable = () => this.#onWritable()
    response.on('drain', onWritable)
    this.#stopListening = [() => response.off('drain', onWritable)]
    this.#stopListening.push(client.onDisconnect(onWritable))
    this.#startStallTimer()
    this.#startBudgetTimer()
    const abandon = () => this.#conclude({ type: 'abandoned' })
    client.onDrainTimeout(abandon)
    this.#stopListening.push(() => client.offDrainTimeout(abandon))
  }

  bytesAccepted(bytes: number): number {
    const affordable =
      this.#limits.budget?.remainingBytes(this.#stream.observer.outputBytes) ?? Infinity
    return bytes <= affordable ? bytes : Math.min(bytes, READ_STEP_BYTES)
  }

  onOutput(given: StreamOutput) {
    if (this.#ended) return
    const output = this.#applyContinuation(given)
    const { deltaCount, outputBytes } = this.#stream.observer
    if (deltaCount !== this.#deltaCount) this.#onDelta(deltaCount)
    const paid = this.#limits.budget?.covers(outputBytes) ?? true
    if (paid === true) this.#deliver(output)
    else this.#deliverIfPaid(paid, kept(output)).catch((error: unknown) => this.#fail(error))
  }

  /** Hidden reasoning uses the hold up while nothing arrives. */
  #startBudgetTimer() {
    const ms = this.#limits.budget?.growsInMs() ?? Infinity
    if (ms < Infinity) this.#budgetTimer = this.#clock.after(ms, () => this.#checkBudget())
  }

  #checkBudget() {
    if (!this.#awaitsBudget) {
      const paid = this.#limits.budget?.covers(this.#stream.observer.outputBytes) ?? true
      if (paid !== true) {
        this.#deliverIfPaid(paid, NO_OUTPUT).catch((error: unknown) => this.#fail(error))
      }
    }
    this.#startBudgetTimer()
  }

  /** A bug in the gateway ends this request only. */
  #fail(error: unknown) {
    this.#reject(error)
    if (!this.#ended) this.#conclude({ type: 'stopped' })
  }

  #deliver(output: StreamOutput) {
    if (!this.#client.disconnected) this.#write(output)
    this.#stream.paidBytes = this.#output.outputBytes
    const { observer } = this.#stream
    if (observer.error !== null) {
      const { status, channelSecrets } = this.#stream
      this.#break(
        classifyUpstreamError({ status, headers: {}, body: observer.error, channelSecrets }),
      )
    } else if (observer.overflowed) {
      this.#break(problemFromTransport('too_large'))
    } else if (this.#continuation?.diverged === true) this.#conclude({ type: 'diverged' })
    else if (observer.done) {
      if (observer.isComplete) this.#finish()
      else this.#break(problemFromTransport('closed_early'))
    } else if (observer.finished) {
      this.#waitForTail()
    } else {
      // The stream continued after it seemed to have finished.
      this.#tailTimer?.close()
      this.#tailTimer = undefined
    }
  }

  /** Does nothing while the upstream is paused for the client. */
  #waitForTail() {
    if (this.#clientStallTimer !== undefined) return
    this.#tailTimer ??= this.#clock.after(this.#limits.tailMs, () => this.#finish())
  }

  /**
   * A stream whose choices have all finished is complete, whatever is missing after them and
   * however it ends.
   */
  onEnd(failure: TransportFailure | null) {
    if (this.#ended) return
    const { observer } = this.#stream
    if (observer.finished || (failure === null && observer.canEnd)) return this.#finish()
    const isUnrecoverable = failure === 'total_timeout'
    this.#break(problemFromTransport(failure ?? 'closed_early'), { isUnrecoverable, isCut: true })
  }

  /** The client lacks what failed here, although the observer has counted it. */
  onConsumerError(cause: unknown) {
    if (!this.#ended)
      this.#break({ ...problemFromTransport('malformed'), cause }, { isUnrecoverable: true })
  }

  /** Pauses the upstream until it is known whether the output so far is paid for. */
  async #deliverIfPaid(paid: Promise<boolean>, output: StreamOutput) {
    this.#awaitsBudget = true
    this.#stream.pause()
    this.#stallTimer?.close()
    const isPaid = await paid
    this.#awaitsBudget = false
    if (this.#ended) return
    if (!isPaid) {
      const paidOutput = this.#output.outputTextForCounting(this.#stream.paidBytes)
      return this.#conclude({ type: 'unpaid', paidOutput })
    }
    try {
      this.#deliver(output)
    } catch (error) {
      return this.onConsumerError(error)
    }
    if (this.#ended || this.#clientStallTimer !== undefined) return
    this.#startStallTimer()
    this.#stream.resume()
  }

  /** The part of this stream that belongs to the client's answer. */
  get #output() {
    return this.#continuation ?? this.#stream.observer
  }

  /** A connection may be cut because the client stalled the stream. */
  #break(problem: StreamProblem, { isUnrecoverable = false, isCut = false } = {}) {
    this.#endStall()
    const { clientStalledMs } = this.#stream
    const clientStalled = isCut && clientStalledMs >= this.#limits.clientStallTotalMs
    this.#conclude({ type: 'broken', problem, isUnrecoverable, clientStalled, isCut })
  }

  stop() {
    if (!this.#ended) this.#conclude({ type: 'stopped' })
  }

  #applyContinuation(output: StreamOutput): StreamOutput {
    const continuation = this.#continuation
    if (continuation === null) return output
    const events = continuation.push(Buffer.isBuffer(output) ? [] : output.events)
    if (continuation.tookOver) this.#reportTakeOver()
    return { blocks: [], events }
  }

  #reportTakeOver() {
    this.#onTakeOver?.()
    this.#onTakeOver = undefined
  }

  #write(output: StreamOutput) {
    if (isNothing(output)) return
    const { response } = this.#client
    if (!response.headersSent) response.writeHead(200, streamHeaders(this.#client, this.#stream))
    if (this.#send(output) || this.#clientStallTimer !== undefined) return
    this.#stream.pause()
    this.#stallTimer?.close()
    this.#tailTimer?.close()
    this.#tailTimer = undefined
    this.#clientStalledAt = this.#clock.monotonic()
    this.#clientStallTimer = this.#clock.after(this.#limits.clientStallMs, () => response.destroy())
  }

  /** Returns false if the client must read first. */
  #send(output: StreamOutput): boolean {
    const client = this.#client
    if (Buffer.isBuffer(output)) return writeCopy(client.response, client.bytesOfPiece(output))
    const bytes = client.bytesOf(output.blocks, output.events)
    return bytes === null || client.response.write(bytes)
  }

  /** The client accepts bytes again, or has disconnected. */
  #onWritable() {
    if (this.#client.disconnected) this.#stallTimer?.close()
    if (this.#clientStallTimer === undefined) return
    this.#endStall()
    if (this.#awaitsBudget) return
    this.#startStallTimer()
    if (this.#stream.observer.finished) this.#waitForTail()
    this.#stream.resume()
  }

  #endStall() {
    if (this.#clientStallTimer === undefined) return
    this.#clientStallTimer?.close()
    this.#clientStallTimer = undefined
    this.#stream.clientStalledMs += this.#clock.monotonic() - this.#clientStalledAt
  }

  /** After a disconnect only the deadlines of the exchange apply. */
  #startStallTimer() {
    const { stallMs } = this.#limits
    if (stallMs === Infinity || this.#client.disconnected) return
    this.#lastDeltaAt = this.#clock.monotonic()
    this.#stallTimer = this.#clock.after(stallMs, () => this.#checkStall())
  }

  #checkStall() {
    const leftMs = this.#lastDeltaAt + this.#limits.stallMs - this.#clock.monotonic()
    if (leftMs <= 0) return this.#conclude({ type: 'stalled' })
    this.#stallTimer = this.#clock.after(leftMs, () => this.#checkStall())
  }

  #onDelta(deltaCount: number) {
    this.#deltaCount = deltaCount
    this.#lastDeltaAt = this.#clock.monotonic()
  }

  /** A continuation that ends before it has caught up has diverged. */
  #finish() {
    const isCaughtUp = this.#continuation?.end() ?? true
    if (isCaughtUp) this.#reportTakeOver()
    this.#conclude({ type: isCaughtUp ? 'finished' : 'diverged' })
  }

  #conclude(ending: StreamEnding) {
    this.#ended = true
    this.#clientStallTimer?.close()
    this.#budgetTimer?.close()
    this.#stallTimer?.close()
    this.#tailTimer?.close()
    for (const stop of this.#stopListening) stop()
    if (ending.type === 'stalled') this.#stream.detach()
    else if (ending.type === 'finished') this.#stream.exchange.release()
    else this.#stream.exchange.abort()
    this.#resolve(ending)
  }
}

/** Output that stays valid after the call that brought it. */
const kept = (output: StreamOutput): StreamOutput =>
  Buffer.isBuffer(output) ? Buffer.from(output) : output

const writeCopy = (response: ClientResponse, bytes: Buffer): boolean =>
  response.writeCopy?.(bytes) ?? response.write(Buffer.from(bytes))
