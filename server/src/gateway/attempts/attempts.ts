import { setTimeout as pause } from 'node:timers/promises'
import type { Attempt } from '@tollgate/contract'
import {
  isAboutRequest,
  type OutputForCounting,
  prepareRequest,
  problemFromTransport,
  readsWhole,
  type UpstreamProblem,
} from '@tollgate/relay'
import {
  nextHedgeInMs,
  type Failure,
  type FailureClass,
  nextHedge,
  type NextAttempt,
  nextAttempt,
  type Situation,
} from '../../domain/retry-policy.ts'
import { isLight, scheduler } from '../../scheduler/fair-scheduler.ts'
import type { UpstreamCall } from '../../upstream/exchange.ts'
import type { Fetched, GuardedFetch } from '../../upstream/guarded-fetch.ts'
import type { UnreadAnswer } from '../billing/estimate.ts'
import type { PricedTarget } from '../billing/terms.ts'
import type { RelayContext, RelayDeps } from '../context.ts'
import { callFor, type CallOptions } from '../routing/call-for.ts'
import type { Place, HealthProbe } from '../routing/health.ts'
import { type AttemptOutcome, beginAttempt, type Failed } from './attempt.ts'

export type FailedAttempt = Failure<PricedTarget> & { readonly problem: UpstreamProblem }

export type RunningAttempt = {
  readonly target: PricedTarget
  readonly key: string
  readonly outcome: Promise<AttemptOutcome>
  readonly isQueued: () => boolean
  readonly cancel: () => void
  /** Receives the outcome once, for the channel's health. */
  readonly probe: HealthProbe
  readonly startedAt: number
  /** When the request was sent, by a monotonic clock. Never resolves if it is not sent. */
  readonly sentAt: Promise<number>
  /** Its record in the log row. */
  readonly line: Attempt
}

/** Why an attempt after the first was started. */
export type AttemptRole = Pick<Attempt, 'hedged' | 'rescued'>

/** Text that a provider is asked to continue, and the output limit for what follows. */
export type Prefill = {
  readonly text: string
  /** The provider repeats the text before new output. */
  readonly repeats: boolean
  readonly outputLimit: number | null
}

const MS = 1000

/** The attempts of one request, and the choice of the next channel. */
export class Attempts {
  #failures: readonly FailedAttempt[] = []
  #unread: UnreadAnswer | null = null
  readonly #deps: RelayDeps
  readonly #job: RelayContext
  #until: number
  readonly #pictures = new Map<string, Promise<Fetched>>()

  constructor(deps: RelayDeps, job: RelayContext) {
    this.#deps = deps
    this.#job = job
    this.#until = performance.now() + deps.limits.triesMs
  }

  /** Linked images are fetched once for all attempts. */
  readonly #fetchOnce: GuardedFetch = (url) => {
    const fetched = this.#pictures.get(url) ?? this.#deps.upstream.fetchGuarded(url)
    this.#pictures.set(url, fetched)
    return fetched
  }

  /** In order of occurrence. */
  get failures(): readonly FailedAttempt[] {
    return this.#failures
  }

  /** The answer lost after the client disconnected; of several, the one that ran longest. */
  get unread(): UnreadAnswer | null {
    return this.#unread
  }

  get isLate(): boolean {
    return this.#until <= performance.now()
  }

  /** Waits until the next attempt is due. Null if there is none, or the client has disconnected. */
  async next(
    decide: (situation: Situation<PricedTarget>) => NextAttempt<PricedTarget> = nextAttempt,
  ): Promise<PricedTarget | null> {
    const { client, terms } = this.#job
    let candidates = this.#failures.length === 0 ? terms.targets : this.#stillLive()
    while (!client.disconnected) {
      const next = decide(this.#situation(candidates))
      if (next.type === 'give_up') return null
      if (next.afterMs === 0) return next.channel
      await pause(next.afterMs)
      candidates = this.#stillLive()
      const target = candidates.find(({ id }) => id === next.channel.id)
      if (target !== undefined) return client.disconnected ? null : target
    }
    return null
  }

  nextHedge(running: readonly RunningAttempt[]): PricedTarget | null {
    if (this.#job.client.disconnected) return null
    const targets = running.map(({ target }) => target)
    return nextHedge(this.#situation(this.#stillLive()), targets) ?? null
  }

  /** How long until a hedge may be possible; Infinity if none will be. */
  nextHedgeInMs(running: readonly RunningAttempt[]): number {
    if (this.#job.client.disconnected) return Infinity
    const targets = running.map(({ target }) => target)
    return nextHedgeInMs(this.#situation(this.#stillLive()), targets)
  }

  /**
   * The target under the channel's current settings. Null if the channel may not be asked any more.
   */
  refreshed({ id }: PricedTarget): PricedTarget | null {
    return this.#stillLive().find((target) => target.id === id) ?? null
  }

  get hasAttemptLeft(): boolean {
    return this.#failures.length <= this.#job.terms.options.RetryTimes
  }

  /** How long this attempt may be silent before a hedge starts. */
  hedgeAfterMs(target: PricedTarget): number {
    const { asked, terms } = this.#job
    const leastMs = terms.options.HedgeAfterSeconds * MS
    if (leastMs === 0 || terms.targets.length === 1) return Infinity
    // Images take long, and a hedge would pay for them twice.
    if (asked.task !== undefined) return Infinity
    return this.#deps.health.patienceMs(target, asked.stream ? 'stream' : 'whole', leastMs)
  }

  start(
    target: PricedTarget,
    role: AttemptRole = {},
    beginning: Prefill | null = null,
  ): RunningAttempt {
    const { asked, terms, authorization, attempts, client, requestId: id } = this.#job
    const { now, upstream, health } = this.#deps
    const { ServerAddress: siteUrl, SystemName: siteName } = terms.options
    const startedAt = now()
    const { keys, baseUrl, proxy } = target.channel
    const key = keys.next(target.upstreamModel)
    const outputLimit = beginning ? beginning.outputLimit : authorization.outputLimit(target)
    const begun = beginning?.text ?? null
    const probe = health.begin(target, asked.stream ? 'stream' : 'whole')
    const line = { channel: target.id, status: 0, reason: UNFINISHED, milliseconds: 0, ...role }
    attempts.push(line)
    const rescued = role.rescued === true
    const how = { key, outputLimit, siteUrl, siteName, begun, rescued, now: startedAt, id }
    const sent = Promise.withResolvers<number>()
    const askedWith = { key, baseUrl, proxy }
    const running = beginAttempt({ upstream, client, now, askedWith }, asked, () => {
      const call = this.#encode(target, how)
      if (call instanceof Promise) return this.#noteReady(call, { probe, sent })
      sent.resolve(performance.now())
      return call
    })
    const cancel = () => running.cancel()
    const { outcome, isQueued = () => false } = running
    const deadline = setTimeout(() => running.expire(), this.#until - performance.now())
    const stopClock = () => clearTimeout(deadline)
    // A rejection reaches whatever awaits `outcome`.
    outcome.then(stopClock, stopClock)
    const sentAt = sent.promise
    return { target, key, probe, startedAt, sentAt, line, outcome, isQueued, cancel }
  }

  /** Parsing a large request takes turns with the requests of other users. */
  #encode(target: PricedTarget, how: CallOptions): UpstreamCall | Promise<UpstreamCall> {
    const { asked, user } = this.#job
    const upstream = { ...this.#deps.upstream, fetchGuarded: this.#fetchOnce }
    const encode = () => callFor(asked, target, how, upstream)
    const isPassed = !readsWhole(asked, target.channel.descriptor)
    if (isPassed || isLight(asked.body.length)) return encode()
    const prepared = scheduler.run(user, prepareRequest(asked))
    return prepared instanceof Promise ? prepared.then(encode) : encode()
  }

  /** Time spent fetching what the request needs does not count against the channel. */
  async #noteReady(
    ready: Promise<UpstreamCall>,
    { probe, sent }: { probe: HealthProbe; sent: PromiseWithResolvers<number> },
  ): Promise<UpstreamCall> {
    const call = await ready
    probe.sent()
    sent.resolve(performance.now())
    return call
  }

  /** An answer arrived or began. */
  firstTokenReceived(one: RunningAttempt, status: number) {
    // Only a stream failover would need the images again, and an answer may take long.
    this.#pictures.clear()
    one.probe.firstTokenReceived()
    this.#write(one, { status, reason: '' })
    this.#failures = this.#failures.map(asOfItsChannel)
  }

  /** `kind` overrides what the failure usually means for the next attempt. */
  failed(
    one: RunningAttempt,
    failed: Pick<Failed, 'problem' | 'status' | 'workedMs' | 'isSilent'>,
    kind: FailureClass = classOf(failed.problem, failed.status),
  ) {
    const { problem, status, workedMs, isSilent = false } = failed
    this.#write(one, { status, reason: reasonOf(problem) })
    const isLost = workedMs !== undefined || (one.isQueued() && !tellsOfTask(status))
    if (isLost) this.#lose(one, { workedMs: workedMs ?? 0, isHungUp: false, isSilent })
    const learned = learnFrom(this.#deps, one, { problem, status, kind })
    this.#note({ channel: one.target, problem, ...learned })
  }

  /**
   * The deadline of all attempts passed before this attempt's own. Says nothing about the channel.
   */
  expired(one: RunningAttempt, lost: Pick<UnreadAnswer, 'workedMs' | 'isSilent'>) {
    const problem = problemFromTransport('first_byte_timeout')
    // A timer may fire slightly early, and another channel would be asked in that moment.
    this.#until = Math.min(this.#until, performance.now())
    one.probe.dropped()
    this.#write(one, { status: 0, reason: reasonOf(problem) })
    this.#lose(one, { ...lost, isHungUp: true })
    this.#note({ channel: one.target, problem, class: 'passing', retryAfterMs: null })
  }

  /** The client stalled the stream for so long that its end says nothing about the channel. */
  keptWaiting(
    one: RunningAttempt,
    { problem, status }: { problem: UpstreamProblem; status: number },
  ) {
    one.probe.dropped()
    this.#write(one, { status, reason: reasonOf(problem) })
  }

  /** The attempt was late, and another channel was faster. */
  lostHedge(one: RunningAttempt) {
    one.cancel()
    one.probe.failed(problemFromTransport('first_byte_timeout'))
    this.#write(one, { status: 0, reason: 'overtaken' })
    this.#waste(one)
  }

  /** The client disconnected before an answer began. */
  abandoned(one: RunningAttempt) {
    one.probe.dropped()
    this.#write(one, { status: 0, reason: 'client_left' })
  }

  /** Another attempt delivered the answer, or nothing needs it any more. */
  notNeeded(one: RunningAttempt, reason: string, said?: OutputForCounting) {
    one.cancel()
    one.probe.dropped()
    this.#write(one, { status: one.line.status, reason })
    this.#waste(one, said)
  }

  /** The client already has this output, so the operator pays for it. */
  repeated(one: RunningAttempt, said: OutputForCounting) {
    this.#waste(one, said)
  }

  /** No other channel is asked after a disconnect, so the caller pays for this answer. */
  #lose(one: RunningAttempt, how: Omit<UnreadAnswer, 'target'>) {
    const { target } = one
    if (!this.#job.client.disconnected) {
      if (one.isQueued()) this.#waste(one)
    } else if (this.#unread === null || this.#unread.workedMs < how.workedMs) {
      this.#unread = { target, ...how }
    }
  }

  #note(failure: FailedAttempt) {
    this.#failures = [...this.#failures, failure]
  }

  /** A stream that was stopped before its first token has no output. */
  #waste({ line, target }: RunningAttempt, said = this.#job.asked.stream ? NOTHING : null) {
    this.#job.unbilled.push({ line, said, target })
  }

  #write({ line, startedAt }: RunningAttempt, end: Pick<Attempt, 'status' | 'reason'>) {
    const milliseconds = Math.max(0, Math.round(this.#deps.now() - startedAt))
    Object.assign(line, end, { milliseconds })
  }

  /** The targets covered by the hold that may be asked now; possibly none. */
  #stillLive(): readonly PricedTarget[] {
    return this.#deps.registry().stillLive(this.#job.terms.targets)
  }

  #situation(candidates: readonly PricedTarget[]): Situation<PricedTarget> {
    const { terms } = this.#job
    const { random, health } = this.#deps
    return {
      candidates,
      failures: this.#failures,
      retryTimes: terms.options.RetryTimes,
      msLeft: this.#until - performance.now(),
      readyInMs: health.readyInMs,
      leftAloneMs: health.leftAloneMs,
      random,
    }
  }
}

/**
 * Once a channel has answered, earlier refusals concern only their own channels. A refusal by
 * content policy stays final.
 */
function asOfItsChannel(failure: FailedAttempt): FailedAttempt {
  const isOthers = isAboutRequest(failure.problem) && failure.problem.kind !== 'content_policy'
  return isOthers ? { ...failure, class: 'lasting' } : failure
}

/** Statuses about the key or a slow poll. The queued task runs all the same. */
const ABOUT_QUESTION: ReadonlySet<number> = new Set([401, 403, 408])
/** Whether this status says that a queued task was not run. */
const tellsOfTask = (status: number) => status > 0 && status < 429 && !ABOUT_QUESTION.has(status)

/** Reason in the log of an attempt that has not ended. */
export const UNFINISHED = 'unfinished'
const NOTHING: OutputForCounting = { text: '', tokensBeyond: 0 }

export const reasonOf = ({ kind, detail }: UpstreamProblem) => `${kind}: ${detail}`

/**
 * Reports a failure to the key ring and to the channel's health. Returns what it means for the next
 * attempt.
 */
export function learnFrom(
  { autoDisable }: Pick<RelayDeps, 'autoDisable'>,
  { target, key, probe }: Pick<RunningAttempt, 'key' | 'probe'> & { readonly target: Place },
  { problem, status, kind }: { problem: UpstreamProblem; status: number; kind: FailureClass },
): Pick<FailedAttempt, 'class' | 'retryAfterMs'> {
  const { keys } = target.channel
  const hasOtherKey = autoDisable.report(target, key, problem)
  const { retryAfterMs } = problem
  const isLimited = problem.kind === 'rate_limit'
  const leftAloneMs = isLimited
    ? keys.leaveAloneMs(target.upstreamModel, retryAfterMs)
    : retryAfterMs
  if (hasOtherKey || isUnsent(problem, status)) probe.dropped()
  else probe.failed(problem, leftAloneMs)
  // Without a Retry-After the channel cools down for other requests; this one does not wait.
  const waitMs = retryAfterMs === null ? null : leftAloneMs
  return { class: hasOtherKey ? 'other_key' : kind, retryAfterMs: waitMs }
}

/** Nothing was sent: the provider does not support a parameter of the request. */
const isUnsent = (problem: UpstreamProblem, status: number) =>
  status === 0 && isAboutRequest(problem)

export function classOf(problem: UpstreamProblem, status: number): FailureClass {
  const { kind, passing } = problem
  if (isUnsent(problem, status)) return 'lasting'
  if (kind === 'invalid_request' || kind === 'content_policy') return 'final'
  if (kind === 'context_length') return 'too_long'
  return passing ? 'passing' : 'lasting'
}
