import { END_REASON } from '@tollgate/contract'
import { TaskObserver } from '@tollgate/relay'
import type { Attempts } from '../attempts/attempts.ts'
import type { OpenStream } from '../attempts/open-stream.ts'
import type { RunningAttempt } from '../attempts/running-attempt.ts'
import { type EstimateOutput, estimateOutput } from '../billing/estimate.ts'
import { mayHideOutput } from '../billing/hidden-output.ts'
import { countOutput, meter, type Metered, Metering } from '../billing/meter.ts'
import {
  charge,
  disclosedCharge,
  type MeteredFailoverOutput,
  voidRequest,
} from '../billing/settle-request.ts'
import type { RelayContext, RelayDeps } from '../context.ts'
import { CHARGE_NOT_RECORDED } from '../errors.ts'
import { type FinalEvents, finishStream } from './finish-stream.ts'
import { isFreeIfEmpty, learnOutputSize } from './meter-output.ts'
import { stallMsOf, StreamFailover } from './stream-failover.ts'
import { type StreamPart, StreamParts } from './stream-parts.ts'
import { endReasonOf, inClientTerms, problemOf } from './stream-problem.ts'
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
    client.setDrainTerms({
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
  if (isFinished && last === first) learnOutputSize(deps, context, attempt, metered)
  const cost = disclosedCharge(context, { price: attempt.target.price, metered, failoverOutput })
  const end = finalEventsOf(context, delivered, { metered, completionTokens, cost })
  const failure = isRecorded ? inClientTerms(problem, context) : CHARGE_NOT_RECORDED
  const { storedItems } = deps
  const owner = context.caller.user.id
  await finishStream(client, failure, { requestId, limits, end, stream, storedItems, owner })
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
  const withheldUsage = isMissing ? null : observer.withheldUsage
  const needsUsage = isMissing || withheldUsage !== null || cost !== null
  const sendsUsage = parsedRequest.includeUsage && needsUsage
  const head = { ...observer.head, model: upstreamModelOf(last) }
  const { promptTokens } = metered.usage
  const reported = withheldUsage
  const usage = sendsUsage ? { head, promptTokens, completionTokens, reported } : null
  const events = last.stream.native?.ending
  const native = events ? { events, usage: isMissing ? metered.usage : null } : null
  return { usage, native, cost }
}

/** The first channel is charged for the prompt and its output, the others for what they added. */
async function meterStream(
  deps: RelayDeps,
  context: RelayContext,
  delivered: Delivered,
): Promise<{ metered: Metered; failoverOutput: MeteredFailoverOutput[] }> {
  const { first, continuations, ending } = delivered
  const last = lastOf(delivered)
  const isWhole = last === first
  const { observer } = first.stream
  const outputOf = ({ continuation, stream }: StreamPart) =>
    (continuation ?? stream.observer).outputTextForCounting()
  const metering = new Metering(context, first.attempt.target, observer)
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
    metering,
  )
  const failoverOutput: MeteredFailoverOutput[] = []
  for (const part of continuations) {
    const { target, record } = part.attempt
    const { price, upstreamModel: model } = target
    const isEnded = part !== last || ending.type === 'finished'
    failoverOutput.push({
      price,
      record,
      reported: isEnded ? part.stream.observer.usage : null,
      served: part.stream.observer.served,
      completionTokens: await countOutput(chargeableOutputOf(part), { ...metering.counter, model }),
    })
  }
  const isCounted = !isWhole && metered.source === 'counted'
  return {
    metered: isCounted ? { ...metered, source: metering.counter.source() } : metered,
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
