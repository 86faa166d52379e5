/*
 * Continues a stream on another channel: after it broke off or, by hedging, while it stalls.
 * Nothing is written before the new stream has caught up with what the client has. From there on it
 * continues seamlessly. A stalled stream that resumes before that keeps its place.
 */
import { ATTEMPT_REASON } from '@tollgate/contract'
import {
  hasPrefill,
  countText,
  headOf,
  isAboutRequest,
  isContinuable,
  problemFromTransport,
  StreamContinuation,
  type AnswerHead,
  type UpstreamProblem,
} from '@tollgate/relay'
import { nextFailover } from '../../domain/retry-policy.ts'
import type { Failed } from '../attempts/attempt-outcome.ts'
import type { Attempts } from '../attempts/attempts.ts'
import { awaitFirstAnswer, type Hedge } from '../attempts/hedge.ts'
import type { Prefill, AttemptRole, RunningAttempt } from '../attempts/running-attempt.ts'
import { countOptionsFor } from '../billing/counting.ts'
import type { PricedTarget } from '../billing/terms.ts'
import type { RelayContext } from '../context.ts'
import type { StreamPart, StreamParts } from './stream-parts.ts'
import type { Pumping, StreamEnding } from './stream-relay.ts'

type Step = { readonly part: StreamPart; readonly ending: StreamEnding }
/** A stream to continue, and the text its client has. */
type BrokenStream = {
  readonly part: StreamPart
  readonly deliveredText: string
  /**
   * A stalled stream as an attempt, which fails when the stream ends. Null if the stream broke off.
   */
  readonly stalledAttempt: RunningAttempt | null
  readonly interrupted: Promise<Interruption>
  /** By the attempts that were given one. */
  readonly prefills: Map<RunningAttempt, Prefill>
  /** To be asked again, for the whole answer. */
  retryTarget: PricedTarget | null
}
type Interruption = typeof ATTEMPT_REASON.streamResumed | typeof ATTEMPT_REASON.clientLeft
type Result = Step | Interruption | 'failed' | 'over'
type StreamFailure = { readonly problem: UpstreamProblem; readonly clientStalled?: boolean }

const MS = 1000

const canBeContinued = ({ terms, parsedRequest }: RelayContext): boolean =>
  terms.options.StreamRescueEnabled && isContinuable(parsedRequest)

/** How long a stream may be without content before another channel is asked to continue it. */
export function stallMsOf(context: RelayContext): number {
  const { HedgeAfterSeconds } = context.terms.options
  return HedgeAfterSeconds > 0 && canBeContinued(context) ? HedgeAfterSeconds * MS : Infinity
}

export class StreamFailover {
  readonly #attempts: Attempts
  readonly #context: RelayContext
  readonly #parts: StreamParts
  /** From the first stream. The client knows all parts under this head. */
  readonly #head: Pick<AnswerHead, 'id' | 'created'>
  /** Channels that refused a prefill. */
  readonly #prefillRefusers = new Set<number>()
  readonly #isPossible: boolean
  /** Attempts whose end has been recorded. */
  readonly #recorded = new Set<RunningAttempt>()
  /** A stalled stream that no channel could continue. Only its exchange's deadlines apply. */
  #unwatched: StreamPart['stream'] | null = null
  /** Doubles with each stall that the stream recovered from. */
  #stallFactor = 1

  constructor(attempts: Attempts, context: RelayContext, parts: StreamParts) {
    this.#attempts = attempts
    this.#context = context
    this.#parts = parts
    this.#head = headOf({ ...parts.first.stream.observer.head, model: '' })
    this.#isPossible = canBeContinued(context)
  }

  /** Continues the answer as long as that is seamless. Returns how it ended. */
  async run(interrupted: Step): Promise<StreamEnding> {
    let step = interrupted
    for (;;) {
      const { part, ending } = step
      if (ending.type === 'broken') this.#recordFailure(part, ending)
      const next = await this.#failOver(step)
      if (next === null) return ending
      step = next
    }
  }

  #pump(part: StreamPart): Pumping {
    const isWatched = part.stream !== this.#unwatched
    const stallMs = isWatched ? stallMsOf(this.#context) * this.#stallFactor : Infinity
    return this.#parts.pump(part, stallMs)
  }

  /**
   * Records the end of a stream once. The end of a stalled stream may be known before it is read.
   */
  #recordFailure(
    { attempt, stream }: StreamPart,
    { problem, clientStalled = false }: StreamFailure,
  ) {
    if (this.#recorded.has(attempt)) return
    this.#recorded.add(attempt)
    const end = { problem, status: stream.status }
    if (clientStalled) this.#attempts.clientStalled(attempt, end)
    else this.#attempts.failed(attempt, end)
  }

  /** Null if the ending is final: no failover is needed or possible. */
  async #failOver({ part, ending }: Step): Promise<Step | null> {
    const isStalled = ending.type === 'stalled'
    if (!isStalled && !canFailOver(ending)) return null
    // A stalled stream that has delivered everything lacks only its end, which is awaited.
    const isComplete = isStalled && part.stream.observer.finished
    const deliveredText = this.#isPossible && !isComplete ? plainTextOf(part) : null
    const next =
      deliveredText === null
        ? null
        : await this.#continueElsewhere(this.#broken(part, deliveredText, isStalled))
    if (next !== null || !isStalled) return next
    // Other channels are asked again if the stream breaks off.
    this.#unwatched = part.stream
    return { part, ending: await this.#pump(part).ending }
  }

  /** `interrupted` ends the failover: the stalled stream resumes, or the client disconnects. */
  #broken(part: StreamPart, deliveredText: string, isStalled: boolean): BrokenStream {
    const { promise: interrupted, resolve } = Promise.withResolvers<Interruption>()
    this.#context.client.onDisconnect(() => resolve(ATTEMPT_REASON.clientLeft))
    const stalledAttempt = isStalled
      ? asStalledAttempt(part, () => resolve(ATTEMPT_REASON.streamResumed))
      : null
    return {
      part,
      deliveredText,
      stalledAttempt,
      interrupted,
      prefills: new Map(),
      retryTarget: null,
    }
  }

  async #continueElsewhere(broken: BrokenStream): Promise<Step | null> {
    try {
      return await this.#tryOtherChannels(broken)
    } catch (error) {
      // A bug in the gateway ends the request, and nothing reads a stalled stream any more.
      broken.part.stream.exchange.abort()
      throw error
    }
  }

  async #tryOtherChannels(broken: BrokenStream): Promise<Step | null> {
    const { part, stalledAttempt } = broken
    let first = stalledAttempt ?? (await this.#startNext(broken))
    while (first !== null) {
      const result = await this.#continueFrom(first, broken)
      if (result === ATTEMPT_REASON.streamResumed) {
        this.#stallFactor *= 2
        return { part, ending: await this.#pump(part).ending }
      }
      if (typeof result !== 'string') return result
      if (result !== 'failed') return null
      first = (broken.retryTarget ? null : stalledAttempt) ?? (await this.#startNext(broken))
    }
    return null
  }

  /**
   * Takes the first attempt that answers. Null if a stalled stream has ended and all others failed.
   */
  async #continueFrom(first: RunningAttempt, broken: BrokenStream): Promise<Result | null> {
    const firstAnswer = await awaitFirstAnswer(this.#attempts, first, this.#hedgeFor(broken))
    if (firstAnswer === null)
      return broken.stalledAttempt === null || broken.retryTarget ? 'failed' : null
    if (typeof firstAnswer === 'string') return firstAnswer
    const { attempt, outcome } = firstAnswer
    if (outcome.type !== 'streaming') {
      this.#attempts.discarded(attempt, ATTEMPT_REASON.clientLeft)
      return 'over'
    }
    this.#attempts.answerStarted(attempt, outcome.stream.status)
    return this.#takeOver({ attempt, stream: outcome.stream }, broken)
  }

  /** The stalled stream takes part, and is closed once another stream takes its place. */
  #hedgeFor(broken: BrokenStream): Hedge<Interruption> {
    const { part, stalledAttempt, interrupted } = broken
    return {
      begin: async (running) => {
        const target = this.#takeRetryTarget(broken) ?? this.#attempts.nextHedge(running)
        const isHedged = running.some((attempt) => attempt !== stalledAttempt)
        return target && this.#start(target, broken, isHedged ? { hedged: true } : {})
      },
      failed: (attempt, failure) =>
        attempt === stalledAttempt
          ? this.#recordFailure(part, failure)
          : this.#onRefused(attempt, failure, broken),
      stopped: interrupted,
      keepsFirst: stalledAttempt !== null,
    }
  }

  async #startNext(broken: BrokenStream): Promise<RunningAttempt | null> {
    const target = this.#takeRetryTarget(broken) ?? (await this.#attempts.next(nextFailover))
    return target && this.#start(target, broken)
  }

  #takeRetryTarget(broken: BrokenStream): PricedTarget | null {
    const { retryTarget } = broken
    broken.retryTarget = null
    return retryTarget && this.#attempts.refreshTarget(retryTarget)
  }

  async #start(
    target: PricedTarget,
    { deliveredText, prefills }: BrokenStream,
    role: AttemptRole = {},
  ): Promise<RunningAttempt> {
    const prefill = await this.#prefillFor(target, deliveredText)
    const attempt = this.#attempts.start(target, { ...role, rescued: true }, prefill)
    if (prefill !== null) prefills.set(attempt, prefill)
    return attempt
  }

  /** A channel that refuses only the prefill is asked for the whole answer. */
  #onRefused(attempt: RunningAttempt, { problem, status }: Failed, broken: BrokenStream) {
    const isRefusal = isAboutRequest(problem) && problem.kind !== 'content_policy'
    this.#attempts.failed(attempt, { problem, status }, isRefusal ? 'channel_failed' : undefined)
    if (!isRefusal || !broken.prefills.has(attempt)) return
    this.#prefillRefusers.add(attempt.target.id)
    if (this.#attempts.hasAttemptLeft) broken.retryTarget = attempt.target
  }

  async #takeOver(
    { attempt, stream }: Pick<StreamPart, 'attempt' | 'stream'>,
    { part, deliveredText, stalledAttempt, interrupted, prefills }: BrokenStream,
  ): Promise<Result> {
    const head = this.#head
    const repeats = prefills.get(attempt)?.repeats ?? true
    const continuation = new StreamContinuation({ sentText: deliveredText, head, repeats })
    const onTakeOver = () => {
      if (stalledAttempt !== null) this.#close(part)
      const model = attempt.target.upstreamModel
      this.#context.client.continueFrom({ head: { ...head, model }, text: deliveredText })
    }
    const pumping = this.#pump({ attempt, stream, continuation, onTakeOver })
    const ended = await Promise.race([pumping.ending, interrupted])
    if (typeof ended === 'string' && !continuation.tookOver) {
      pumping.stop()
      this.#attempts.discarded(attempt, ended, stream.observer.outputTextForCounting())
      return ended
    }
    const ending = await pumping.ending
    if (continuation.tookOver) {
      this.#attempts.addRepeatedOutput(attempt, {
        text: repeats ? deliveredText : '',
        tokensBeyond: 0,
      })
      return { part: { attempt, stream, continuation }, ending }
    }
    return this.#endedEarly({ attempt, stream }, ending)
  }

  /** The stream ended before it had caught up with what the client has. */
  #endedEarly(
    { attempt, stream }: Pick<StreamPart, 'attempt' | 'stream'>,
    ending: StreamEnding,
  ): Result {
    const deliveredText = stream.observer.outputTextForCounting()
    if (ending.type === 'broken' || ending.type === 'stalled') {
      stream.exchange.abort()
      const problem = 'problem' in ending ? ending.problem : problemFromTransport('idle_timeout')
      this.#attempts.failed(attempt, { problem, status: stream.status })
      this.#attempts.addRepeatedOutput(attempt, deliveredText)
      return 'failed'
    }
    const reason = ending.type === 'diverged' ? ATTEMPT_REASON.diverged : ATTEMPT_REASON.clientLeft
    this.#attempts.discarded(attempt, reason, deliveredText)
    return 'over'
  }

  /** Closes a stalled stream once another takes its place. */
  #close(part: StreamPart) {
    part.stream.exchange.abort()
    this.#recordFailure(part, { problem: problemFromTransport('idle_timeout') })
  }

  /** Null if the provider must be asked for the whole answer. */
  async #prefillFor(target: PricedTarget, text: string): Promise<Prefill | null> {
    const { parsedRequest, terms, authorization, user } = this.#context
    const { prefill: continuesText } = target.channel.descriptor
    if (continuesText === undefined || text === '' || hasPrefill(parsedRequest)) return null
    if (this.#prefillRefusers.has(target.id)) return null
    const limit = authorization.outputLimit(target) ?? parsedRequest.outputLimit
    const { repeatsPrefill: repeats } = continuesText
    if (limit === null) return { text, repeats, outputLimit: null }
    const options = countOptionsFor(terms.options, user)
    const outputLimit = limit - (await countText(target.upstreamModel, text, options))
    return outputLimit > 0 ? { text, repeats, outputLimit } : null
  }
}

/** Failover does not help if the time is over or the client stalls. */
const canFailOver = (ending: StreamEnding) =>
  ending.type === 'broken' && !ending.isUnrecoverable && !ending.clientStalled

/** A stalled stream as an attempt: always late, and failed if the stream ends before it resumes. */
function asStalledAttempt({ attempt, stream }: StreamPart, onResume: () => void): RunningAttempt {
  const { promise: outcome, resolve } = Promise.withResolvers<Failed>()
  void stream.awaitDelta().then((end) => {
    if (end === null || stream.observer.finished) return onResume()
    const problem = problemFromTransport(end.failure ?? 'closed_early')
    return resolve({ type: 'failed', problem, status: stream.status })
  })
  return { ...attempt, outcome, sentAt: -Infinity }
}

function plainTextOf({ stream, continuation }: StreamPart): string | null {
  return continuation === null ? stream.observer.plainText() : continuation.plainText()
}
