import type { EndReason } from '@tollgate/contract'
import { refund } from '../billing/settle-request.ts'
import type { PricedTarget, Terms } from '../billing/terms.ts'
import { usualTokens } from '../rate-limits/admission.ts'
import { type Forecast, responseAmount } from './amounts.ts'
import {
  attemptIn,
  endAuthorized,
  type RealtimeDeps,
  renewAt,
  type AuthorizedRequest,
  authorizeAt,
  type SessionAccess,
} from './session-access.ts'

export class PrefundedResponses {
  readonly #deps: RealtimeDeps
  readonly #access: SessionAccess
  readonly #target: PricedTarget
  readonly #held: AuthorizedRequest[]
  #closedBy: EndReason | null = null

  constructor(
    deps: RealtimeDeps,
    access: SessionAccess,
    { target, first }: { readonly target: PricedTarget; readonly first: AuthorizedRequest },
  ) {
    this.#deps = deps
    this.#access = access
    this.#target = target
    this.#held = [first]
  }

  /**
   * Holds for one more response after the first `others`. An unused hold is reused after its
   * caller, limits, prices and amount were checked again. Throws a refusal.
   */
  async holdBeside(others: number, forecast: Forecast): Promise<void> {
    const [unused] = this.#held.splice(others, 1)
    if (unused === undefined) return this.#hold(forecast)
    let kept = unused
    try {
      kept = await renewAt(this.#deps, this.#access, unused, reservingFor(forecast))
    } finally {
      await this.#keep(kept, others)
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
    return this.#held.length === 0 ? undefined : this.#held.splice(this.#placeOf(forecast), 1)[0]
  }

  #placeOf(forecast: Forecast): number {
    const enough = this.#held.findIndex(
      ({ terms, authorization }) =>
        authorization.hold.amount >= responseAmount(terms, forecast).min,
    )
    const amounts = this.#held.map(({ authorization }) => authorization.hold.amount)
    return enough === -1 ? amounts.indexOf(Math.max(...amounts)) : enough
  }

  /** Returns the refunds in progress. */
  close(endReason: EndReason): Promise<unknown>[] {
    this.#closedBy = endReason
    return this.#held.splice(0).map((reserved) => this.#giveBack(reserved, endReason))
  }

  async #hold(forecast: Forecast): Promise<void> {
    if (this.#closedBy !== null) return
    const reserved = await authorizeAt(this.#deps, this.#access, {
      ...reservingFor(forecast),
      attempts: [attemptIn(this.#target)],
    })
    await this.#keep(reserved, this.#held.length)
  }

  async #keep(reserved: AuthorizedRequest, place: number): Promise<void> {
    // The session may have closed while the hold was taken.
    if (this.#closedBy !== null) await this.#giveBack(reserved, this.#closedBy)
    else this.#held.splice(place, 0, reserved)
  }

  #giveBack(reserved: AuthorizedRequest, endReason: EndReason): Promise<boolean> {
    const { isTranscription } = this.#access
    const content = isTranscription ? 'Only transcripts are billed.' : 'No response was started.'
    return endAuthorized(this.#deps, reserved, () =>
      refund(this.#deps, reserved, { endReason, content }),
    )
  }
}

const reservingFor = (forecast: Forecast) => {
  const { prompt, reportedText } = forecast
  const { text, audio, image } = prompt
  const usualText = reportedText + usualTokens(Math.max(0, text - reportedText))
  return {
    amountOf: (terms: Terms) => responseAmount(terms, forecast),
    promptTokens: usualText + audio + image,
  }
}
