/*
 * Goes on with a stream elsewhere: with one that broke off, or, beside it, with one that has gone silent.
 * Nothing is written before the other stream has said all that the client has; from there on it goes on
 * without a seam. A silent stream that speaks again before that keeps its place.
 */
import {
  beginsAnswer,
  countOptions,
  countText,
  isContinuable,
  problemFromTransport,
  StreamContinuation,
  type StreamHead,
  textEvent,
  type UpstreamProblem,
} from '@tollgate/relay'
import { nextRescue } from '../domain/retry-policy.ts'
import { type Allowance, allowanceOf } from './allowance.ts'
import type { Job } from './end-request.ts'
import { isAboutRequest } from './health.ts'
import type { GatewayLimits } from './limits.ts'
import { countOutput } from './meter.ts'
import type { PricedTarget } from './reserve.ts'
import {
  type Money,
  type Pumping,
  pumpStream,
  type StreamEnding,
  type StreamSource,
} from './stream.ts'
import type { Beginning, Tries, Try } from './tries.ts'

/** What one channel gave of the answer. */
export type Part = StreamSource & { readonly one: Try }

/** What the client has been given, and how it ended. */
export type Delivered = { readonly parts: readonly Part[]; readonly ending: StreamEnding }

type Step = { readonly part: Part; readonly ending: StreamEnding }
/** What is gone on with, and what its client has of it. */
type Broken = {
  readonly part: Part
  readonly said: string
  readonly isSilent: boolean
  readonly interrupted: Promise<Interrupted>
}
type Interrupted = 'resumed' | 'over'
type Result = Step | Interrupted | 'failed' | 'again'

const MS = 1000

/** Hands a stream to the client, and goes on elsewhere as long as that can be done without a seam. */
export async function deliverParts(
  { tries, job, limits }: { tries: Tries; job: Job; limits: GatewayLimits },
  first: Part,
): Promise<Delivered> {
  const rescue = new Rescue(tries, job, { limits, first })
  const parts = [first]
  let step: Step = { part: first, ending: await rescue.pump(first).ending }
  for (;;) {
    const { part, ending } = step
    if (ending.type === 'broken') tries.failed(part.one, { ...ending, status: part.stream.status })
    const next = await rescue.goOn(step)
    if (next === null) return { parts, ending }
    if (next.part !== part) parts.push(next.part)
    step = next
  }
}

class Rescue {
  readonly #tries: Tries
  readonly #job: Job
  readonly #limits: GatewayLimits
  /** Of the first stream, under which the client knows all of them. */
  readonly #head: StreamHead
  /** Channels that refused to go on from a beginning. */
  readonly #refusing = new Set<number>()
  /** What has been handed on to the client, and is. */
  #speaking: Part[] = []
  /** Null for a stream whose whole output was held before it began. */
  readonly #allowance: Allowance | null
  #isPossible: boolean
  /** With whose silence nobody could go on: it has all the time that its exchange gives it. */
  #unwatched: Part['stream'] | null = null
  /** Grows with each silence that was followed by more. */
  #patienceFactor = 1

  constructor(tries: Tries, job: Job, { limits, first }: { limits: GatewayLimits; first: Part }) {
    this.#tries = tries
    this.#job = job
    this.#limits = limits
    this.#head = first.stream.watch.head
    this.#isPossible = job.terms.options.StreamRescueEnabled && isContinuable(job.asked)
    this.#allowance = allowanceOf(job, first.one.target, () => this.#countOutput())
  }

  pump(part: Part): Pumping {
    const { HedgeAfterSeconds } = this.#job.terms.options
    const isWatched = this.#isPossible && part.stream !== this.#unwatched && HedgeAfterSeconds > 0
    const stallMs = isWatched ? HedgeAfterSeconds * MS * this.#patienceFactor : Infinity
    const money = this.#moneyFor(part)
    return pumpStream(part, this.#job.client, { ...this.#limits, stallMs, money })
  }

  /** What other channels have said before counts too. */
  #moneyFor(part: Part): Money | undefined {
    const before = this.#speaking.filter((other) => other !== part)
    const bytesBefore = before.reduce((sum, { stream }) => sum + stream.watch.outputBytes, 0)
    this.#speaking = [...before, part]
    const allowance = this.#allowance
    if (allowance === null) return undefined
    allowance.goesOnAt(part.one.target.price)
    return {
      covers: (bytes) => allowance.covers(bytesBefore + bytes),
      room: (bytes) => allowance.room(bytesBefore + bytes),
    }
  }

  async #countOutput(): Promise<number> {
    const counting = countOptions(this.#job.terms.options)
    let tokens = 0
    for (const { stream, continuation, one } of this.#speaking) {
      const output = (continuation ?? stream.watch).outputTextForCounting()
      tokens += await countOutput(output, { ...counting, model: one.target.upstreamModel })
    }
    return tokens
  }

  /** Null when the stream has ended, as it may have, and nobody goes on with it. */
  async goOn({ part, ending }: Step): Promise<Step | null> {
    const isSilent = ending.type === 'stalled'
    if (!isSilent && (ending.type !== 'broken' || ending.isLate)) return null
    const said = this.#isPossible ? plainTextOf(part) : null
    const next = said === null ? null : await this.#elsewhere(part, said, isSilent)
    if (next !== null || !isSilent) return next
    // Should it break off, others are asked again.
    this.#unwatched = part.stream
    return { part, ending: await this.pump(part).ending }
  }

  async #elsewhere(part: Part, said: string, isSilent: boolean): Promise<Step | null> {
    const broken = { part, said, isSilent, interrupted: this.#interruption(part, isSilent) }
    const next = () =>
      isSilent ? this.#tries.nextBeside([part.one]) : this.#tries.next(nextRescue)
    let target = await next()
    while (target !== null) {
      const result = await this.#tryAt(target, broken)
      if (result === 'over') return null
      if (result === 'resumed') {
        this.#patienceFactor *= 2
        return { part, ending: await this.pump(part).ending }
      }
      if (typeof result !== 'string') return result
      if (result === 'failed') target = await next()
    }
    return null
  }

  /** What ends all tries to go on elsewhere: a silent stream that speaks again, a client that leaves. */
  #interruption(part: Part, isSilent: boolean): Promise<Interrupted> {
    return new Promise((resolve) => {
      this.#job.client.onLeave(() => resolve('over'))
      if (isSilent) void part.stream.speaksAgain().then(() => resolve('resumed'))
    })
  }

  async #tryAt(target: PricedTarget, broken: Broken): Promise<Result> {
    const beginning = await this.#beginningFor(target, broken.said)
    const one = this.#tries.start(target, { rescued: true }, beginning)
    const outcome = await Promise.race([one.outcome, broken.interrupted])
    if (typeof outcome === 'string') {
      this.#tries.notNeeded(one, NOT_NEEDED[outcome])
      return outcome
    }
    switch (outcome.type) {
      case 'streaming':
        this.#tries.spoke(one, outcome.stream.status)
        return this.#takeOver({ one, stream: outcome.stream }, broken, beginning)
      case 'failed':
        return this.#refused(one, outcome, beginning)
      case 'expired':
        this.#tries.expired(one)
        return 'failed'
      case 'unsent':
        this.#tries.abandoned(one)
        return 'over'
      default:
        this.#tries.notNeeded(one, NOT_NEEDED.over)
        return 'over'
    }
  }

  /** Whoever refuses only a beginning is asked for all of the answer. */
  #refused(
    one: Try,
    { problem, status }: { problem: UpstreamProblem; status: number },
    beginning: Beginning | null,
  ): Result {
    if (problem.kind === 'content_policy') {
      this.#tries.failed(one, { problem, status })
      return 'over'
    }
    const isRefusal = isAboutRequest(problem)
    this.#tries.failed(one, { problem, status }, isRefusal ? 'lasting' : undefined)
    if (beginning === null || !isRefusal) return 'failed'
    this.#refusing.add(one.target.id)
    return this.#tries.hasOneLeft ? 'again' : 'failed'
  }

  async #takeOver(
    { one, stream }: Pick<Part, 'one' | 'stream'>,
    { part, said, isSilent, interrupted }: Broken,
    beginning: Beginning | null,
  ): Promise<Result> {
    const head = this.#head
    const repeats = beginning === null || beginning.repeats
    const continuation = new StreamContinuation({ said, head, repeats })
    const onTakeOver = () => {
      if (isSilent) this.#close(part)
      const model = one.target.upstreamModel
      this.#job.client.goesOnFrom(textEvent({ ...head, model }, said))
    }
    const pumping = this.pump({ one, stream, continuation, onTakeOver })
    const ended = await Promise.race([pumping.ending, interrupted])
    if (typeof ended === 'string' && !continuation.tookOver) {
      pumping.stop()
      this.#tries.notNeeded(one, NOT_NEEDED[ended], stream.watch.outputTextForCounting())
      return ended
    }
    const ending = await pumping.ending
    if (continuation.tookOver) {
      this.#tries.repeated(one, { text: repeats ? said : '', tokensBeyond: 0 })
      return { part: { one, stream, continuation }, ending }
    }
    return this.#fellShort({ one, stream }, ending)
  }

  /** It ended before it had said all that the client has. */
  #fellShort({ one, stream }: Pick<Part, 'one' | 'stream'>, ending: StreamEnding): Result {
    const said = stream.watch.outputTextForCounting()
    if (ending.type === 'broken' || ending.type === 'stalled') {
      stream.exchange.abort()
      const problem = 'problem' in ending ? ending.problem : problemFromTransport('idle_timeout')
      this.#tries.failed(one, { problem, status: stream.status })
      this.#tries.repeated(one, said)
      return 'failed'
    }
    const reason = ending.type === 'departed' ? DEPARTED : NOT_NEEDED.over
    this.#tries.notNeeded(one, reason, said)
    return 'over'
  }

  /** A stream that was only silent is closed, once another speaks in its place. */
  #close({ one, stream }: Part) {
    stream.exchange.abort()
    const problem = problemFromTransport('idle_timeout')
    this.#tries.failed(one, { problem, status: stream.status })
  }

  /** Null where the provider is to be asked for all of the answer. */
  async #beginningFor(target: PricedTarget, text: string): Promise<Beginning | null> {
    const { asked, terms, reservation } = this.#job
    const { continuesText } = target.channel.descriptor
    if (continuesText === undefined || text === '' || beginsAnswer(asked)) return null
    if (this.#refusing.has(target.id)) return null
    const limit = reservation.outputLimit(target) ?? asked.outputLimit
    const { repeats } = continuesText
    if (limit === null) return { text, repeats, outputLimit: null }
    const options = countOptions(terms.options)
    const outputLimit = limit - (await countText(target.upstreamModel, text, options))
    return outputLimit > 0 ? { text, repeats, outputLimit } : null
  }
}

const NOT_NEEDED = {
  resumed: 'stream_went_on',
  over: 'client_left',
} as const

const DEPARTED = 'departed'

function plainTextOf({ stream, continuation }: Part): string | null {
  return continuation === null ? stream.watch.plainText() : continuation.plainText()
}
