import { END_REASON, type EndReason } from '@tollgate/contract'
import {
  problemFromTransport,
  reportedCostIn,
  TaskObserver,
  type UpstreamProblem,
} from '@tollgate/relay'
import type { Attempts } from '../attempts/attempts.ts'
import type { OpenStream } from '../attempts/open-stream.ts'
import type { RunningAttempt } from '../attempts/running-attempt.ts'
import { createTokenCounter } from '../billing/counting.ts'
import { type LostAnswer, type EstimateOutput, estimateOutput } from '../billing/estimate.ts'
import { mayHideOutput } from '../billing/hidden-output.ts'
import { countOutput, meter, type Metered } from '../billing/meter.ts'
import { charge, type FailoverOutput, toldCost, voidRequest } from '../billing/settle-request.ts'
import type { PricedTarget } from '../billing/terms.ts'
import { Plausibility, type VisibleOutput } from '../billing/usage-bounds.ts'
import type { RelayContext, RelayDeps } from '../context.ts'
import { CHARGE_NOT_RECORDED, Refusal } from '../errors.ts'
import { answerType } from '../intake/answer-type.ts'
import { paymentCodeFor } from '../intake/payment-refusal.ts'
import { sendAnswer } from '../intake/respond.ts'
import { type Answered, answerBody, withCostIn } from './answer-body.ts'
import { type FinalEvents, finishStream } from './finish-stream.ts'
import { stallMsOf, StreamFailover } from './stream-failover.ts'
import { type StreamPart, StreamParts } from './stream-parts.ts'
import type { StreamEnding } from './stream-relay.ts'

/** What the client was given, and how it ended. */
type Delivered = {
  readonly first: StreamPart
  /** What other channels added after the first stream broke off or stalled. */
  readonly continuations: readonly StreamPart[]
  readonly ending: StreamEnding
}

/** Relays a stream, charges what was delivered, and only then sends the end. */
export async function deliverStream(
  deps: RelayDeps,
  context: RelayContext,
  {
    attempts,
    attempt,
    stream,
  }: { attempts: Attempts; attempt: RunningAttempt; stream: OpenStream },
): Promise<void> {
  const { client, requestId } = context
  const { limits, clock } = deps
  const firstTokenMs = clock.now() - context.arrivedAt
  const first: StreamPart = { attempt, stream, continuation: null }
  if (context.parsedRequest.task === undefined) {
    // Visible output can be counted after hanging up. Hidden reasoning is drained to its end.
    client.setOwner({
      user: context.caller.user.id,
      isCostUnknown: () => hidesOutput(context, first),
    })
  }
  const delivered = await relayWithFailover({ attempts, context, deps }, first)
  const { ending } = delivered
  const last = lastOf(delivered)
  const problem = problemOf(ending, deps.ledger)
  const isFinished = ending.type === 'finished'
  if (isFinished) last.attempt.probe.succeeded()
  else if (problem === null || ending.type === 'unpaid') last.attempt.probe.dropped()

  const { metered, failoverOutput } = await meterStream(deps, context, delivered)
  const completionTokens = failoverOutput.reduce(
    (sum, part) => sum + part.completionTokens,
    metered.usage.completionTokens,
  )
  const endReason = endReasonOf(problem, client.disconnected)
  const clientStalled = ending.type === 'broken' && ending.clientStalled
  const isBilledCutShort = context.parsedRequest.task === undefined && isCutShort(ending, client)
  let isRecorded = true
  const isFree = isFinished && isFreeIfEmpty(context) && first.stream.observer.isEmpty
  if (isFree && completionTokens === 0) {
    const reason = { endReason: END_REASON.emptyAnswer, content: '' }
    const { served } = first.stream.observer
    await voidRequest(deps, context, { ...reason, used: metered.usage, served, broken: attempt })
  } else if (problem !== null && completionTokens === 0 && !clientStalled && !isBilledCutShort) {
    const reason = { endReason, content: problem.message }
    await voidRequest(deps, context, { ...reason, used: metered.usage, broken: attempt })
  } else {
    const reporter = attempt.target
    isRecorded = await charge(deps, context, {
      target: last.attempt.target,
      reporter,
      record: attempt.record,
      price: reporter.price,
      metered,
      failoverOutput,
      served: first.stream.observer.served,
      endReason,
      firstTokenMs,
      upstreamModel: upstreamModelOf(last),
    })
  }
  if (isFinished) context.affinity?.served(last.attempt, metered.usage)
  if (isFinished && last === first) recordOutput(deps, context, attempt, metered)
  const cost = toldCost(context, { price: attempt.target.price, metered, failoverOutput })
  const end = finalEventsOf(context, delivered, { metered, completionTokens, cost })
  const failure = isRecorded ? inClientTerms(problem, context) : CHARGE_NOT_RECORDED
  await finishStream(client, failure, { requestId, limits, end, stream })
}

type FailoverInput = {
  readonly attempts: Attempts
  readonly context: RelayContext
  readonly deps: Pick<RelayDeps, 'limits' | 'health' | 'clock'>
}

/** Relays a stream to its end. If it breaks off or stalls, other channels may continue it. */
export async function relayWithFailover(
  { attempts, context, deps }: FailoverInput,
  first: StreamPart,
): Promise<Delivered> {
  const parts = new StreamParts(context, deps, first)
  const ending = await parts.pump(first, stallMsOf(context)).ending
  if (ending.type !== 'broken' && ending.type !== 'stalled')
    return { first, continuations: [], ending }
  const failover = new StreamFailover(attempts, context, parts)
  const lastEnding = await failover.run({ part: first, ending })
  return { first, continuations: parts.continuations, ending: lastEnding }
}

const lastOf = ({ first, continuations }: Delivered): StreamPart => continuations.at(-1) ?? first

const upstreamModelOf = ({ stream, attempt }: StreamPart): string =>
  stream.observer.model ?? attempt.target.upstreamModel

/** What a complete stream still lacks: its usage, and the last events of a native stream. */
function finalEventsOf(
  { parsedRequest }: RelayContext,
  delivered: Delivered,
  {
    metered,
    completionTokens,
    cost,
  }: { metered: Metered; completionTokens: number; cost: number | null },
): FinalEvents {
  const { observer } = delivered.first.stream
  const last = lastOf(delivered)
  // The last channel reports only its own tokens. Some report none, or not what is charged.
  const isMissing =
    last !== delivered.first || !observer.usageInStandardField || metered.source !== 'reported'
  const heldUsage = isMissing ? null : observer.withheldUsage
  const hasNews = isMissing || heldUsage !== null || cost !== null
  const sendsUsage = parsedRequest.includeUsage && hasNews
  const head = { ...observer.head, model: upstreamModelOf(last) }
  const { promptTokens } = metered.usage
  const reported = heldUsage
  const usage = sendsUsage ? { head, promptTokens, completionTokens, reported } : null
  const events = last.stream.native?.ending
  const native = events ? { events, usage: isMissing ? metered.usage : null } : null
  return { usage, native, cost }
}

type StreamProblem = Pick<UpstreamProblem, 'type' | 'param' | 'code' | 'message' | 'status'> & {
  kind: UpstreamProblem['kind'] | 'used_up' | 'database_away'
}

const QUOTA_EXHAUSTED = {
  kind: 'used_up',
  type: 'one_api_error',
  param: null,
  code: 'insufficient_user_quota',
  status: 403,
  message: 'The quota is used up, so the response ends here. The delivered part has been charged.',
} as const

const DATABASE_UNAVAILABLE = {
  kind: 'database_away',
  type: 'one_api_error',
  param: null,
  code: 'database_unavailable',
  status: 503,
  message:
    'The database does not answer, so the response ends here. The delivered part has been charged.',
} as const

const unpaidProblem = (ledger: Pick<RelayDeps['ledger'], 'isUnavailable'>): StreamProblem =>
  ledger.isUnavailable() ? DATABASE_UNAVAILABLE : QUOTA_EXHAUSTED

/** Null if no error event is needed: the stream finished, or its client is gone. */
function problemOf(
  ending: StreamEnding,
  ledger: Pick<RelayDeps['ledger'], 'isUnavailable'>,
): StreamProblem | null {
  if (ending.type === 'finished' || ending.type === 'abandoned') return null
  if (ending.type === 'unpaid') return unpaidProblem(ledger)
  return ending.type === 'broken' ? ending.problem : problemFromTransport('closed_early')
}

const inClientTerms = (problem: StreamProblem | null, context: RelayContext) =>
  problem?.kind === QUOTA_EXHAUSTED.kind ? { ...problem, code: paymentCodeFor(context) } : problem

function endReasonOf(problem: StreamProblem | null, disconnected: boolean): EndReason {
  if (disconnected) return END_REASON.clientLeft
  if (problem === null) return END_REASON.finished
  if (problem.kind === QUOTA_EXHAUSTED.kind) return END_REASON.quotaUsedUp
  if (problem.kind === DATABASE_UNAVAILABLE.kind) return END_REASON.databaseAway
  return problem.kind === 'timeout' ? END_REASON.deadline : END_REASON.brokenStream
}

/** The first channel is charged for the prompt and its output, the others for what they added. */
async function meterStream(
  deps: RelayDeps,
  context: RelayContext,
  delivered: Delivered,
): Promise<{ metered: Metered; failoverOutput: FailoverOutput[] }> {
  const { first, continuations, ending } = delivered
  const last = lastOf(delivered)
  const isWhole = last === first
  const { observer } = first.stream
  const outputOf = ({ continuation, stream }: StreamPart) =>
    (continuation ?? stream.observer).outputTextForCounting()
  const counter = meterOptionsFor(first.attempt.target, context, observer)
  const chargeableOutputOf = (part: StreamPart) =>
    ending.type === 'unpaid' && part === last ? ending.paidOutput : outputOf(part)
  const taskObserver = observer instanceof TaskObserver ? observer : null
  // The cost of a task's stream that was not read to its end is unknown.
  const isCostUnknown = ending.type === 'abandoned' && taskObserver?.finished === false
  const metered = await meter(
    context.parsedRequest,
    {
      reported: isCostUnknown ? null : observer.usage,
      complete: ending.type === 'finished' && isWhole && !observer.outputFollowedUsage,
      withheld: ending.type === 'unpaid' && isWhole,
      text: () => chargeableOutputOf(first),
      estimate: isWhole ? estimateHiddenOutput(deps, context, { part: first, ending }) : undefined,
      body: ending.type === 'abandoned' ? null : (taskObserver?.bytes ?? null),
    },
    counter,
  )
  const failoverOutput: FailoverOutput[] = []
  for (const part of continuations) {
    const { target, record } = part.attempt
    const { price, upstreamModel: model } = target
    const isEnded = part !== last || ending.type === 'finished'
    failoverOutput.push({
      price,
      record,
      reported: isEnded ? part.stream.observer.usage : null,
      served: part.stream.observer.served,
      completionTokens: await countOutput(chargeableOutputOf(part), { ...counter, model }),
    })
  }
  const isCounted = !isWhole && metered.source === 'counted'
  return {
    metered: isCounted ? { ...metered, source: counter.source() } : metered,
    failoverOutput,
  }
}

/** The client disconnected, and the provider sent neither an end nor an error. */
const isCutShort = (ending: StreamEnding, { disconnected }: RelayContext['client']): boolean =>
  ending.type === 'abandoned' || (disconnected && ending.type === 'broken' && ending.isCut)

/** Whether the provider may have written more than can be counted. */
const hidesOutput = ({ parsedRequest }: RelayContext, { attempt, stream }: StreamPart): boolean =>
  stream.observer.outputBytes === 0 || mayHideOutput(parsedRequest, attempt.target)

function estimateHiddenOutput(
  deps: RelayDeps,
  context: RelayContext,
  { part, ending }: { part: StreamPart; ending: StreamEnding },
): EstimateOutput | undefined {
  const isCut = ending.type === 'unpaid' || isCutShort(ending, context.client)
  if (!isCut || !hidesOutput(context, part)) return undefined
  const { startedAt, clientStalledMs } = part.stream
  const workedMs = deps.clock.monotonic() - startedAt - clientStalledMs
  return estimateOutput(deps, context, { target: part.attempt.target, workedMs, isHungUp: true })
}

/** Only reported usage shows how much a model writes, and how fast. */
function recordOutput(
  { expectedOutput }: Pick<RelayDeps, 'expectedOutput'>,
  { parsedRequest, caller }: RelayContext,
  { probe }: RunningAttempt,
  { source, usage }: Metered,
) {
  const { task, endpoint, model } = parsedRequest
  if (source !== 'reported' || task !== undefined || endpoint === 'embeddings') return
  expectedOutput.add({ token: caller.token.id, model }, usage.completionTokens)
  probe.addOutputTokens(usage.completionTokens / parsedRequest.choices)
}

const meterOptionsFor = (target: PricedTarget, context: RelayContext, visible: VisibleOutput) => ({
  ...createTokenCounter(context.terms.options, { model: target.upstreamModel, user: context.user }),
  completionRatio: target.price.completion_ratio,
  plausibility: new Plausibility(context, target, visible),
})

/** Whether an answer without output is not charged. */
const isFreeIfEmpty = ({ terms }: RelayContext) => terms.options.EmptyAnswers !== 'charge'

/** Charges a non-streamed answer, then sends it. */
export async function deliverAnswer(
  deps: RelayDeps,
  context: RelayContext,
  { attempt, outcome }: { attempt: RunningAttempt; outcome: Answered },
): Promise<void> {
  const { client, parsedRequest } = context
  const { target } = attempt
  const { answer } = outcome
  const metered = await meter(
    parsedRequest,
    {
      reported: answer.usage,
      complete: true,
      text: () => ({ text: answer.outputText(), tokensBeyond: 0 }),
      body: outcome.body,
    },
    meterOptionsFor(target, context, {
      outputBytes: outcome.body.length,
      hasSpeech: answer.hasSpeech ?? false,
    }),
  )
  context.affinity?.served(attempt, metered.usage)
  recordOutput(deps, context, attempt, metered)
  const upstreamModel = answer.model ?? target.upstreamModel
  // Before the charge: an answer that cannot be encoded for its client is not charged.
  const finished = parsedRequest.task?.finish?.(outcome.body, {
    usage: metered.usage,
    model: upstreamModel,
    id: context.requestId,
  })
  const body = finished?.body ?? (await answerBody(context, outcome, metered))
  const form = finished?.form ?? answer.form
  const contentType = answerType(form, finished?.contentType ?? outcome.contentType)
  const isFree = isFreeIfEmpty(context) && answer.isEmpty?.() === true
  const isRecorded = isFree
    ? await voidRequest(deps, context, {
        endReason: END_REASON.emptyAnswer,
        content: '',
        used: metered.usage,
        served: answer.served,
        broken: attempt,
      })
    : await charge(deps, context, {
        target,
        record: attempt.record,
        reportedCost: answer.usage?.reportedCost ?? reportedCostIn(outcome.headers),
        price: target.price,
        metered,
        served: answer.served,
        endReason: client.disconnected ? END_REASON.clientLeft : END_REASON.finished,
        firstTokenMs: deps.clock.now() - context.arrivedAt,
        upstreamModel,
      })
  if (!isRecorded) throw new Refusal(CHARGE_NOT_RECORDED)
  const cost = toldCost(context, { price: target.price, metered })
  const told = cost === null ? body : await withCostIn(context, body, cost)
  const { status } = outcome
  await sendAnswer(client, { status, contentType, body: told, cost }, deps.limits)
}

/**
 * The client disconnected, or its balance ended, before the whole answer arrived. Charges the
 * prompt and estimated output. Throws a refusal that states the end of the balance.
 */
export async function chargeLostAnswer(
  deps: RelayDeps,
  context: RelayContext,
  lost: LostAnswer,
): Promise<void> {
  const { target, record } = lost
  const { upstreamModel, price } = target
  const hasOutput = context.parsedRequest.endpoint !== 'embeddings'
  const metered = await meterLostAnswer(
    context,
    target,
    hasOutput ? estimateOutput(deps, context, lost) : undefined,
  )
  const { disconnected } = context.client
  const problem = disconnected ? null : unpaidProblem(deps.ledger)
  const endReason = endReasonOf(problem, disconnected)
  const charged = { target, record, price, metered, endReason, upstreamModel }
  await charge(deps, context, { ...charged, firstTokenMs: 0 })
  if (problem === null) return
  throw new Refusal({ ...problem, isUnpaid: problem.kind === QUOTA_EXHAUSTED.kind })
}

/** For an answer of which nothing arrived: estimates text, and counts any other task in full. */
export function meterLostAnswer(
  context: RelayContext,
  target: PricedTarget,
  estimate?: EstimateOutput,
): Promise<Metered> {
  const text = () => ({ text: '', tokensBeyond: 0 })
  const noOutput = { reported: null, complete: false, text, body: null, estimate }
  return meter(
    context.parsedRequest,
    noOutput,
    meterOptionsFor(target, context, { outputBytes: 0, hasSpeech: false }),
  )
}
