import type { IncomingMessage } from 'node:http'
import { type AttemptRecord, END_REASON } from '@tollgate/contract'
import { newRequestId } from '../../http/request-id.ts'
import {
  type Hold,
  type HoldAmount,
  LedgerUnavailable,
  type RaiseOutcome,
} from '../../ledger/ledger.ts'
import { SWITCHING } from '../../upstream/open-session.ts'
import { ledgerRequestOf, refusalOf, takeHold } from '../billing/authorize.ts'
import { voidRequest } from '../billing/settle-request.ts'
import { termsOf } from '../billing/terms-of.ts'
import type { PricedTarget, Terms } from '../billing/terms.ts'
import type { SettlementContext, RelayDeps } from '../context.ts'
import { databaseUnavailable } from '../errors.ts'
import { requireAllowedModel, identify } from '../intake/identify.ts'
import { Admission } from '../rate-limits/admission.ts'
import { LIMIT_TIMES, type LimitStore } from '../rate-limits/limit-store.ts'
import type { Route } from '../routing/route.ts'

export type RealtimeDeps = RelayDeps & { readonly limitStore: LimitStore }

export type SessionAccess = {
  /** Contains the API key. */
  readonly request: IncomingMessage
  readonly address: string
  /** A transcription session may name another model in its settings. */
  readonly model: string
  readonly isTranscription: boolean
  readonly route: Route
}

export type AuthorizedRequest = SettlementContext & { readonly requestId: string }

/** A request of a session that is open; `opened` is the attempt that opened it. */
export const attemptIn = (
  { id, upstreamModel: model }: Pick<PricedTarget, 'id' | 'upstreamModel'>,
  opened: AttemptRecord | undefined,
): AttemptRecord => ({
  channel: id,
  status: SWITCHING,
  reason: '',
  milliseconds: 0,
  model,
  key: opened?.key ?? '',
})

type AuthorizeOptions = {
  /** Overrides the session's model, for transcriptions. */
  model?: string
  route?: Route
  amountOf: (terms: Terms) => HoldAmount
  /** An estimate for the caller's rate limits. */
  promptTokens: number
  attempts: AttemptRecord[]
  requestId?: string
}

/**
 * Authorizes one request of a session. The key, its owner, limits and prices are checked every
 * time, so a session ends when they do. Throws a refusal.
 */
export async function authorizeInSession(
  deps: RealtimeDeps,
  access: SessionAccess,
  {
    model = access.model,
    route = access.route,
    amountOf,
    promptTokens,
    attempts,
    ...given
  }: AuthorizeOptions,
): Promise<AuthorizedRequest> {
  const { authenticate, ledger, settings, limitStore: store } = deps
  const arrivedAt = deps.clock.now()
  const { requestId = newRequestId(arrivedAt) } = given
  const admitted = await admitInSession(deps, access, { model, route, requestId, arrivedAt })
  const { terms, context, limited, keyHash } = admitted
  const admission = new Admission({ store, settings, requestId, response: NO_RESPONSE })
  await admission.take(limited, () => promptTokens, 'rates')
  try {
    const { min, max } = amountOf(terms)
    const outcome = await takeHold(ledger, context, { min, max })
    if (outcome.type !== 'held') throw refusalOf(outcome, context, terms.options)
    const authorization = { hold: outcome.hold }
    const client = {
      get drains() {
        return settings.current().DrainEnabled
      },
    }
    const { user } = limited
    return {
      requestId,
      arrivedAt,
      admission,
      terms,
      authorization,
      client,
      user,
      attempts,
      unbilled: [],
      replaced: [],
    }
  } catch (error) {
    admission.end()
    // The cached balance led here; the next request must read it again.
    authenticate.forget(keyHash)
    throw error
  }
}

/**
 * Authorizes a held request again before it begins. Throws a refusal; the hold stays in place then.
 */
export async function renewInSession(
  deps: RealtimeDeps,
  access: SessionAccess,
  authorized: AuthorizedRequest,
  { amountOf, promptTokens }: Pick<AuthorizeOptions, 'amountOf' | 'promptTokens'>,
): Promise<AuthorizedRequest> {
  const { requestId, admission, authorization } = authorized
  const { model, route } = access
  const now = deps.clock.now()
  const admitted = await admitInSession(deps, access, { model, route, requestId, arrivedAt: now })
  const { terms, context, limited, keyHash } = admitted
  // Within the rate limit window the request is already counted.
  const isCounted = now - authorized.arrivedAt < LIMIT_TIMES.windowMs
  admission.end()
  await admission.take(limited, () => promptTokens, isCounted ? 'tokens' : 'rates')
  try {
    const { min, max } = amountOf(terms)
    const outcome = await raise(authorization.hold, { min, max })
    if (outcome.type !== 'held') throw refusalOf(outcome, context, terms.options)
    return { ...authorized, terms, arrivedAt: isCounted ? authorized.arrivedAt : now }
  } catch (error) {
    admission.end()
    deps.authenticate.forget(keyHash)
    throw error
  }
}

type AdmitOptions = { model: string; route: Route; requestId: string; arrivedAt: number }

/** The caller and current prices. Throws a refusal. */
async function admitInSession(
  deps: RealtimeDeps,
  { request, address }: SessionAccess,
  { model, route, requestId, arrivedAt }: AdmitOptions,
) {
  const caller = await identify(deps, { request, arrivedAt, address })
  requireAllowedModel(caller, model)
  const { user, token, keyHash } = caller
  const options = deps.settings.current()
  const summary = { model, isStream: true, endpoint: 'realtime' }
  return {
    keyHash,
    terms: termsOf(deps, route, model),
    context: ledgerRequestOf(caller, summary, { requestId, arrivedAt, options }),
    limited: { user: user.id, token: token.id, group: route.group },
  }
}

async function raise(hold: Hold, amount: HoldAmount): Promise<RaiseOutcome> {
  try {
    return await hold.raise(amount)
  } catch (error) {
    if (error instanceof LedgerUnavailable) throw databaseUnavailable(error)
    throw error
  }
}

/** Runs `work` for a held request and voids the hold if it throws. */
export async function orRefund<Result>(
  deps: RealtimeDeps,
  authorized: AuthorizedRequest,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    authorized.admission.end()
    // A no-op for a hold that is already closed.
    await voidRequest(deps, authorized, { endReason: END_REASON.internalError, content: '' })
    throw error
  }
}

/** Like `orRefund` for the settlement; returns whether it was written. */
export async function settleAuthorized(
  deps: RealtimeDeps,
  authorized: AuthorizedRequest,
  end: () => Promise<boolean>,
): Promise<boolean> {
  const isRecorded = await orRefund(deps, authorized, end)
  authorized.admission.end()
  return isRecorded
}

/** Headers cannot be set once a session is open. */
const NO_RESPONSE = {
  headersSent: true,
  setHeader: (): never => {
    throw new Error('a session has no headers')
  },
}
