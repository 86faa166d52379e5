import type { IncomingMessage } from 'node:http'
import { type Attempt, END_REASON } from '@tollgate/contract'
import { newRequestId } from '../../http/request-id.ts'
import type { HoldAmount } from '../../ledger/ledger.ts'
import { admitCaller, admitModel } from '../admit.ts'
import { Admission } from '../caller-limits/admission.ts'
import type { LimitStore } from '../caller-limits/limit-store.ts'
import { type EndedJob, giveBack } from '../end-request.ts'
import type { RelayDeps } from '../relay-deps.ts'
import { contextOf } from '../relay-request.ts'
import { refusalOf, takeHold, type Terms, termsOf } from '../reserve.ts'
import type { Route } from '../route.ts'

export type RealtimeDeps = RelayDeps & { readonly limitStore: LimitStore }

/** Whose session it is, and who serves it. */
export type Seat = {
  /** It has the key. */
  readonly request: IncomingMessage
  readonly address: string
  /** A session that only transcribes may name another one in its settings. */
  readonly model: string
  readonly isTranscription: boolean
  readonly route: Route
}

/** A request of a session that holds its money: a response, or what a user said being written down. */
export type Reserved = EndedJob & { readonly requestId: string }

type Reserving = {
  /** In place of that of the session, for what another model does. */
  model?: string
  route?: Route
  amountOf: (terms: Terms) => HoldAmount
  /** For the limits of its caller. */
  promptTokens: number
  attempts: Attempt[]
  requestId?: string
}

/**
 * Reserves for one request of a session. The key, its owner, limits and prices are looked at anew each time, so
 * that a session ends when they do. Throws a refusal.
 */
export async function reserveAt(
  deps: RealtimeDeps,
  seat: Seat,
  { model = seat.model, route = seat.route, amountOf, promptTokens, attempts, ...given }: Reserving,
): Promise<Reserved> {
  const { authenticate, ledger, settings, limitStore: store } = deps
  const arrivedAt = deps.now()
  const nowSeconds = Math.floor(arrivedAt / MS)
  const caller = await authenticate.caller(seat.request)
  admitCaller(caller, { address: seat.address, nowSeconds })
  admitModel(caller, model)
  const { requestId = newRequestId(arrivedAt) } = given
  const terms = termsOf(route, model, settings.current())
  const admission = new Admission({ store, settings, requestId, response: NOWHERE })
  const { user, token, keyHash } = caller
  const limited = { user: user.id, token: token.id, group: route.group }
  await admission.take(limited, () => promptTokens, 'rates')
  const context = contextOf(caller, { model, stream: true }, { requestId, openedAt: nowSeconds })
  try {
    const { least, most } = amountOf(terms)
    const outcome = await takeHold(ledger, context, { least, most })
    if (outcome.type !== 'held') throw refusalOf(outcome, context)
    const reservation = { hold: outcome.hold }
    const client = {
      get drains() {
        return settings.current().DrainEnabled
      },
    }
    return { requestId, arrivedAt, admission, terms, reservation, client, attempts, wasted: [] }
  } catch (error) {
    admission.end()
    // What was known of the balance led here; the next request shall see it as it is.
    authenticate.forget(keyHash)
    throw error
  }
}

/** Does something with a request that holds its money; where that fails nothing stays held. */
export async function orGiveBack<Result>(
  deps: RealtimeDeps,
  reserved: Reserved,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    reserved.admission.end()
    // A hold that has been closed stays as it was closed.
    await giveBack(deps, reserved, { endReason: END_REASON.internalError, content: '' })
    throw error
  }
}

/** The same for what ends it. */
export async function endReserved(
  deps: RealtimeDeps,
  reserved: Reserved,
  end: () => Promise<void>,
): Promise<void> {
  await orGiveBack(deps, reserved, end)
  reserved.admission.end()
}

const MS = 1000

/** Once a session has begun there are no headers any more. */
const NOWHERE = {
  headersSent: true,
  setHeader: (): never => {
    throw new Error('a session has no headers')
  },
}
