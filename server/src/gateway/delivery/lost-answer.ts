import { type EstimateOutput, estimateOutput, type LostAnswer } from '../billing/estimate.ts'
import { meter, type Metered, Metering } from '../billing/meter.ts'
import { charge } from '../billing/settle-request.ts'
import type { PricedTarget } from '../billing/terms.ts'
import type { RelayContext, RelayDeps } from '../context.ts'
import { Refusal } from '../errors.ts'
import { endReasonOf, QUOTA_EXHAUSTED, unpaidProblem } from './stream-problem.ts'

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
): Metered | Promise<Metered> {
  const text = () => ({ text: '', tokensBeyond: 0 })
  const noOutput = { reported: null, complete: false, text, body: null, estimate }
  return meter(
    context.parsedRequest,
    noOutput,
    new Metering(context, target, { outputBytes: 0, hasSpeech: false }),
  )
}
