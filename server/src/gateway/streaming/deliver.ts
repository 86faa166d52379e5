import { END_REASON, type EndReason } from '@tollgate/contract'
import {
  mayThinkUnseen,
  problemFromTransport,
  type Steps,
  TaskWatch,
  type UpstreamProblem,
  type Usage,
  usageEvent,
  withUsage,
} from '@tollgate/relay'
import { scheduler } from '../../scheduler/fair-scheduler.ts'
import type { AttemptOutcome } from '../attempts/attempt.ts'
import type { Attempts, RunningAttempt } from '../attempts/attempts.ts'
import type { OpenStream } from '../attempts/open-stream.ts'
import { countingOf } from '../billing/counting.ts'
import { type UnreadAnswer, type EstimateOutput, estimateOutput } from '../billing/estimate.ts'
import { countOutput, meter, type Metered } from '../billing/meter.ts'
import { charge, refund } from '../billing/settle-request.ts'
import type { PricedTarget } from '../billing/terms.ts'
import { Plausibility, type Shown } from '../billing/usage-bounds.ts'
import type { RelayContext, RelayDeps } from '../context.ts'
import { NOT_WRITTEN, Refusal } from '../errors.ts'
import { answerType } from '../intake/answer-type.ts'
import { sendAnswer } from '../intake/send-answer.ts'
import { type Delivered, relayStream, type StreamPart } from './stream-failover.ts'
import { finishStream, type StreamEnding } from './stream-relay.ts'

/** Relays a stream, charges what was delivered, and only then sends the end. */
export async function deliverStream(
  deps: RelayDeps,
  job: RelayContext,
  { tries, one, stream }: { tries: Attempts; one: RunningAttempt; stream: OpenStream },
): Promise<void> {
  const { client, requestId } = job
  const { limits, now } = deps
  const firstTokenMs = now() - job.arrivedAt
  const first: StreamPart = { one, stream, continuation: null }
  if (job.asked.task === undefined) {
    // Visible output can be counted after hanging up. Hidden reasoning is drained to its end.
    client.ownedBy({ user: job.caller.user.id, isUnseen: () => hidesOutput(job, first) })
  }
  const { parts, ending } = await relayStream({ tries, job, limits }, first)
  const last = parts.at(-1) ?? first
  const problem = problemOf(ending, deps.ledger)
  if (ending.type === 'finished') last.one.probe.succeeded()
  else if (problem === null || ending.type === 'unpaid') last.one.probe.dropped()

  const { metered, rescued } = await meterParts(deps, job, { parts, ending })
  const completionTokens = rescued.reduce(
    (sum, part) => sum + part.completionTokens,
    metered.usage.completionTokens,
  )
  const endReason = endReasonOf(problem, client.disconnected)
  const upstreamModel = last.stream.watch.model ?? last.one.target.upstreamModel
  const keptWaiting = ending.type === 'broken' && ending.keptWaiting
  const isBilledUnread = job.asked.task === undefined && isUnread(ending, client)
  let isWritten = true
  if (problem !== null && completionTokens === 0 && !keptWaiting && !isBilledUnread) {
    await refund(deps, job, { endReason, content: problem.message, used: metered.usage })
  } else {
    const reporter = first.one.target
    isWritten = await charge(deps, job, {
      target: last.one.target,
      reporter,
      price: reporter.price,
      metered,
      rescued,
      endReason,
      firstTokenMs,
      upstreamModel,
    })
  }
  if (ending.type === 'finished' && parts.length === 1) noteRate(job, first.one, metered)
  // The last channel reports only its own tokens. Some report none, or not what is charged.
  const isMissing =
    parts.length > 1 || !first.stream.watch.toldUsage || metered.source !== 'reported'
  const { promptTokens } = metered.usage
  const head = { ...first.stream.watch.head, model: upstreamModel }
  const heldUsage = isMissing ? null : first.stream.watch.heldUsage
  const isTold = job.asked.includeUsageAsked && (isMissing || heldUsage !== null)
  const told = isTold ? usageEvent(head, { promptTokens, completionTokens }, heldUsage) : ''
  const events = last.stream.native?.ending
  const native = events ? { events, usage: isMissing ? metered.usage : null } : null
  const end = { usageEvent: told, native }
  const failure = isWritten ? problem : NOT_WRITTEN
  await finishStream(client, failure, { requestId, limits, end, stream })
}

type StreamProblem = Pick<UpstreamProblem, 'type' | 'param' | 'code' | 'message' | 'status'> & {
  kind: UpstreamProblem['kind'] | 'used_up' | 'database_away'
}

const USED_UP = {
  kind: 'used_up',
  type: 'one_api_error',
  param: null,
  code: 'insufficient_user_quota',
  status: 403,
  message: 'The quota is used up, so the response ends here. The delivered part has been charged.',
} as const

const DATABASE_AWAY = {
  kind: 'database_away',
  type: 'one_api_error',
  param: null,
  code: 'database_unavailable',
  status: 503,
  message:
    'The database does not answer, so the response ends here. The delivered part has been charged.',
} as const

/** Null if no error event is needed: the stream finished, or its client is gone. */
function problemOf(
  ending: StreamEnding,
  ledger: Pick<RelayDeps['ledger'], 'isAway'>,
): StreamProblem | null {
  if (ending.type === 'finished' || ending.type === 'abandoned') return null
  if (ending.type === 'unpaid') return ledger.isAway() ? DATABASE_AWAY : USED_UP
  return ending.type === 'broken' ? ending.problem : problemFromTransport('closed_early')
}

function endReasonOf(problem: StreamProblem | null, clientLeft: boolean): EndReason {
  if (clientLeft) return END_REASON.clientLeft
  if (problem === null) return END_REASON.finished
  if (problem.kind === USED_UP.kind) return END_REASON.quotaUsedUp
  if (problem.kind === DATABASE_AWAY.kind) return END_REASON.databaseAway
  return problem.kind === 'timeout' ? END_REASON.deadline : END_REASON.brokenStream
}

type Rescued = { price: PricedTarget['price']; completionTokens: number }

/** The first channel is charged for the prompt and its output, the others for what they added. */
async function meterParts(
  deps: RelayDeps,
  job: RelayContext,
  { parts, ending }: Delivered,
): Promise<{ metered: Metered; rescued: Rescued[] }> {
  const { asked } = job
  const [first, ...others] = parts
  if (first === undefined) throw new Error('a stream has no part')
  const { watch } = first.stream
  const last = parts.at(-1)
  const outputOf = ({ continuation, stream }: StreamPart) =>
    (continuation ?? stream.watch).outputTextForCounting()
  const counting = countingAt(first.one.target, job, watch)
  const saidBy = (part: StreamPart) =>
    ending.type === 'unpaid' && part === last ? ending.said : outputOf(part)
  const taskWatch = watch instanceof TaskWatch ? watch : null
  // The cost of a task's stream that was not read to its end is unknown.
  const isUnheard = ending.type === 'abandoned' && taskWatch?.finished === false
  const metered = await meter(
    asked,
    {
      reported: isUnheard ? null : watch.usage,
      complete: ending.type === 'finished' && others.length === 0 && !watch.isUsageEarly,
      withheld: ending.type === 'unpaid' && first === last,
      text: () => saidBy(first),
      estimate: others.length === 0 ? unseenOutput(deps, job, { part: first, ending }) : undefined,
      body: ending.type === 'abandoned' ? null : (taskWatch?.bytes ?? null),
    },
    counting,
  )
  const rescued: Rescued[] = []
  for (const part of others) {
    const { price, upstreamModel: model } = part.one.target
    rescued.push({
      price,
      completionTokens: await countOutput(saidBy(part), { ...counting, model }),
    })
  }
  const isCounted = rescued.length > 0 && metered.source === 'counted'
  return { metered: isCounted ? { ...metered, source: counting.source() } : metered, rescued }
}

/** The client disconnected, and the provider sent neither an end nor an error. */
const isUnread = (ending: StreamEnding, { disconnected }: RelayContext['client']): boolean =>
  ending.type === 'abandoned' || (disconnected && ending.type === 'broken' && ending.isCut)

/** Whether the provider may have written more than can be counted. */
const hidesOutput = ({ asked }: RelayContext, { one, stream }: StreamPart): boolean =>
  stream.watch.outputBytes === 0 || mayThinkUnseen(asked, one.target.modelNames)

function unseenOutput(
  deps: RelayDeps,
  job: RelayContext,
  { part, ending }: { part: StreamPart; ending: StreamEnding },
): EstimateOutput | undefined {
  if (!isUnread(ending, job.client) || !hidesOutput(job, part)) return undefined
  const { startedAt, clientStalledMs } = part.stream
  const workedMs = performance.now() - startedAt - clientStalledMs
  return estimateOutput(deps, job, { target: part.one.target, workedMs, isHungUp: true })
}

/** Only reported usage tells how fast a model writes. */
function noteRate({ asked }: RelayContext, { probe }: RunningAttempt, { source, usage }: Metered) {
  if (source !== 'reported' || asked.task !== undefined) return
  probe.wrote(usage.completionTokens / asked.choices)
}

const countingAt = (target: PricedTarget, job: RelayContext, shown: Shown) => ({
  ...countingOf(job.terms.options, { model: target.upstreamModel, user: job.user }),
  completionRatio: target.price.completion_ratio,
  plausibility: new Plausibility(job, target, shown),
})

type Answered = AttemptOutcome & { type: 'answered' }

/** Charges a non-streamed answer, then sends it. */
export async function deliverAnswer(
  deps: RelayDeps,
  job: RelayContext,
  { one, outcome }: { one: RunningAttempt; outcome: Answered },
): Promise<void> {
  const { client, asked } = job
  const { target } = one
  const { answer } = outcome
  const metered = await meter(
    asked,
    {
      reported: answer.usage,
      complete: true,
      text: () => ({ text: answer.outputText(), tokensBeyond: 0 }),
      body: outcome.body,
    },
    countingAt(target, job, {
      outputBytes: outcome.body.length,
      hasSpeech: answer.hasSpeech ?? false,
    }),
  )
  noteRate(job, one, metered)
  const upstreamModel = answer.model ?? target.upstreamModel
  const told = { usage: metered.usage, model: upstreamModel, id: job.requestId }
  // Before the charge: an answer that cannot be encoded for its client is not charged.
  const finished = asked.task?.finish?.(outcome.body, told)
  const body = finished?.body ?? (await bodyFor(job, outcome, metered))
  const form = finished?.form ?? answer.form
  const contentType = answerType(form, finished?.contentType ?? outcome.contentType)
  const isWritten = await charge(deps, job, {
    target,
    price: target.price,
    metered,
    endReason: client.disconnected ? END_REASON.clientLeft : END_REASON.finished,
    firstTokenMs: deps.now() - job.arrivedAt,
    upstreamModel,
  })
  if (!isWritten) throw new Refusal(NOT_WRITTEN)
  await sendAnswer(client, { status: outcome.status, contentType, body }, deps.limits)
}

/** The body in the client's dialect, with the charged usage if the provider did not report that. */
function bodyFor(job: RelayContext, { body, isNative }: Answered, metered: Metered) {
  const { client, asked, user } = job
  const lacksUsage = metered.source !== 'reported' && asked.task === undefined
  const isPassed = isNative || client.dialect.passes
  if (isPassed && !lacksUsage) return body
  const steps = bodyInSteps(job, { body, isNative, lacksUsage }, metered.usage)
  return scheduler.runSized(user, steps, body.length)
}

function* bodyInSteps(
  { client, asked }: RelayContext,
  { body, isNative, lacksUsage }: { body: Buffer; isNative: boolean; lacksUsage: boolean },
  usage: Usage,
): Steps<Buffer> {
  const addUsage = isNative ? asked.native?.withUsage : withUsage
  const whole = lacksUsage && addUsage ? yield* addUsage(body, usage) : body
  return isNative ? whole : yield* client.dialect.answer(whole, usage)
}

/**
 * The client disconnected before the whole answer arrived. Charges the prompt and estimated output.
 */
export async function chargeUnread(
  deps: RelayDeps,
  job: RelayContext,
  unread: UnreadAnswer,
): Promise<void> {
  const { target } = unread
  const { upstreamModel, price } = target
  const writes = job.asked.endpoint !== 'embeddings'
  const metered = await meterUnread(
    job,
    target,
    writes ? estimateOutput(deps, job, unread) : undefined,
  )
  const endReason = END_REASON.clientLeft
  await charge(deps, job, { target, price, metered, endReason, firstTokenMs: 0, upstreamModel })
}

/** For an answer of which nothing arrived: estimates text, and counts any other task in full. */
export function meterUnread(
  job: RelayContext,
  target: PricedTarget,
  estimate?: EstimateOutput,
): Promise<Metered> {
  const text = () => ({ text: '', tokensBeyond: 0 })
  const nothing = { reported: null, complete: false, text, body: null, estimate }
  return meter(job.asked, nothing, countingAt(target, job, { outputBytes: 0, hasSpeech: false }))
}
