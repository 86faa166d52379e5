import type { EndReason } from '@tollgate/contract'
import { usualTokens } from '../rate-limits/admission.ts'
import { giveBack } from '../billing/settle-request.ts'
import type { PricedTarget, Terms } from '../billing/authorize.ts'
import { type Forecast, responseAmount } from './amounts.ts'
import {
  attemptIn,
  endReserved,
  type RealtimeDeps,
  renewAt,
  type Reserved,
  reserveAt,
  type Seat,
} from './session-access.ts'

/** The money that is held for responses that have not begun. */
export class Prepared {
  readonly #deps: RealtimeDeps
  readonly #seat: Seat
  readonly #target: PricedTarget
  readonly #held: Reserved[]
  #closedBy: EndReason | null = null

  constructor(
    deps: RealtimeDeps,
    seat: Seat,
    { target, first }: { readonly target: PricedTarget; readonly first: Reserved },
  ) {
    this.#deps = deps
    this.#seat = seat
    this.#target = target
    this.#held = [first]
  }

  /**
   * Holds for a response beside so many others. What is left over is used, after its caller, its limits, prices and
   * amount were looked at anew. Throws a refusal.
   */
  async holdBeside(others: number, forecast: Forecast): Promise<void> {
    const [unused] = this.#held.splice(others, 1)
    if (unused === undefined) return this.#hold(forecast)
    let kept = unused
    try {
      kept = await renewAt(this.#deps, this.#seat, unused, reservingFor(forecast))
    } finally {
      await this.#keep(kept, others)
    }
  }

  /**
   * For a response that begins, held for before or only now; throws a refusal. It need not be the one that was
   * expected first: it has the first hold that is enough for it, or the largest.
   */
  async take(forecast: Forecast): Promise<Reserved | undefined> {
    if (this.#held.length === 0) await this.#hold(forecast)
    return this.takeHeld(forecast)
  }

  /** The same of what is held already; undefined where nothing is. */
  takeHeld(forecast: Forecast): Reserved | undefined {
    return this.#held.length === 0 ? undefined : this.#held.splice(this.#placeOf(forecast), 1)[0]
  }

  #placeOf(forecast: Forecast): number {
    const enough = this.#held.findIndex(
      ({ terms, reservation }) => reservation.hold.amount >= responseAmount(terms, forecast).least,
    )
    const amounts = this.#held.map(({ reservation }) => reservation.hold.amount)
    return enough === -1 ? amounts.indexOf(Math.max(...amounts)) : enough
  }

  /** Gives the ends of all. */
  close(endReason: EndReason): Promise<unknown>[] {
    this.#closedBy = endReason
    return this.#held.splice(0).map((reserved) => this.#giveBack(reserved, endReason))
  }

  async #hold(forecast: Forecast): Promise<void> {
    if (this.#closedBy !== null) return
    const reserved = await reserveAt(this.#deps, this.#seat, {
      ...reservingFor(forecast),
      attempts: [attemptIn(this.#target)],
    })
    await this.#keep(reserved, this.#held.length)
  }

  async #keep(reserved: Reserved, place: number): Promise<void> {
    // It may have been closed in the meantime.
    if (this.#closedBy !== null) await this.#giveBack(reserved, this.#closedBy)
    else this.#held.splice(place, 0, reserved)
  }

  #giveBack(reserved: Reserved, endReason: EndReason): Promise<boolean> {
    const { isTranscription } = this.#seat
    const content = isTranscription ? 'Only transcripts cost.' : 'No response came of it.'
    return endReserved(this.#deps, reserved, () =>
      giveBack(this.#deps, reserved, { endReason, content }),
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
