/*
 * The life of one request, top to bottom. Each step is a small function in the folders next to this
 * file.
 *
 * The key, the balance and the request limits are checked before the body is read, so a rejected
 * caller cannot make the gateway buffer a body. After authorization this code owns the hold: every
 * path ends in exactly one settle or void, and only then are the last bytes of the response sent.
 * Streams are awaited here too, so no other code closes the hold. Before the first byte of a
 * response, errors are thrown as a `Refusal`; after it, `finishStream` writes them.
 *
 * Steps that usually finish synchronously return a value instead of a promise then: awaiting a
 * value would yield to other requests.
 *
 * On its way to a provider the request takes six forms:
 *
 *   RelayRequest   the outline, the typed chat on demand, and the client's own bytes, which alone
 *                  are sent to a provider of the client's API (relay)
 *   CallInput      for one target: its model, its key, its output limit (routing/encode-for-target)
 *   ProviderCall   what a codec encodes; `TaskCall` for tasks (relay/wires/provider-codec)
 *   EncodedCall    what a codec made of it: address, headers, body
 *   UpstreamCall   the encoded call, its proxy, and how its answer is decoded (upstream/exchange)
 *   HttpRequest    what a connection sends (upstream/http-client)
 */
import { END_REASON } from '@tollgate/contract'
import {
  isRequestProblem,
  isTaskEndpoint,
  readTask,
  type RelayEndpoint,
  type RelayRequest,
  textBytes,
  textToolsDialect,
} from '@tollgate/relay'
import { Attempts } from './attempts/attempts.ts'
import { channelsWaiting, endReasonOf, pickReportedFailure } from './attempts/final-error.ts'
import {
  awaitFirstAnswer,
  closeAfterBug,
  type FirstAnswer,
  isNeverLate,
  onlyAnswer,
} from './attempts/hedge.ts'
import { watchReasoning } from './attempts/watch-reasoning.ts'
import {
  authorize,
  ledgerRequestOf,
  refusalOf,
  termsWithProviderTools,
} from './billing/authorize.ts'
import { refuseUnpriceable } from './billing/billed-features.ts'
import { canUseFreeModel } from './billing/free-models.ts'
import { refuseWithoutChannel } from './billing/refuse-without-channel.ts'
import { voidRequest } from './billing/settle-request.ts'
import { termsOf } from './billing/terms-of.ts'
import type { Authorization, Terms } from './billing/terms.ts'
import type { RelayContext, Arrival, RelayDeps } from './context.ts'
import { deliverAnswer } from './delivery/deliver-answer.ts'
import { deliverStream } from './delivery/deliver-stream.ts'
import { chargeLostAnswer, meterLostAnswer } from './delivery/lost-answer.ts'
import { badRequest, Refusal, upstreamRefusal } from './errors.ts'
import type { Caller } from './intake/authenticate.ts'
import { requireAllowedModel, identifyPayer, isFunded } from './intake/identify.ts'
import { endpointNameAt, pathOf } from './intake/paths.ts'
import { readBody } from './intake/read-body.ts'
import { readWithStored } from './intake/read-with-stored.ts'
import { estimateTokens } from './rate-limits/admission.ts'
import type { ArrivingCaller } from './rate-limits/limit-store.ts'
import type { RequestTrace } from './request-trace.ts'
import { limitedCaller, routeOf } from './routing/route.ts'
import { findAffinity } from './routing/session-affinity.ts'
import { unserved } from './routing/unserved.ts'

const MS = 1000
const ALWAYS = () => true

/** Throws a `Refusal` only before the first byte of a response. */
export async function relayRequest(
  deps: RelayDeps,
  arrival: Arrival,
  endpoint: RelayEndpoint,
): Promise<void> {
  const { request, client, requestId, arrivedAt, summary } = arrival
  summary.endpoint = endpointNameAt(pathOf(request), endpoint)
  const { ledger, settings, expectedOutput } = deps
  const identifying = identifyPayer(deps, arrival)
  const caller = identifying instanceof Promise ? await identifying : identifying
  if (!isFunded(caller)) requireFreeModel(deps, caller, arrival)
  const arriving = arrival.admission.takeOnArrival(arrivingCaller(caller))
  if (arriving !== undefined) await arriving
  const receiving = readBody(deps, request, caller)
  const body = receiving instanceof Promise ? await receiving : receiving
  const reading = readRequestIn(body, deps, arrival, { caller, endpoint })
  const readRequest = reading instanceof Promise ? await reading : reading
  if (isRequestProblem(readRequest)) throw badRequest(readRequest)
  summary.model = readRequest.model
  summary.isStream = readRequest.stream
  requireAllowedModel(caller, readRequest.model)
  if (!settings.current().UnpricedFeaturesEnabled) refuseUnpriceable(readRequest)

  const opening = { requestId, arrivedAt, options: settings.current() }
  const ledgerRequest = ledgerRequestOf(caller, summary, opening)
  const trace = beginTrace(deps, arrival, readRequest)
  const route = routeOf(deps, caller, readRequest)
  const admitting = arrival.admission.takeAfterRouting(limitedCaller(caller, route), () =>
    estimatedPromptTokens(readRequest),
  )
  if (admitting !== undefined) await admitting
  if (route === null) {
    const { model } = readRequest
    const refusal = unserved(deps, caller, { model, endpoint, dialect: client.dialect })
    return refuseWithoutChannel(deps, arrival, { context: ledgerRequest, refusal })
  }
  const payer = { ledger, caller, expectedOutput }
  const listed = termsOf(deps, route, readRequest.model)
  const { request: parsedRequest, terms } = termsWithProviderTools(payer, readRequest, listed)
  const finding = findAffinity(deps.affinity, { caller, request, parsedRequest, terms })
  const affinity = finding instanceof Promise ? await finding : finding
  let authorization: Authorization
  try {
    authorization = await authorize(payer, parsedRequest, { context: ledgerRequest, terms })
  } catch (error) {
    // The cached balance may be outdated: drop it, so that the next request reads it again.
    deps.authenticate.forget(caller.keyHash)
    throw error
  }
  const held = { caller, parsedRequest, terms, authorization, affinity, trace }
  await attemptChannels(deps, beginContext(arrival, held))
}

function readRequestIn(
  body: Buffer,
  deps: RelayDeps,
  arrival: Arrival,
  { caller, endpoint }: { caller: Caller; endpoint: RelayEndpoint },
) {
  const { client, request } = arrival
  const read = () =>
    isTaskEndpoint(endpoint)
      ? readTask(endpoint, body, request.headers['content-type'] ?? '')
      : client.dialect.readRequest(endpoint, body, request.headers, caller.user.id)
  return readWithStored(deps, arrival, { caller, body, read })
}

type Held = Pick<
  RelayContext,
  'caller' | 'parsedRequest' | 'terms' | 'authorization' | 'affinity' | 'trace'
>

/** From here on the ledger writes the row of the request. */
function beginContext(arrival: Arrival, held: Held): RelayContext {
  const { request, client, admission, requestId, arrivedAt, summary } = arrival
  const { caller, parsedRequest, terms, authorization, affinity, trace } = held
  const user = caller.user.id
  summary.hasRow = true
  // Until the first token, nothing of the answer can be counted.
  client.setDrainTerms({ user, isCostUnknown: ALWAYS })
  // The answer may need another dialect than errors before it.
  const { textTools } = parsedRequest
  if (textTools !== undefined) client.dialect = textToolsDialect(textTools)
  // Written out, because V8 adds members to a copy one by one.
  return {
    request,
    client,
    admission,
    requestId,
    arrivedAt,
    summary,
    caller,
    parsedRequest,
    terms: payableTerms(terms, authorization),
    authorization,
    affinity,
    trace,
    user,
    attempts: [],
    unbilled: [],
    replaced: [],
  }
}

/** The terms with the targets that the hold pays for: mostly all of them. */
const payableTerms = (terms: Terms, { targets }: Authorization): Terms =>
  targets === terms.targets ? terms : { ...terms, targets }

function beginTrace(
  { tracing }: RelayDeps,
  { request, requestId, arrivedAt }: Arrival,
  { endpoint }: Pick<RelayRequest, 'endpoint'>,
): RequestTrace | null {
  if (tracing === null) return null
  const { traceparent: header } = request.headers
  const traceparent = typeof header === 'string' ? header : undefined
  return tracing.begin({ requestId, endpoint, arrivedAt, traceparent })
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
  if (canUseFreeModel(caller, registry(), options)) return
  const needed = { type: 'insufficient', account: 'user', balance: 0, needed: 1 } as const
  const { budget } = caller.token
  const openedAt = Math.floor(arrivedAt / MS)
  const context = { budget, openedAt, timeZone: options.TimeZone }
  throw refusalOf(needed, context, options)
}

/** Group limits apply on arrival only if no other group can serve the request. */
function arrivingCaller({ user, token, pinned }: Caller): ArrivingCaller {
  const [first = 'default', second] = user.groups
  const isKnown = second === undefined || pinned !== null
  return { user: user.id, token: token.id, group: isKnown ? first : null }
}

/** Prompt tokens for rate limits. Files and tool results count once the provider reports them. */
const estimatedPromptTokens = (parsedRequest: RelayRequest): number =>
  estimateTokens(
    parsedRequest.task === undefined
      ? Math.min(parsedRequest.promptTokensUpperBound, textBytes(parsedRequest))
      : parsedRequest.promptTokensUpperBound,
  )

/** Attempts channels until one answers, then delivers its answer. A bug voids the hold. */
async function attemptChannels(deps: RelayDeps, context: RelayContext): Promise<void> {
  try {
    const attempts = new Attempts(deps, context)
    for (;;) {
      const next = attempts.next()
      const target = next instanceof Promise ? await next : next
      if (target === null) return await endWithoutAnswer(deps, context, attempts)
      const first = attempts.start(target)
      const unwatch = watchReasoning(deps, context, first)
      let firstAnswer: FirstAnswer | null
      try {
        // Most attempts run alone, and awaiting them here spares a function that waits.
        firstAnswer = isNeverLate(attempts, first)
          ? onlyAnswer(attempts, first, await first.outcome)
          : await awaitFirstAnswer<never>(attempts, first)
      } catch (error) {
        closeAfterBug(first)
        throw error
      } finally {
        unwatch?.()
      }
      if (firstAnswer !== null) return await deliver(deps, context, attempts, firstAnswer)
    }
  } catch (error) {
    // Voiding has no effect on a hold that is already closed.
    if (!(error instanceof Refusal)) {
      await voidRequest(deps, context, { endReason: END_REASON.internalError, content: '' })
    }
    throw error
  }
}

function deliver(
  deps: RelayDeps,
  context: RelayContext,
  attempts: Attempts,
  { attempt, outcome }: FirstAnswer,
): Promise<void> {
  switch (outcome.type) {
    case 'streaming': {
      const { stream } = outcome
      attempts.answerStarted(attempt, stream.status)
      return deliverStream(deps, context, { attempts, attempt, stream })
    }
    case 'answered':
      attempts.answerStarted(attempt, outcome.status)
      attempt.probe.succeeded()
      return deliverAnswer(deps, context, { attempt, outcome })
    case 'abandoned': {
      const { workedMs } = outcome
      const { target, record } = attempt
      attempts.abandoned(attempt)
      return chargeLostAnswer(deps, context, { target, record, workedMs, isHungUp: true })
    }
  }
}

/**
 * No channel answered. Charges a lost answer if there is one. Otherwise voids the hold and, if
 * the client is still connected, throws the reason.
 */
async function endWithoutAnswer(
  deps: RelayDeps,
  context: RelayContext,
  { failures, lostAnswer, isPastDeadline }: Attempts,
): Promise<void> {
  if (lostAnswer !== null) return chargeLostAnswer(deps, context, lostAnswer)
  const [firstBilled] = [...context.unbilled, ...context.replaced]
  const usage = firstBilled && (await meterLostAnswer(context, firstBilled.target)).usage
  if (context.client.disconnected) {
    await voidRequest(deps, context, { endReason: END_REASON.clientLeft, content: '', used: usage })
    return
  }
  const failure = pickReportedFailure(failures)
  if (failure === undefined) {
    const refusal = channelsWaiting(deps.health, context.terms.targets)
    await voidRequest(deps, context, { endReason: END_REASON.noChannel, content: refusal.message })
    throw refusal
  }
  const endReason = endReasonOf(failure, isPastDeadline)
  await voidRequest(deps, context, { endReason, content: failure.problem.message, used: usage })
  throw upstreamRefusal(failure.problem)
}
