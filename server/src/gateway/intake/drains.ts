import type { OptionValues } from '@tollgate/contract'
import type { Clock } from '../../clock.ts'
import { Deadlines } from '../../deadlines.ts'
import type { GatewayLimits } from '../limits.ts'

/** An answer whose client has disconnected. */
export type DisconnectedAnswer = {
  readonly user: number
  /** The cost is known only at the end of the answer. */
  readonly isCostUnknown: boolean
}

type DrainDeps = {
  readonly settings: { readonly current: () => Pick<OptionValues, 'DrainEnabled'> }
  readonly limits: Pick<GatewayLimits, 'drainMs' | 'fullDrainMs' | 'userDrainsMax'>
  readonly clock: Clock
}

/**
 * How long upstreams are read after their clients have disconnected. Each such answer keeps a
 * socket and its bytes, so one user may have `userDrainsMax` of them in this process. Further ones
 * are aborted and charged by an estimate.
 */
export class Drains {
  readonly #deps: DrainDeps
  readonly #countByUser = new Map<number, number>()
  /** When clients are too slow. */
  readonly deadlines: Deadlines
  #isStopping = false

  constructor(deps: DrainDeps) {
    this.#deps = deps
    this.deadlines = new Deadlines(deps.clock)
  }

  get clock(): Clock {
    return this.#deps.clock
  }

  get isEnabled(): boolean {
    return this.#deps.settings.current().DrainEnabled
  }

  /** Drain time of any answer while the server stops, in milliseconds. */
  get stopMs(): number {
    return this.isEnabled ? this.#deps.limits.drainMs : 0
  }

  /** Limits every drain that starts from now on to `stopMs`. */
  stop() {
    this.#isStopping = true
  }

  /**
   * Milliseconds to read the upstream; 0 aborts at once. Any other result needs one call of `end`.
   */
  begin({ user, isCostUnknown }: DisconnectedAnswer): number {
    if (!this.isEnabled) return 0
    const { drainMs, fullDrainMs, userDrainsMax } = this.#deps.limits
    const count = this.#countByUser.get(user) ?? 0
    if (count >= userDrainsMax) return 0
    this.#countByUser.set(user, count + 1)
    return isCostUnknown && !this.#isStopping ? fullDrainMs : drainMs
  }

  end(user: number) {
    const count = (this.#countByUser.get(user) ?? 1) - 1
    if (count > 0) this.#countByUser.set(user, count)
    else this.#countByUser.delete(user)
  }
}
