import type { AttemptRecord, EndReason } from '@tollgate/contract'
import { voidRequest } from '../billing/settle-request.ts'
import type { PricedTarget, Terms } from '../billing/terms.ts'
import { estimateTokens } from '../rate-limits/admission.ts'
import { type Forecast, responseAmount } from './response-amount.ts'
import {
  attemptIn,
  settleAuthorized,
  type RealtimeDeps,
  renewInSession,
  type AuthorizedRequest,
  authorizeInSession,
  type SessionAccess,
} from './session-access.ts'

export class PrefundedResponses {
  readonly #deps: RealtimeDeps
  readonly #access: SessionAccess
  readonly #attempt: AttemptRecord
  readonly #held: AuthorizedRequest[]
  #closedBy: EndReason | null = null

  constructor(
    deps: RealtimeDeps,
    access: SessionAccess,
    { target, first }: { readonly target: PricedTarget; readonly first: AuthorizedRequest },
  ) {
    this.#deps = deps
    this.#access = access
    this.#attempt = attemptIn(target, first.attempts.at(-1))
    this.#held = [first]
  }

  /**
   * Holds for one more response after the first `precedingCount`. An unused hold is reused after
   * its caller, limits, prices and amount were checked again. Throws a refusal.
   */
  async ensureHoldAfter(precedingCount: number, forecast: Forecast): Promise<void> {
    const [unused] = this.#held.splice(precedingCount, 1)
    if (unused === undefined) return this.#hold(forecast)
    let renewed = unused
    try {
      renewed = await renewInSession(
        this.#deps,
        this.#access,
        unused,
        authorizeOptionsFor(forecast),
      )
    } finally {
      await this.#store(renewed, precedingCount)
    }
  }

  /**
   * Returns a hold for a response that begins, taking one if none is left. Picks the first hold
   * that is large enough, else the largest, because responses may begin in another order. Throws a
   * refusal.
   */
  async take(forecast: Forecast): Promise<AuthorizedRequest | undefined> {
    if (this.#held.length === 0) await this.#hold(forecast)
    return this.takeHeld(forecast)
  }

  /** Like `take`, but only from existing holds; undefined if there are none. */
  takeHeld(forecast: Forecast): AuthorizedRequest | undefined {
    return this.#held.length === 0 ? undefined : this.#held.splice(this.#indexFor(forecast), 1)[0]
  }

  #indexFor(forecast: Forecast): number {
    const sufficient = this.#held.findIndex(
      ({ terms, authorization }) =>
        authorization.hold.amount >= responseAmount(terms, forecast).min,
    )
    const amounts = this.#held.map(({ authorization }) => authorization.hold.amount)
    return sufficient === -1 ? amounts.indexOf(Math.max(...amounts)) : sufficient
  }

  /** Returns the voids in progress. */
  close(endReason: EndReason): Promise<unknown>[] {
    this.#closedBy = endReason
    return this.#held.splice(0).map((authorized) => this.#void(authorized, endReason))
  }

  async #hold(forecast: Forecast): Promise<void> {
    if (this.#closedBy !== null) return
    const authorized = await authorizeInSession(this.#deps, this.#access, {
      ...authorizeOptionsFor(forecast),
      attempts: [{ ...this.#attempt }],
    })
    await this.#store(authorized, this.#held.length)
  }

  async #store(authorized: AuthorizedRequest, index: number): Promise<void> {
    // The session may have closed while the hold was taken.
    if (this.#closedBy !== null) await this.#void(authorized, this.#closedBy)
    else this.#held.splice(index, 0, authorized)
  }

  #void(authorized: AuthorizedRequest, endReason: EndReason): Promise<boolean> {
    const { isTranscription } = this.#access
    const content = isTranscription ? 'Only transcripts are billed.' : 'No response was started.'
    return settleAuthorized(this.#deps, authorized, () =>
      voidRequest(this.#deps, authorized, { endReason, content }),
    )
  }
}

const authorizeOptionsFor = (forecast: Forecast) => {
  const { prompt, reportedText } = forecast
  const { text, audio, image } = prompt
  const usualText = reportedText + estimateTokens(Math.max(0, text - reportedText))
  return {
    amountOf: (terms: Terms) => responseAmount(terms, forecast),
    promptTokens: usualText + audio + image,
  }
}
