import { END_REASON } from '@tollgate/contract'
import { reportedCostIn } from '@tollgate/relay'
import type { RunningAttempt } from '../attempts/running-attempt.ts'
import { meter, Metering } from '../billing/meter.ts'
import { charge, disclosedCharge, voidRequest } from '../billing/settle-request.ts'
import type { RelayContext, RelayDeps } from '../context.ts'
import { CHARGE_NOT_RECORDED, Refusal } from '../errors.ts'
import { answerType } from '../intake/answer-type.ts'
import { sendAnswer } from '../intake/respond.ts'
import { whenStored } from '../intake/stored-items.ts'
import { type Answered, answerBody, withCostIn } from './answer-body.ts'
import { isFreeIfEmpty, learnOutputSize } from './meter-output.ts'

/** Charges a non-streamed answer, then sends it. */
export async function deliverAnswer(
  deps: RelayDeps,
  context: RelayContext,
  { attempt, outcome }: { attempt: RunningAttempt; outcome: Answered },
): Promise<void> {
  const { client, parsedRequest } = context
  const { target } = attempt
  const { answer } = outcome
  const metering = meter(
    parsedRequest,
    {
      reported: answer.usage,
      complete: true,
      text: () => ({ text: answer.outputText(), tokensBeyond: 0 }),
      body: outcome.body,
    },
    new Metering(context, target, {
      outputBytes: outcome.body.length,
      hasSpeech: answer.hasSpeech ?? false,
    }),
  )
  const metered = metering instanceof Promise ? await metering : metering
  context.affinity?.served(attempt, metered.usage)
  learnOutputSize(deps, context, attempt, metered)
  const upstreamModel = answer.model ?? target.upstreamModel
  // Before the charge: an answer that cannot be encoded for its client is not charged.
  const finished = parsedRequest.task?.finish?.(outcome.body, {
    usage: metered.usage,
    model: upstreamModel,
    id: context.requestId,
  })
  const writing = finished?.body ?? answerBody(context, outcome, metered)
  const body = writing instanceof Promise ? await writing : writing
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
  const cost = disclosedCharge(context, { price: target.price, metered })
  const shown = cost === null ? body : await withCostIn(context, body, cost)
  const { status } = outcome
  const storing = whenStored(client, {
    storedItems: deps.storedItems,
    owner: context.caller.user.id,
  })
  if (storing !== undefined) await storing
  await sendAnswer(client, { status, contentType, body: shown, cost }, deps.limits)
}
