/*
 * Continues a stream on another channel: one that broke off or, by hedging, one that has stalled.
 * Nothing is written before the new stream has caught up with what the client has. From there on it
 * continues seamlessly. A stalled stream that resumes before that keeps its place.
 */
import {
  beginsAnswer,
  countText,
  isAboutRequest,
  isContinuable,
  problemFromTransport,
  StreamContinuation,
  type StreamHead,
  textEvent,
  type UpstreamProblem,
} from '@tollgate/relay'
import { nextFailover } from '../../domain/retry-policy.ts'
import type { Failed } from '../attempts/attempt.ts'
import type { Prefill, AttemptRole, Attempts, RunningAttempt } from '../attempts/attempts.ts'
import { awaitFirstToken, type Hedge } from '../attempts/hedge.ts'
import { countingFor } from '../billing/counting.ts'
import { countOutput } from '../billing/meter.ts'
import { type StreamBudget, createStreamBudget } from '../billing/stream-budget.ts'
import type { PricedTarget } from '../billing/terms.ts'
import type { RelayContext } from '../context.ts'
import type { GatewayLimits } from '../limits.ts'
import {
  type Money,
  type Pumping,
  pumpStream,
  type StreamEnding,
  type StreamSource,
} from './stream-relay.ts'

/** What one channel delivered of the answer. */
export type StreamPart = StreamSource & { readonly one: RunningAttempt }

/** What the client was given, and how it ended. */
export type Delivered = { readonly parts: readonly StreamPart[]; readonly ending: StreamEnding }

type Step = { readonly part: StreamPart; readonly ending: StreamEnding }
/** A stream to continue, and the text its client has. */
type Broken = {
  readonly part: StreamPart
  readonly said: string
  /**
   * A stalled stream as an attempt, which fails when the stream ends. Null if the stream broke off.
   */
  readonly silent: RunningAttempt | null
  readonly interrupted: Promise<Interrupted>
  /** By the attempts that were given one. */
  readonly beginnings: Map<RunningAttempt, Prefill>
  /** To be asked again, for the whole answer. */
  again: PricedTarget | null
}
type Interrupted = 'stream_went_on' | 'client_left'
type Result = Step | Interrupted | 'failed' | 'over'
type Lost = { readonly problem: UpstreamProblem; readonly keptWaiting?: boolean }

const MS = 1000

/** Relays a stream, and fails over to other channels as long as that is seamless. */
export async function relayStream(
  { tries, job, limits }: { tries: Attempts; job: RelayContext; limits: GatewayLimits },
  first: StreamPart,
): Promise<Delivered> {
  const rescue = new StreamFailover(tries, job, { limits, first })
  const parts = [first]
  let step: Step = { part: first, ending: await rescue.pump(first).ending }
  for (;;) {
    const { part, ending } = step
    if (ending.type === 'broken') rescue.lost(part, ending)
    const next = await rescue.failOver(step)
    if (next === null) return { parts, ending }
    if (next.part !== part) parts.push(next.part)
    step = next
  }
}

class StreamFailover {
  readonly #tries: Attempts
  readonly #job: RelayContext
  readonly #limits: GatewayLimits
  /** From the first stream. The client knows all parts under this head. */
  readonly #head: StreamHead
  /** Channels that refused a prefill. */
  readonly #refusing = new Set<number>()
  /** The parts relayed to the client, including the current one. */
  #speaking: StreamPart[] = []
  /** Null if the whole output was held before the request started. */
  readonly #budget: StreamBudget | null
  readonly #isPossible: boolean
  /** Attempts whose end has been recorded. */
  readonly #lost = new Set<RunningAttempt>()
  /** A stalled stream that no channel could continue. Only its exchange's deadlines apply. */
  #unwatched: StreamPart['stream'] | null = null
  /** Doubles with each stall that the stream recovered from. */
  #patienceFactor = 1

  constructor(
    tries: Attempts,
    job: RelayContext,
    { limits, first }: { limits: GatewayLimits; first: StreamPart },
  ) {
    this.#tries = tries
    this.#job = job
    this.#limits = limits
    this.#head = first.stream.watch.head
    this.#isPossible = job.terms.options.StreamRescueEnabled && isContinuable(job.asked)
    this.#budget = createStreamBudget(job, first.one.target, () => this.#countOutput())
  }

  pump(part: StreamPart): Pumping {
    const { HedgeAfterSeconds } = this.#job.terms.options
    const isWatched = this.#isPossible && part.stream !== this.#unwatched && HedgeAfterSeconds > 0
    const stallMs = isWatched ? HedgeAfterSeconds * MS * this.#patienceFactor : Infinity
    const money = this.#moneyFor(part)
    return pumpStream(part, this.#job.client, { ...this.#limits, stallMs, money })
  }

  /** The output of earlier channels counts too. */
  #moneyFor(part: StreamPart): Money | undefined {
    const before = this.#speaking.filter((other) => other !== part)
    const bytesBefore = before.reduce((sum, { stream }) => sum + stream.watch.outputBytes, 0)
    this.#speaking = [...before, part]
    const budget = this.#budget
    if (budget === null) return undefined
    budget.goesOnAt(part.one.target.price)
    return {
      covers: (bytes) => budget.covers(bytesBefore + bytes),
      room: (bytes) => budget.room(bytesBefore + bytes),
    }
  }

  async #countOutput(): Promise<number> {
    const counting = countingFor(this.#job.terms.options, this.#job.user)
    let tokens = 0
    for (const { stream, continuation, one } of this.#speaking) {
      const output = (continuation ?? stream.watch).outputTextForCounting()
      tokens += await countOutput(output, { ...counting, model: one.target.upstreamModel })
    }
    return tokens
  }

  /**
   * Records the end of a stream once. The end of a stalled stream may be known before it is read.
   */
  lost({ one, stream }: StreamPart, { problem, keptWaiting = false }: Lost) {
    if (this.#lost.has(one)) return
    this.#lost.add(one)
    const end = { problem, status: stream.status }
    if (keptWaiting) this.#tries.keptWaiting(one, end)
    else this.#tries.failed(one, end)
  }

  /** Null if the ending is final: no failover is needed or possible. */
  async failOver({ part, ending }: Step): Promise<Step | null> {
    const isSilent = ending.type === 'stalled'
    if (!isSilent && !mayGoOn(ending)) return null
    // A stalled stream that has delivered everything lacks only its end, which is awaited.
    const isSaid = isSilent && part.stream.watch.finished
    const said = this.#isPossible && !isSaid ? plainTextOf(part) : null
    const next = said === null ? null : await this.#elsewhere(this.#broken(part, said, isSilent))
    if (next !== null || !isSilent) return next
    // Other channels are asked again if the stream breaks off.
    this.#unwatched = part.stream
    return { part, ending: await this.pump(part).ending }
  }

  /** `interrupted` ends the failover: the stalled stream resumes, or the client disconnects. */
  #broken(part: StreamPart, said: string, isSilent: boolean): Broken {
    const { promise: interrupted, resolve } = Promise.withResolvers<Interrupted>()
    this.#job.client.onLeave(() => resolve('client_left'))
    const silent = isSilent ? asSilent(part, () => resolve('stream_went_on')) : null
    return { part, said, silent, interrupted, beginnings: new Map(), again: null }
  }

  async #elsewhere(broken: Broken): Promise<Step | null> {
    try {
      return await this.#goOnElsewhere(broken)
    } catch (error) {
      // A bug in the gateway ends the request, and nothing reads a stalled stream any more.
      broken.part.stream.exchange.abort()
      throw error
    }
  }

  async #goOnElsewhere(broken: Broken): Promise<Step | null> {
    const { part, silent } = broken
    let first = silent ?? (await this.#askNext(broken))
    while (first !== null) {
      const result = await this.#goOnFrom(first, broken)
      if (result === 'stream_went_on') {
        this.#patienceFactor *= 2
        return { part, ending: await this.pump(part).ending }
      }
      if (typeof result !== 'string') return result
      if (result !== 'failed') return null
      first = (broken.again ? null : silent) ?? (await this.#askNext(broken))
    }
    return null
  }

  /**
   * Takes the first attempt that answers. Null if a stalled stream has ended and all others failed.
   */
  async #goOnFrom(first: RunningAttempt, broken: Broken): Promise<Result | null> {
    const spoken = await awaitFirstToken(this.#tries, first, this.#race(broken))
    if (spoken === null) return broken.silent === null || broken.again ? 'failed' : null
    if (typeof spoken === 'string') return spoken
    const { one, outcome } = spoken
    if (outcome.type !== 'streaming') {
      this.#tries.notNeeded(one, CLIENT_LEFT)
      return 'over'
    }
    this.#tries.firstTokenReceived(one, outcome.stream.status)
    return this.#takeOver({ one, stream: outcome.stream }, broken)
  }

  /** The stalled stream takes part, and is closed once another stream takes its place. */
  #race(broken: Broken): Hedge<Interrupted> {
    const { part, silent, interrupted } = broken
    return {
      begin: async (running) => {
        const target = this.#takeAgain(broken) ?? this.#tries.nextHedge(running)
        const isHedged = running.some((one) => one !== silent)
        return target && this.#ask(target, broken, isHedged ? { hedged: true } : {})
      },
      failed: (one, failure) =>
        one === silent ? this.lost(part, failure) : this.#refused(one, failure, broken),
      stopped: interrupted,
      isFirstKept: silent !== null,
    }
  }

  async #askNext(broken: Broken): Promise<RunningAttempt | null> {
    const target = this.#takeAgain(broken) ?? (await this.#tries.next(nextFailover))
    return target && this.#ask(target, broken)
  }

  #takeAgain(broken: Broken): PricedTarget | null {
    const { again } = broken
    broken.again = null
    return again && this.#tries.refreshed(again)
  }

  async #ask(
    target: PricedTarget,
    { said, beginnings }: Broken,
    role: AttemptRole = {},
  ): Promise<RunningAttempt> {
    const beginning = await this.#beginningFor(target, said)
    const one = this.#tries.start(target, { ...role, rescued: true }, beginning)
    if (beginning !== null) beginnings.set(one, beginning)
    return one
  }

  /** A channel that refuses only the prefill is asked for the whole answer. */
  #refused(one: RunningAttempt, { problem, status }: Failed, broken: Broken) {
    const isRefusal = isAboutRequest(problem) && problem.kind !== 'content_policy'
    this.#tries.failed(one, { problem, status }, isRefusal ? 'lasting' : undefined)
    if (!isRefusal || !broken.beginnings.has(one)) return
    this.#refusing.add(one.target.id)
    if (this.#tries.hasAttemptLeft) broken.again = one.target
  }

  async #takeOver(
    { one, stream }: Pick<StreamPart, 'one' | 'stream'>,
    { part, said, silent, interrupted, beginnings }: Broken,
  ): Promise<Result> {
    const head = this.#head
    const repeats = beginnings.get(one)?.repeats ?? true
    const continuation = new StreamContinuation({ said, head, repeats })
    const onTakeOver = () => {
      if (silent !== null) this.#close(part)
      const model = one.target.upstreamModel
      this.#job.client.goesOnFrom(textEvent({ ...head, model }, said))
    }
    const pumping = this.pump({ one, stream, continuation, onTakeOver })
    const ended = await Promise.race([pumping.ending, interrupted])
    if (typeof ended === 'string' && !continuation.tookOver) {
      pumping.stop()
      this.#tries.notNeeded(one, ended, stream.watch.outputTextForCounting())
      return ended
    }
    const ending = await pumping.ending
    if (continuation.tookOver) {
      this.#tries.repeated(one, { text: repeats ? said : '', tokensBeyond: 0 })
      return { part: { one, stream, continuation }, ending }
    }
    return this.#fellShort({ one, stream }, ending)
  }

  /** The stream ended before it had caught up with what the client has. */
  #fellShort({ one, stream }: Pick<StreamPart, 'one' | 'stream'>, ending: StreamEnding): Result {
    const said = stream.watch.outputTextForCounting()
    if (ending.type === 'broken' || ending.type === 'stalled') {
      stream.exchange.abort()
      const problem = 'problem' in ending ? ending.problem : problemFromTransport('idle_timeout')
      this.#tries.failed(one, { problem, status: stream.status })
      this.#tries.repeated(one, said)
      return 'failed'
    }
    const reason = ending.type === 'departed' ? DEPARTED : CLIENT_LEFT
    this.#tries.notNeeded(one, reason, said)
    return 'over'
  }

  /** Closes a stalled stream once another takes its place. */
  #close(part: StreamPart) {
    part.stream.exchange.abort()
    this.lost(part, { problem: problemFromTransport('idle_timeout') })
  }

  /** Null if the provider must be asked for the whole answer. */
  async #beginningFor(target: PricedTarget, text: string): Promise<Prefill | null> {
    const { asked, terms, authorization, user } = this.#job
    const { continuesText } = target.channel.descriptor
    if (continuesText === undefined || text === '' || beginsAnswer(asked)) return null
    if (this.#refusing.has(target.id)) return null
    const limit = authorization.outputLimit(target) ?? asked.outputLimit
    const { repeats } = continuesText
    if (limit === null) return { text, repeats, outputLimit: null }
    const options = countingFor(terms.options, user)
    const outputLimit = limit - (await countText(target.upstreamModel, text, options))
    return outputLimit > 0 ? { text, repeats, outputLimit } : null
  }
}

const CLIENT_LEFT = 'client_left' satisfies Interrupted
const DEPARTED = 'departed'

/** Failover does not help if the time is over or the client stalls. */
const mayGoOn = (ending: StreamEnding) =>
  ending.type === 'broken' && !ending.isLate && !ending.keptWaiting

/** A stalled stream as an attempt: always late, and failed if the stream ends before it resumes. */
function asSilent({ one, stream }: StreamPart, speaksAgain: () => void): RunningAttempt {
  const { promise: outcome, resolve } = Promise.withResolvers<Failed>()
  void stream.signOfLife().then((end) => {
    if (end === null || stream.watch.finished) return speaksAgain()
    const problem = problemFromTransport(end.failure ?? 'closed_early')
    return resolve({ type: 'failed', problem, status: stream.status })
  })
  return { ...one, outcome, sentAt: Promise.resolve(-Infinity) }
}

function plainTextOf({ stream, continuation }: StreamPart): string | null {
  return continuation === null ? stream.watch.plainText() : continuation.plainText()
}
