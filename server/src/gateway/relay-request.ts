/*
 * The story of one request, top to bottom; the steps are small functions in the files beside this one.
 *
 * The key is checked before the body is read, so that nobody without one makes us buffer. From the hold
 * on, this code owns it: every path below ends in one settle or one void, and only then do the last bytes
 * of the answer go out. The stream is awaited here like everything else, so nobody else closes the hold.
 * Refusals are thrown while nothing has been answered; after the first byte only `finishStream` speaks.
 */
import { setTimeout as pause } from 'node:timers/promises'
import {
  isRequestProblem,
  readRequest,
  type RelayEndpoint,
  type RelayRequest,
  type UpstreamProblem,
} from '@tollgate/relay'
import { type Failure, type FailureClass, nextTry } from '../domain/retry-policy.ts'
import type { RequestContext } from '../ledger/ledger.ts'
import { admitCaller, admitModel } from './admit.ts'
import { sendAnswer } from './answer.ts'
import { attempt, type AttemptOutcome, encodeCall } from './attempt.ts'
import type { Caller } from './authenticate.ts'
import { END_REASON, type EndReason } from './end-reason.ts'
import { charge, giveBack, type Job } from './end-request.ts'
import { meter } from './meter.ts'
import type { OpenStream } from './open-stream.ts'
import { readBody } from './parse.ts'
import { badRequest, Refusal, upstreamRefusal } from './refusal.ts'
import type { Arrival, RelayDeps } from './relay-deps.ts'
import { type PricedTarget, refusalOf, reserve, takeHold, termsOf } from './reserve.ts'
import { findRoute } from './route.ts'
import { finishStream, pumpStream, type StreamEnding } from './stream.ts'

type FailedTry = Failure<PricedTarget> & { readonly problem: UpstreamProblem }

const MS = 1000

/** Answers a request, or throws a refusal before an answer has begun. */
export async function relayRequest(
  deps: RelayDeps,
  arrival: Arrival,
  endpoint: RelayEndpoint,
): Promise<void> {
  const { request, requestId, arrivedAt } = arrival
  const { limits, authenticate, ledger, settings } = deps
  const caller = await authenticate.caller(request)
  const nowSeconds = Math.floor(arrivedAt / MS)
  admitCaller(caller, { address: deps.addressOf(request), nowSeconds })
  const asked = readRequest(endpoint, await readBody(request, limits))
  if (isRequestProblem(asked)) throw badRequest(asked)
  admitModel(caller, asked.model)

  const context = contextOf(caller, asked, { requestId, openedAt: nowSeconds })
  const route = findRoute(deps.directory(), caller.user.groups, asked)
  if (route === null) return refuseWithoutChannel(deps, arrival, context)
  const terms = termsOf(route, asked.model, settings.current())
  const reservation = await reserve({ ledger, caller }, asked, { context, terms }).catch(
    (error: unknown) => {
      // What was known of the balance led here; the next request shall see it as it is.
      authenticate.forget(caller.keyHash)
      throw error
    },
  )

  const job: Job = { ...arrival, caller, asked, terms, reservation, attempts: [] }
  try {
    await serve(deps, job)
  } catch (error) {
    // A hold that has been closed stays as it was closed.
    if (!(error instanceof Refusal)) {
      await giveBack(deps, job, { endReason: END_REASON.internalError, content: '' })
    }
    throw error
  }
}

function contextOf(
  { user, token }: Caller,
  { model, stream }: RelayRequest,
  { requestId, openedAt }: { requestId: string; openedAt: number },
): RequestContext {
  return {
    requestId,
    userId: user.id,
    username: user.username,
    tokenId: token.id,
    tokenName: token.name,
    model,
    isStream: stream,
    openedAt,
  }
}

/** Holds nothing and gives it back, so that the log tells of it. */
async function refuseWithoutChannel(
  { ledger, closing, now }: RelayDeps,
  { arrivedAt }: Arrival,
  context: RequestContext,
): Promise<never> {
  const message = `No channel is available for the model ${context.model}.`
  const outcome = await takeHold(ledger, context, { least: 0, most: 0 })
  if (outcome.type !== 'held') throw refusalOf(outcome)
  await closing.close(() =>
    outcome.hold.void({
      content: message,
      upstreamModel: '',
      channel: 0,
      elapsedMs: now() - arrivedAt,
      firstTokenMs: 0,
      endReason: END_REASON.noChannel,
      attempts: [],
    }),
  )
  throw new Refusal({ status: 503, code: 'no_available_channel', param: 'model', message })
}

/** Tries channels until one answers, and hands its answer on. */
async function serve(deps: RelayDeps, job: Job): Promise<void> {
  const { client, terms } = job
  const triesUntil = deps.now() + deps.limits.triesMs
  const failures: FailedTry[] = []
  while (!client.left) {
    const next = nextTry({
      candidates: terms.targets,
      failures,
      retryTimes: terms.options.RetryTimes,
      msLeft: triesUntil - deps.now(),
      random: deps.random,
    })
    if (next.type === 'give_up') break
    const target = next.channel
    if (next.afterMs > 0) await pause(next.afterMs)
    if (client.left) break
    const outcome = await tryTarget(deps, job, target)
    switch (outcome.type) {
      case 'streaming':
        return deliverStream(deps, job, { target, stream: outcome.stream })
      case 'answered':
        return deliverAnswer(deps, job, { target, outcome })
      case 'abandoned':
        return chargeUnanswered(deps, job, target)
      case 'failed':
        failures.push(failureOf(target, outcome.problem))
    }
  }
  return giveUp(deps, job, { failures, isLate: triesUntil <= deps.now() })
}

async function tryTarget(
  deps: RelayDeps,
  { client, asked, terms, reservation, attempts }: Job,
  target: PricedTarget,
): Promise<AttemptOutcome> {
  const { now, upstream, trouble } = deps
  const { ServerAddress: siteUrl, SystemName: siteName } = terms.options
  const startedAt = now()
  const outputLimit = reservation.outputLimit(target)
  const key = target.channel.keys.next()
  const call = encodeCall(asked, target, { key, outputLimit, siteUrl, siteName })
  const outcome = await attempt({ upstream, client, now }, asked, call)
  const failed = outcome.type === 'failed'
  attempts.push({
    channel: target.id,
    status: statusOf(outcome),
    reason: failed ? `${outcome.problem.kind}: ${outcome.problem.detail}` : '',
    milliseconds: Math.max(0, Math.round(now() - startedAt)),
  })
  if (failed) trouble.report(target.channel, key, outcome.problem)
  return outcome
}

function statusOf(outcome: AttemptOutcome): number {
  if (outcome.type === 'abandoned') return 0
  return outcome.type === 'streaming' ? outcome.stream.status : outcome.status
}

function failureOf(channel: PricedTarget, problem: UpstreamProblem): FailedTry {
  const hasOtherKey = problem.namesKey && channel.channel.keys.size > 1
  if (hasOtherKey) return { channel, problem, class: 'passing', retryAfterMs: 0 }
  return { channel, problem, class: classOf(problem), retryAfterMs: problem.retryAfterMs }
}

function classOf({ kind, passing }: UpstreamProblem): FailureClass {
  if (kind === 'invalid_request' || kind === 'content_policy') return 'final'
  if (kind === 'context_length') return 'too_long'
  return passing ? 'passing' : 'lasting'
}

async function deliverStream(
  deps: RelayDeps,
  job: Job,
  { target, stream }: { target: PricedTarget; stream: OpenStream },
): Promise<void> {
  const { client, requestId, asked } = job
  const { limits, now } = deps
  const firstTokenMs = now() - job.arrivedAt
  const ending = await pumpStream(stream, client, limits.clientStallMs)
  const { watch } = stream
  const metered = await meter(
    asked,
    {
      reported: watch.usage,
      complete: ending.type === 'finished',
      text: () => watch.outputTextForCounting(),
    },
    { model: target.upstreamModel, approximate: job.terms.options.ApproximateTokenEnabled },
  )
  const endReason = streamEndReason(ending, client.left)
  const upstreamModel = watch.model ?? target.upstreamModel
  const nothingCame = ending.type === 'broken' && metered.usage.completionTokens === 0
  if (nothingCame) await giveBack(deps, job, { endReason, content: ending.problem.message })
  else await charge(deps, job, { target, metered, endReason, firstTokenMs, upstreamModel })
  await finishStream(client, ending, { requestId, sendMs: limits.sendMs })
}

function streamEndReason(ending: StreamEnding, clientLeft: boolean): EndReason {
  if (clientLeft) return END_REASON.clientLeft
  if (ending.type !== 'broken') return END_REASON.finished
  return ending.problem.kind === 'timeout' ? END_REASON.deadline : END_REASON.brokenStream
}

async function deliverAnswer(
  deps: RelayDeps,
  job: Job,
  { target, outcome }: { target: PricedTarget; outcome: AttemptOutcome & { type: 'answered' } },
): Promise<void> {
  const { client, asked } = job
  const { answer } = outcome
  const metered = await meter(
    asked,
    {
      reported: answer.usage,
      complete: true,
      text: () => ({ text: answer.outputText(), tokensBeyond: 0 }),
    },
    { model: target.upstreamModel, approximate: job.terms.options.ApproximateTokenEnabled },
  )
  await charge(deps, job, {
    target,
    metered,
    endReason: client.left ? END_REASON.clientLeft : END_REASON.finished,
    firstTokenMs: deps.now() - job.arrivedAt,
    upstreamModel: answer.model ?? target.upstreamModel,
  })
  await sendAnswer(client, outcome, deps.limits.sendMs)
}

/** The client left and the upstream was still at work: its prompt was read, whatever came of it. */
async function chargeUnanswered(deps: RelayDeps, job: Job, target: PricedTarget): Promise<void> {
  const nothing = { reported: null, complete: false, text: () => ({ text: '', tokensBeyond: 0 }) }
  const { upstreamModel } = target
  const approximate = job.terms.options.ApproximateTokenEnabled
  const metered = await meter(job.asked, nothing, { model: upstreamModel, approximate })
  const endReason = END_REASON.clientLeft
  await charge(deps, job, { target, metered, endReason, firstTokenMs: 0, upstreamModel })
}

/** No channel answered: gives the money back, then says why. */
async function giveUp(
  deps: RelayDeps,
  job: Job,
  { failures, isLate }: { failures: readonly FailedTry[]; isLate: boolean },
): Promise<void> {
  const told = failureToTell(failures)
  if (told === undefined || job.client.left) {
    return giveBack(deps, job, { endReason: END_REASON.clientLeft, content: '' })
  }
  const isRefused = told.class === 'final' || told.class === 'too_long'
  const late = isLate ? END_REASON.deadline : END_REASON.upstreamError
  const endReason = isRefused ? END_REASON.requestRefused : late
  await giveBack(deps, job, { endReason, content: told.problem.message })
  throw upstreamRefusal(told.problem)
}

/** A refusal of the request itself says most; next what a client may wait for; last what it may not. */
function failureToTell(failures: readonly FailedTry[]): FailedTry | undefined {
  return (
    failures.find((failure) => failure.class === 'final' || failure.class === 'too_long') ??
    failures.findLast((failure) => failure.class === 'passing') ??
    failures.at(-1)
  )
}
