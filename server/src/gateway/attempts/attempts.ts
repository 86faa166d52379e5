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

/** One channel that is being asked. */
export type RunningAttempt = {
  readonly target: PricedTarget
  readonly key: string
  readonly outcome: Promise<AttemptOutcome>
  readonly isQueued: () => boolean
  readonly cancel: () => void
  /** What becomes of it is told to the health of its channel, once. */
  readonly probe: HealthProbe
  readonly startedAt: number
  /** When it was sent, by a clock that never jumps; never resolves where that does not come about. */
  readonly sentAt: Promise<number>
  /** Its line in the log row. */
  readonly line: Attempt
}

/** Why it was begun, beside the first. */
export type AttemptRole = Pick<Attempt, 'hedged' | 'rescued'>

/** A beginning that a provider is given to go on from, and how much it may say after it. */
export type Prefill = {
  readonly text: string
  /** It is said again before what is new. */
  readonly repeats: boolean
  readonly outputLimit: number | null
}

const MS = 1000

/** What was tried for one request, and what may be tried next. */
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

  /** The pictures that a client named are the same for everybody who is asked. */
  readonly #fetchOnce: GuardedFetch = (url) => {
    const fetched = this.#pictures.get(url) ?? this.#deps.upstream.fetchGuarded(url)
    this.#pictures.set(url, fetched)
    return fetched
  }

  /** In their order. */
  get failures(): readonly FailedAttempt[] {
    return this.#failures
  }

  /** The answer that was lost after the client had left, the one that was under way for longest. */
  get unread(): UnreadAnswer | null {
    return this.#unread
  }

  get isLate(): boolean {
    return this.#until <= performance.now()
  }

  /** Waits for the time of the next try; null when there is none, or nobody left to try for. */
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

  /** How long until there may be one, where there is none now; Infinity where there will be none. */
  nextHedgeInMs(running: readonly RunningAttempt[]): number {
    if (this.#job.client.disconnected) return Infinity
    const targets = running.map(({ target }) => target)
    return nextHedgeInMs(this.#situation(this.#stillLive()), targets)
  }

  /** Null for one that may not be asked any more. */
  refreshed({ id }: PricedTarget): PricedTarget | null {
    return this.#stillLive().find((target) => target.id === id) ?? null
  }

  get hasAttemptLeft(): boolean {
    return this.#failures.length <= this.#job.terms.options.RetryTimes
  }

  /** How long this try may be silent before another is begun beside it. */
  hedgeAfterMs(target: PricedTarget): number {
    const { asked, terms } = this.#job
    const leastMs = terms.options.HedgeAfterSeconds * MS
    if (leastMs === 0 || terms.targets.length === 1) return Infinity
    // A picture takes its time, and twice made it is twice paid.
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
    // What it is rejected with is told to whoever waits for it.
    outcome.then(stopClock, stopClock)
    const sentAt = sent.promise
    return { target, key, probe, startedAt, sentAt, line, outcome, isQueued, cancel }
  }

  /** A large request that has to be read for it takes turns with those of other users. */
  #encode(target: PricedTarget, how: CallOptions): UpstreamCall | Promise<UpstreamCall> {
    const { asked, user } = this.#job
    const upstream = { ...this.#deps.upstream, fetchGuarded: this.#fetchOnce }
    const encode = () => callFor(asked, target, how, upstream)
    const isPassed = !readsWhole(asked, target.channel.descriptor)
    if (isPassed || isLight(asked.body.length)) return encode()
    const prepared = scheduler.run(user, prepareRequest(asked))
    return prepared instanceof Promise ? prepared.then(encode) : encode()
  }

  /** What had to be fetched for it is no time of the channel. */
  async #noteReady(
    ready: Promise<UpstreamCall>,
    { probe, sent }: { probe: HealthProbe; sent: PromiseWithResolvers<number> },
  ): Promise<UpstreamCall> {
    const call = await ready
    probe.sent()
    sent.resolve(performance.now())
    return call
  }

  /** It answered, or began to. */
  firstTokenReceived(one: RunningAttempt, status: number) {
    // Only a rescue would want them again, and an answer may take long.
    this.#pictures.clear()
    one.probe.firstTokenReceived()
    this.#write(one, { status, reason: '' })
    this.#failures = this.#failures.map(asOfItsChannel)
  }

  /** `kind` says what it means for the next try, where that is not what it usually means. */
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

  /** The time for all tries was over before it had all of its own, so that it tells nothing of its channel. */
  expired(one: RunningAttempt, lost: Pick<UnreadAnswer, 'workedMs' | 'isSilent'>) {
    const problem = problemFromTransport('first_byte_timeout')
    // A timer may come a moment early, and another channel would be asked for that moment.
    this.#until = Math.min(this.#until, performance.now())
    one.probe.dropped()
    this.#write(one, { status: 0, reason: reasonOf(problem) })
    this.#lose(one, { ...lost, isHungUp: true })
    this.#note({ channel: one.target, problem, class: 'passing', retryAfterMs: null })
  }

  /** Its client kept it waiting for so long that its end tells nothing of its channel. */
  keptWaiting(
    one: RunningAttempt,
    { problem, status }: { problem: UpstreamProblem; status: number },
  ) {
    one.probe.dropped()
    this.#write(one, { status, reason: reasonOf(problem) })
  }

  /** Another channel was quicker than one that was late. */
  lostHedge(one: RunningAttempt) {
    one.cancel()
    one.probe.failed(problemFromTransport('first_byte_timeout'))
    this.#write(one, { status: 0, reason: 'overtaken' })
    this.#waste(one)
  }

  /** The client had left, and pays for it all the same. */
  abandoned(one: RunningAttempt) {
    one.probe.dropped()
    this.#write(one, { status: 0, reason: 'client_left' })
  }

  /** What it was begun for has come from elsewhere, or is not wanted any more. */
  notNeeded(one: RunningAttempt, reason: string, said?: OutputForCounting) {
    one.cancel()
    one.probe.dropped()
    this.#write(one, { status: one.line.status, reason })
    this.#waste(one, said)
  }

  /** What it said the client has already; who pays for that is the operator. */
  repeated(one: RunningAttempt, said: OutputForCounting) {
    this.#waste(one, said)
  }

  /** Without a client nobody else is asked, so that this answer is what the caller pays for. */
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

  /** Of a stream that was stopped before its first word nothing has come. */
  #waste({ line, target }: RunningAttempt, said = this.#job.asked.stream ? NOTHING : null) {
    this.#job.unbilled.push({ line, said, target })
  }

  #write({ line, startedAt }: RunningAttempt, end: Pick<Attempt, 'status' | 'reason'>) {
    const milliseconds = Math.max(0, Math.round(this.#deps.now() - startedAt))
    Object.assign(line, end, { milliseconds })
  }

  /** Those the money was held for that may be asked now; where none is left, none is. */
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

/** Once somebody has answered, a refusal says something of its own channel only; but what is content policy's stays. */
function asOfItsChannel(failure: FailedAttempt): FailedAttempt {
  const isOthers = isAboutRequest(failure.problem) && failure.problem.kind !== 'content_policy'
  return isOthers ? { ...failure, class: 'lasting' } : failure
}

/** About the key, or about a question that came too slowly; the task is made all the same. */
const ABOUT_QUESTION: ReadonlySet<number> = new Set([401, 403, 408])
/** With which a provider says of a task that it has in its queue that it was not made. */
const tellsOfTask = (status: number) => status > 0 && status < 429 && !ABOUT_QUESTION.has(status)

/** Of a try that has not ended yet. */
export const UNFINISHED = 'unfinished'
const NOTHING: OutputForCounting = { text: '', tokensBeyond: 0 }

export const reasonOf = ({ kind, detail }: UpstreamProblem) => `${kind}: ${detail}`

/** Tells key and channel of a failure; what it means for the next try. */
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
  // Where no time was named, others are kept away for a while, and this request does not wait for it.
  const waitMs = retryAfterMs === null ? null : leftAloneMs
  return { class: hasOtherKey ? 'other_key' : kind, retryAfterMs: waitMs }
}

/** Nobody was asked: this provider has no words for the request. */
const isUnsent = (problem: UpstreamProblem, status: number) =>
  status === 0 && isAboutRequest(problem)

export function classOf(problem: UpstreamProblem, status: number): FailureClass {
  const { kind, passing } = problem
  if (isUnsent(problem, status)) return 'lasting'
  if (kind === 'invalid_request' || kind === 'content_policy') return 'final'
  if (kind === 'context_length') return 'too_long'
  return passing ? 'passing' : 'lasting'
}
