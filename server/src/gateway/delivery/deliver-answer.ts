import { END_REASON } from '@tollgate/contract'
import { reportedCostIn } from '@tollgate/relay'
import type { RunningAttempt } from '../attempts/running-attempt.ts'
import { meter, type Metered, Metering } from '../billing/meter.ts'
import { charge, disclosedCharge, voidRequest } from '../billing/settle-request.ts'
import type { RelayContext, RelayDeps } from '../context.ts'
import { CHARGE_NOT_RECORDED, Refusal } from '../errors.ts'
import { answerType } from '../intake/answer-type.ts'
import { sendAnswer } from '../intake/respond.ts'
import { whenStored } from '../intake/stored-items.ts'
import { type Answered, answerBody, withCostIn } from './answer-body.ts'
import { isFreeIfEmpty, learnOutputSize } from './meter-output.ts'

type Delivery = { readonly attempt: RunningAttempt; readonly outcome: Answered }

/** Charges a non-streamed answer, then sends it. */
export async function deliverAnswer(
  deps: RelayDeps,
  context: RelayContext,
  delivery: Delivery,
): Promise<void> {
  const metering = meterAnswer(context, delivery)
  const metered = metering instanceof Promise ? await metering : metering
  context.affinity?.served(delivery.attempt, metered.usage)
  learnOutputSize(deps, context, delivery.attempt, metered)
  // Before the charge: an answer that cannot be encoded for its client is not charged.
  const finished = finishTask(context, delivery, metered)
  const writing = finished?.body ?? answerBody(context, delivery.outcome, metered)
  const body = writing instanceof Promise ? await writing : writing
  const isRecorded = await recordAnswer(deps, context, delivery, metered)
  if (!isRecorded) throw new Refusal(CHARGE_NOT_RECORDED)
  const { price } = delivery.attempt.target
  const cost = disclosedCharge(context, { price, metered })
  const shown = cost === null ? body : await withCostIn(context, body, cost)
  const storing = whenStored(context.client, {
    storedItems: deps.storedItems,
    owner: context.caller.user.id,
  })
  if (storing !== undefined) await storing
  await sendAnswer(
    context.client,
    {
      status: delivery.outcome.status,
      contentType: contentTypeOf(delivery.outcome, finished),
      body: shown,
      cost,
    },
    deps.limits,
  )
}

function meterAnswer(
  context: RelayContext,
  { attempt, outcome }: Delivery,
): Metered | Promise<Metered> {
  const { answer, body } = outcome
  return meter(
    context.parsedRequest,
    {
      reported: answer.usage,
      complete: true,
      text: () => ({ text: answer.outputText(), tokensBeyond: 0 }),
      body,
    },
    new Metering(context, attempt.target, {
      outputBytes: body.length,
      hasSpeech: answer.hasSpeech ?? false,
    }),
  )
}

/** What the task makes of the answer; undefined for text, and for tasks that leave it as it is. */
const finishTask = (
  { parsedRequest, requestId }: RelayContext,
  { attempt, outcome }: Delivery,
  { usage }: Metered,
) =>
  parsedRequest.task?.finish?.(outcome.body, {
    usage,
    model: outcome.answer.model ?? attempt.target.upstreamModel,
    id: requestId,
  })

const contentTypeOf = (
  { answer, contentType }: Answered,
  finished: ReturnType<typeof finishTask>,
): string => answerType(finished?.form ?? answer.form, finished?.contentType ?? contentType)

/** Charges the answer, or voids the request. False if neither is stored yet. */
function recordAnswer(
  deps: RelayDeps,
  context: RelayContext,
  { attempt, outcome }: Delivery,
  metered: Metered,
): Promise<boolean> {
  const { target, record } = attempt
  const { answer, headers } = outcome
  if (isFreeIfEmpty(context) && answer.isEmpty?.() === true) {
    return voidRequest(deps, context, {
      endReason: END_REASON.emptyAnswer,
      content: '',
      used: metered.usage,
      served: answer.served,
      broken: attempt,
    })
  }
  return charge(deps, context, {
    target,
    record,
    reportedCost: answer.usage?.reportedCost ?? reportedCostIn(headers),
    price: target.price,
    metered,
    served: answer.served,
    endReason: context.client.disconnected ? END_REASON.clientLeft : END_REASON.finished,
    firstTokenMs: deps.clock.now() - context.arrivedAt,
    upstreamModel: answer.model ?? target.upstreamModel,
  })
}
