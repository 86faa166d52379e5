import { ATTEMPT_REASON, type AttemptReason, type AttemptRecord } from '@tollgate/contract'
import {
  Adaptations,
  isAboutRequest,
  descriptorFor,
  isTriedOnly,
  takesNative,
  type CountableOutput,
  problemFromTransport,
  type UpstreamProblem,
} from '@tollgate/relay'
import { type Clock, sleep } from '../../clock.ts'
import {
  nextHedgeDelayMs,
  type Failure,
  type FailureClass,
  nextHedge,
  type NextAttempt,
  nextAttempt,
  type RetryContext,
} from '../../domain/retry-policy.ts'
import { scheduler } from '../../scheduler/fair-scheduler.ts'
import type { UpstreamCall } from '../../upstream/exchange.ts'
import type { Fetched, GuardedFetch } from '../../upstream/guarded-fetch.ts'
import { estimateOutput, type LostAnswer } from '../billing/estimate.ts'
import type { PricedTarget } from '../billing/terms.ts'
import type { RelayContext, RelayDeps } from '../context.ts'
import { setAdaptationHeader } from '../intake/relay-headers.ts'
import {
  type CallOptions,
  encodeForTarget,
  type SentTarget,
  stepsBefore,
} from '../routing/encode-for-target.ts'
import type { HealthObservation } from '../routing/health.ts'
import type { Failed } from './attempt-outcome.ts'
import { beginAttempt } from './begin-attempt.ts'
import {
  asChannelFailure,
  classOf,
  reasonOf,
  recordFailure,
  RETRY_ADAPTED,
  showsTaskFailed,
} from './record-failure.ts'
import { RequestChanges } from './request-changes.ts'
import {
  type AttemptRole,
  FIRST,
  newAttemptRecord,
  type Prefill,
  type RunningAttempt,
} from './running-attempt.ts'

export type FailedAttempt = Failure<PricedTarget> & { readonly problem: UpstreamProblem }

/** A policy of `retry-policy.ts`. */
type Decide = (situation: RetryContext<PricedTarget>) => NextAttempt<PricedTarget>

const MS = 1000
const NOT_SENT = () => null

/** The attempts of one request, and the choice of the next channel. */
export class Attempts {
  #failures: readonly FailedAttempt[] = []
  #lostAnswer: LostAnswer | null = null
  readonly #deps: RelayDeps
  readonly #context: RelayContext
  #deadline: number
  readonly #changes = new RequestChanges()
  /** Null until one is fetched, as for nearly all requests. */
  #images: Map<string, Promise<Fetched>> | null = null

  constructor(deps: RelayDeps, context: RelayContext) {
    this.#deps = deps
    this.#context = context
    this.#deadline = deps.clock.monotonic() + deps.limits.attemptsMs
  }

  get clock(): Clock {
    return this.#deps.clock
  }

  /** Linked images are fetched once for all attempts. */
  readonly #fetchOnce: GuardedFetch = (url) => {
    this.#images ??= new Map()
    const fetched = this.#images.get(url) ?? this.#deps.upstream.fetchGuarded(url)
    this.#images.set(url, fetched)
    return fetched
  }

  /** In order of occurrence. */
  get failures(): readonly FailedAttempt[] {
    return this.#failures
  }

  /** The answer lost after the client disconnected; of several, the one that ran longest. */
  get lostAnswer(): LostAnswer | null {
    return this.#lostAnswer
  }

  get isPastDeadline(): boolean {
    return this.#deadline <= this.clock.monotonic()
  }

  /**
   * The target of the next attempt; a promise until it is due. Null if there is none, or the client
   * has disconnected.
   */
  next(decide: Decide = nextAttempt): PricedTarget | null | Promise<PricedTarget | null> {
    const isFirst = this.#failures.length === 0
    return this.#nextOf(isFirst ? this.#context.terms.targets : this.#liveTargets(), decide)
  }

  #nextOf(candidates: readonly PricedTarget[], decide: Decide): ReturnType<Attempts['next']> {
    const { client, affinity } = this.#context
    if (client.disconnected) return null
    const next = decide(this.#situation(candidates))
    if (next.type === 'give_up') return null
    if (next.afterMs > 0) return this.#waitFor(next.channel, next.afterMs, decide)
    affinity?.chose(next.channel)
    return next.channel
  }

  /** Chooses again if the target may not be asked any more once it is due. */
  async #waitFor({ id }: PricedTarget, ms: number, decide: Decide): Promise<PricedTarget | null> {
    await sleep(this.clock, ms)
    const candidates = this.#liveTargets()
    const target = candidates.find((candidate) => candidate.id === id)
    if (target === undefined) return this.#nextOf(candidates, decide)
    return this.#context.client.disconnected ? null : target
  }

  nextHedge(running: readonly RunningAttempt[]): PricedTarget | null {
    if (this.#context.client.disconnected) return null
    const targets = running.map(({ target }) => target)
    return nextHedge(this.#situation(this.#liveTargets()), targets) ?? null
  }

  /** How long until a hedge may be possible; Infinity if none will be. */
  nextHedgeInMs(running: readonly RunningAttempt[]): number {
    if (this.#context.client.disconnected) return Infinity
    const targets = running.map(({ target }) => target)
    return nextHedgeDelayMs(this.#situation(this.#liveTargets()), targets)
  }

  /**
   * The target under the channel's current settings. Null if the channel may not be asked any more.
   */
  refreshTarget({ id }: PricedTarget): PricedTarget | null {
    return this.#liveTargets().find((target) => target.id === id) ?? null
  }

  get hasAttemptLeft(): boolean {
    return this.#failures.length <= this.#context.terms.options.RetryTimes
  }

  /** How long this attempt may be silent before a hedge starts. */
  hedgeAfterMs(target: PricedTarget): number {
    const { parsedRequest, terms } = this.#context
    const minMs = terms.options.HedgeAfterSeconds * MS
    if (minMs === 0 || terms.targets.length === 1) return Infinity
    // Images take long, and a hedge would pay for them twice.
    if (parsedRequest.task !== undefined) return Infinity
    return this.#deps.health.hedgeDelayMs(target, parsedRequest.stream ? 'stream' : 'whole', minMs)
  }

  start(
    target: PricedTarget,
    role: AttemptRole = FIRST,
    prefill: Prefill | null = null,
  ): RunningAttempt {
    const { parsedRequest, terms, authorization, attempts, client } = this.#context
    const { affinity, trace, requestId: id } = this.#context
    const { clock, deadlines, upstream, health } = this.#deps
    const { ServerAddress: siteUrl, SystemName: siteName, EmptyAnswers } = terms.options
    const startedAt = clock.now()
    const { channel, upstreamModel } = target
    const { keys, baseUrl, proxy, overrides } = channel
    const key = keys.next(upstreamModel, affinity?.keyAt(channel.id))
    const outputLimit = prefill ? prefill.outputLimit : authorization.outputLimit(target)
    const probe = health.begin(target, parsedRequest.stream ? 'stream' : 'whole')
    const record = newAttemptRecord(target, keys.idOf(key), role)
    if (affinity?.isBoundTo({ target, key }) === true) record.session = true
    affinity?.started({ target, key })
    attempts.push(record)
    trace?.attemptStarted({ at: startedAt, channelType: channel.descriptor.type, baseUrl })
    const isFailover = role.rescued === true
    const isOwn =
      takesNative(channel, parsedRequest, upstreamModel) && !this.#changes.asksForSummary(target.id)
    // The stream of a failover is read as events, so it is not in the client's own dialect.
    const skipsNative = isFailover || !isOwn
    const dropsNative = skipsNative && parsedRequest.native !== undefined
    const requestToSend = dropsNative ? { ...parsedRequest, native: undefined } : parsedRequest
    const descriptor = descriptorFor(channel, requestToSend, upstreamModel)
    const isTrial = descriptor !== channel.descriptor && isTriedOnly(channel)
    const details = {
      key,
      outputLimit,
      siteUrl,
      siteName,
      prefill: prefill?.text ?? null,
      skipsNative,
      dropsReasoning: this.#changes.dropsReasoning,
      dropsCompaction: this.#changes.dropsCompaction,
      adaptations: new Adaptations(record),
      now: startedAt,
      id,
    }
    let sentAt: RunningAttempt['sentAt'] = null
    const deps = {
      upstream,
      client,
      clock,
      channelSecrets: { key, baseUrl, proxy, headers: overrides.headers },
      upstreamModel,
      continues: isFailover,
      failsEmpty: EmptyAnswers === 'retry',
      deadlines,
      deadline: this.#deadline,
    }
    const exchange = beginAttempt(deps, parsedRequest, () => {
      const call = this.#encode({ channel, upstreamModel, descriptor }, details)
      const isPending = call instanceof Promise
      sentAt = isPending ? call.then(() => this.#markSent(probe), NOT_SENT) : clock.monotonic()
      return call
    })
    const { outcome } = exchange
    return { target, outcome, exchange, key, probe, startedAt, sentAt, record, isTrial }
  }

  /** Parsing a large request takes turns with the requests of other users. */
  #encode(target: SentTarget, details: CallOptions): UpstreamCall | Promise<UpstreamCall> {
    const { parsedRequest, user } = this.#context
    const upstream = { ...this.#deps.upstream, fetchGuarded: this.#fetchOnce }
    const encode = () => encodeForTarget(parsedRequest, target, details, upstream)
    const steps = stepsBefore(parsedRequest, target, details)
    if (steps === null) return encode()
    const prepared = scheduler.run(user, steps)
    return prepared instanceof Promise ? prepared.then(encode) : encode()
  }

  /** Time spent fetching what the request needs does not count against the channel. */
  #markSent(probe: HealthObservation): number {
    probe.sent()
    return this.clock.monotonic()
  }

  /** An answer arrived or began. */
  answerStarted(attempt: RunningAttempt, status: number) {
    // Only a stream failover would need the images again, and an answer may take long.
    this.#images = null
    attempt.probe.answerStarted()
    this.#updateRecord(attempt, { status, reason: '' })
    setAdaptationHeader(this.#context.client.response, attempt.record)
    if (this.#failures.length > 0) this.#failures = this.#failures.map(asChannelFailure)
  }

  /** `failureClass` overrides what the failure usually means for the next attempt. */
  failed(
    attempt: RunningAttempt,
    failed: Pick<Failed, 'problem' | 'status' | 'workedMs' | 'isSilent' | 'isEmpty'>,
    failureClass: FailureClass = classOf(failed.problem, failed.status),
  ) {
    const { problem, status, workedMs, isSilent = false, isEmpty = false } = failed
    this.#updateRecord(attempt, { status, reason: reasonOf(problem) })
    if (isEmpty) this.#addUnbilled(attempt, NO_COUNTABLE_OUTPUT)
    const isLost = workedMs !== undefined || (isQueued(attempt) && !showsTaskFailed(status))
    if (isLost) this.#addLostAnswer(attempt, { workedMs: workedMs ?? 0, isHungUp: false, isSilent })
    if (!isAboutRequest(problem)) this.#context.affinity?.failed(attempt)
    const verdict = this.#changes.learn(attempt, failed, this.#context.parsedRequest)
      ? RETRY_ADAPTED
      : recordFailure(this.#deps, attempt, { problem, status, failureClass })
    this.#addFailure({ channel: attempt.target, problem, ...verdict })
  }

  /**
   * The deadline of all attempts passed before this attempt's own. Says nothing about the channel.
   */
  expired(attempt: RunningAttempt, lost: Pick<LostAnswer, 'workedMs' | 'isSilent'>) {
    const problem = problemFromTransport('first_byte_timeout')
    // A timer may fire slightly early, and another channel would be asked in that moment.
    this.#deadline = Math.min(this.#deadline, this.clock.monotonic())
    attempt.probe.dropped()
    this.#updateRecord(attempt, { status: 0, reason: reasonOf(problem) })
    this.#addLostAnswer(attempt, { ...lost, isHungUp: true })
    this.#addFailure({ channel: attempt.target, problem, class: 'transient', retryAfterMs: null })
  }

  /** The client stalled the stream for so long that its end says nothing about the channel. */
  clientStalled(
    attempt: RunningAttempt,
    { problem, status }: { problem: UpstreamProblem; status: number },
  ) {
    attempt.probe.dropped()
    this.#updateRecord(attempt, { status, reason: reasonOf(problem) })
  }

  /** The attempt was late, and another channel was faster. */
  lostHedge(attempt: RunningAttempt) {
    attempt.exchange.cancel()
    attempt.probe.failed(problemFromTransport('first_byte_timeout'))
    this.#updateRecord(attempt, { status: 0, reason: ATTEMPT_REASON.lostHedge })
    this.#addUnbilled(attempt)
  }

  /** The client disconnected, or its balance ended, before an answer began. */
  abandoned(attempt: RunningAttempt) {
    const { clientLeft, unpaid } = ATTEMPT_REASON
    attempt.probe.dropped()
    const reason = this.#context.client.disconnected ? clientLeft : unpaid
    this.#updateRecord(attempt, { status: 0, reason })
  }

  /** Another attempt delivered the answer, or nothing needs it any more. */
  discarded(attempt: RunningAttempt, reason: AttemptReason, output?: CountableOutput) {
    attempt.exchange.cancel()
    attempt.probe.dropped()
    this.#updateRecord(attempt, { status: attempt.record.status, reason })
    this.#addUnbilled(attempt, output)
  }

  /** The client already has this output, so the operator pays for it. */
  addRepeatedOutput(attempt: RunningAttempt, output: CountableOutput) {
    this.#addUnbilled(attempt, output)
  }

  /** No other channel is asked after a disconnect, so the caller pays for this answer. */
  #addLostAnswer(attempt: RunningAttempt, details: Omit<LostAnswer, 'target' | 'record'>) {
    const { target, record } = attempt
    if (!this.#context.client.disconnected) {
      if (isQueued(attempt)) this.#addUnbilled(attempt)
      else this.#addReplaced({ target, record, ...details })
    } else if (this.#lostAnswer === null || this.#lostAnswer.workedMs < details.workedMs) {
      this.#lostAnswer = { target, record, ...details }
    }
  }

  #addReplaced(lost: LostAnswer) {
    const { target, record } = lost
    const { parsedRequest } = this.#context
    const isText = parsedRequest.task === undefined
    const output = isText ? estimateOutput(this.#deps, this.#context, lost) : null
    this.#context.replaced.push({ record, target, output })
  }

  #addFailure(failure: FailedAttempt) {
    this.#failures = [...this.#failures, failure]
  }

  /** A stream that was stopped before its first token has no output. */
  #addUnbilled(
    { record, target }: RunningAttempt,
    output = this.#context.parsedRequest.stream ? NO_COUNTABLE_OUTPUT : null,
  ) {
    this.#context.unbilled.push({ record, output, target })
  }

  #updateRecord(
    { record, startedAt }: RunningAttempt,
    end: Pick<AttemptRecord, 'status' | 'reason'>,
  ) {
    record.status = end.status
    record.reason = end.reason
    record.milliseconds = Math.max(0, Math.round(this.clock.now() - startedAt))
  }

  /** The targets covered by the hold that may be asked now; possibly none. */
  #liveTargets(): readonly PricedTarget[] {
    return this.#deps.registry().refresh(this.#context.terms.targets)
  }

  #situation(candidates: readonly PricedTarget[]): RetryContext<PricedTarget> {
    const { terms } = this.#context
    const { random, health } = this.#deps
    return {
      candidates,
      failures: this.#failures,
      retryTimes: terms.options.RetryTimes,
      msLeft: this.#deadline - this.clock.monotonic(),
      cooldownMs: health.cooldownMs,
      retryAfterMs: health.retryAfterMs,
      random,
      preferred: this.#context.affinity?.channel ?? null,
    }
  }
}

const isQueued = ({ exchange }: RunningAttempt): boolean => exchange.isQueued?.() === true

const NO_COUNTABLE_OUTPUT: CountableOutput = { text: '', tokensBeyond: 0 }
