/*
 * The life of one request, top to bottom. Each step is a small function in the folders next to this
 * file.
 *
 * The key, the balance and the request limits are checked before the body is read, so a rejected
 * caller cannot make the gateway buffer a body. After authorization this code owns the hold: every
 * path ends in exactly one settle or void, and only then are the last bytes of the response sent.
 * Streams are awaited here too, so no other code closes the hold. Before the first byte of a
 * response, errors are thrown as a `Refusal`; after it, only `finishStream` writes.
 */
import { END_REASON } from '@tollgate/contract'
import {
  isRequestProblem,
  isTaskEndpoint,
  readTask,
  type RelayEndpoint,
  type RelayRequest,
  textBytes,
} from '@tollgate/relay'
import { Attempts } from './attempts/attempts.ts'
import { allWait, endReasonOf, pickReportedFailure } from './attempts/final-error.ts'
import { awaitFirstToken } from './attempts/hedge.ts'
import { authorize, contextOf, refusalOf, termsOf } from './billing/authorize.ts'
import { reachesFreeModel } from './billing/free-models.ts'
import { refuseWithoutChannel } from './billing/refuse-without-channel.ts'
import { refund } from './billing/settle-request.ts'
import type { RelayContext, Arrival, RelayDeps } from './context.ts'
import { badRequest, Refusal, upstreamRefusal } from './errors.ts'
import { admitModel, identifyPayer, isFunded } from './intake/admit.ts'
import type { Caller } from './intake/authenticate.ts'
import { readBody } from './intake/read-body.ts'
import { readInTurn } from './intake/read-in-turn.ts'
import { usualTokens } from './rate-limits/admission.ts'
import type { ArrivingCaller } from './rate-limits/limit-store.ts'
import { limitedCaller, noChannel, notOffered, routeOf } from './routing/route.ts'
import { chargeUnread, deliverAnswer, deliverStream, meterUnread } from './streaming/deliver.ts'

const MS = 1000

/** Throws a `Refusal` only before the first byte of a response. */
export async function relayRequest(
  deps: RelayDeps,
  arrival: Arrival,
  endpoint: RelayEndpoint,
): Promise<void> {
  const { request, client, requestId, arrivedAt } = arrival
  const { authenticate, ledger, settings } = deps
  const caller = await identifyPayer(deps, arrival)
  if (!isFunded(caller)) requireFreeModel(deps, caller, arrival)
  const arriving = arrival.admission.arrive(arrivingCaller(caller))
  if (arriving !== undefined) await arriving
  const receiving = readBody(deps, request, caller)
  const body = receiving instanceof Promise ? await receiving : receiving
  const steps = isTaskEndpoint(endpoint)
    ? readTask(endpoint, body, request.headers['content-type'] ?? '')
    : client.dialect.readRequest(endpoint, body, request.headers)
  const reading = readInTurn(caller, steps, body)
  const asked = reading instanceof Promise ? await reading : reading
  if (isRequestProblem(asked)) throw badRequest(asked)
  admitModel(caller, asked.model)
  if (!settings.current().UnpricedFeaturesEnabled) admitPriced(asked)

  const context = contextOf(caller, asked, { requestId, arrivedAt })
  const route = routeOf(deps, caller, asked)
  const serving = arrival.admission.serve(limitedCaller(caller, route), () => usualPrompt(asked))
  if (serving !== undefined) await serving
  if (route === null) {
    const isServed = caller.user.groups.some(
      (group) => deps.registry().channels(group, asked.model).length > 0,
    )
    const refusal = isServed ? notOffered(asked.model, endpoint) : noChannel(asked.model)
    return refuseWithoutChannel(deps, arrival, { context, refusal })
  }
  const terms = termsOf(route, asked.model, settings.current())
  const authorization = await authorize({ ledger, caller }, asked, { context, terms }).catch(
    (error: unknown) => {
      // The cached balance may be outdated: drop it, so that the next request reads it again.
      authenticate.forget(caller.keyHash)
      throw error
    },
  )

  const payable = { ...terms, targets: authorization.targets }
  const job: RelayContext = {
    ...arrival,
    caller,
    asked,
    terms: payable,
    authorization,
    user: caller.user.id,
    attempts: [],
    unbilled: [],
  }
  client.ownedBy({ user: caller.user.id, isUnseen: () => true })
  try {
    await serve(deps, job)
  } catch (error) {
    // Voiding has no effect on a hold that is already closed.
    if (!(error instanceof Refusal)) {
      await refund(deps, job, { endReason: END_REASON.internalError, content: '' })
    }
    throw error
  }
}

/** Rejects features billed in addition to tokens. Without a price they would be free. */
function admitPriced({ unpriced = null }: RelayRequest) {
  if (unpriced === null) return
  throw badRequest({
    type: 'invalid_request_error',
    message:
      `The provider bills '${unpriced}' in addition to tokens, and no price can be set for it. ` +
      'Leave it out, or ask the administrator to allow it.',
    param: unpriced,
    code: 'unpriced_feature',
  })
}

/**
 * An empty balance pays only for a free model. If the caller can use none, the body is not read.
 */
function requireFreeModel(
  { registry, settings }: RelayDeps,
  caller: Caller,
  { arrivedAt }: Pick<Arrival, 'arrivedAt'>,
) {
  const options = settings.current()
  if (reachesFreeModel(caller, registry(), options)) return
  const needed = { type: 'insufficient', account: 'user', balance: 0, needed: 1 } as const
  const context = { budget: caller.token.budget, openedAt: Math.floor(arrivedAt / MS) }
  throw refusalOf(needed, context, options)
}

/** Group limits apply on arrival only if no other group can serve the request. */
function arrivingCaller({ user, token, pinned }: Caller): ArrivingCaller {
  const [first = 'default', second] = user.groups
  const isKnown = second === undefined || pinned !== null
  return { user: user.id, token: token.id, group: isKnown ? first : null }
}

/** Prompt tokens for rate limits. Files and tool results count once the provider reports them. */
const usualPrompt = (asked: RelayRequest): number =>
  usualTokens(
    asked.task === undefined
      ? Math.min(asked.promptTokensUpperBound, textBytes(asked))
      : asked.promptTokensUpperBound,
  )

/** Attempts channels until one answers, then delivers its answer. */
async function serve(deps: RelayDeps, job: RelayContext): Promise<void> {
  const tries = new Attempts(deps, job)
  for (;;) {
    const target = await tries.next()
    if (target === null) return giveUp(deps, job, tries)
    const spoken = await awaitFirstToken(tries, tries.start(target))
    if (spoken === null) continue
    const { one, outcome } = spoken
    switch (outcome.type) {
      case 'streaming':
        tries.firstTokenReceived(one, outcome.stream.status)
        return deliverStream(deps, job, { tries, one, stream: outcome.stream })
      case 'answered':
        tries.firstTokenReceived(one, outcome.status)
        one.probe.succeeded()
        return deliverAnswer(deps, job, { one, outcome })
      case 'abandoned': {
        const { workedMs } = outcome
        tries.abandoned(one)
        return chargeUnread(deps, job, { target: one.target, workedMs, isHungUp: true })
      }
    }
  }
}

/**
 * No channel answered. Charges an unread answer if there is one. Otherwise voids the hold and, if
 * the client is still connected, throws the reason.
 */
async function giveUp(
  deps: RelayDeps,
  job: RelayContext,
  { failures, unread, isLate }: Attempts,
): Promise<void> {
  if (unread !== null) return chargeUnread(deps, job, unread)
  const [queued] = job.unbilled
  const used = queued && (await meterUnread(job, queued.target)).usage
  if (job.client.disconnected) {
    await refund(deps, job, { endReason: END_REASON.clientLeft, content: '', used })
    return
  }
  const told = pickReportedFailure(failures)
  if (told === undefined) {
    const refusal = allWait(deps.health, job.terms.targets)
    await refund(deps, job, { endReason: END_REASON.noChannel, content: refusal.message })
    throw refusal
  }
  const endReason = endReasonOf(told, isLate)
  await refund(deps, job, { endReason, content: told.problem.message, used })
  throw upstreamRefusal(told.problem)
}
