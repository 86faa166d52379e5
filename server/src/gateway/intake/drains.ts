import type { OptionValues } from '@tollgate/contract'
import type { GatewayLimits } from '../limits.ts'

/** An answer whose client has left. */
export type Abandoned = {
  readonly user: number
  /** Only the end of the answer tells what it costs. */
  readonly isUnseen: boolean
}

type DrainDeps = {
  readonly settings: { readonly current: () => Pick<OptionValues, 'DrainEnabled'> }
  readonly limits: Pick<GatewayLimits, 'drainMs' | 'unseenDrainMs' | 'abandonedMax'>
}

/**
 * How long upstreams are read on without their clients. Each such answer keeps a socket and its bytes, so one
 * user may have `abandonedMax` of them in this process; the next one is hung up on and charged by an estimate.
 */
export class Drains {
  readonly #deps: DrainDeps
  readonly #countByUser = new Map<number, number>()
  #isStopping = false

  constructor(deps: DrainDeps) {
    this.#deps = deps
  }

  get isEnabled(): boolean {
    return this.#deps.settings.current().DrainEnabled
  }

  /** A server that stops waits this long for any answer without a client. */
  get stopMs(): number {
    return this.isEnabled ? this.#deps.limits.drainMs : 0
  }

  /** From now on nothing is read on for longer than `stopMs`. */
  stop() {
    this.#isStopping = true
  }

  /** Milliseconds for which the upstream is read on; 0 hangs up at once. Every other result needs one `end`. */
  begin({ user, isUnseen }: Abandoned): number {
    if (!this.isEnabled) return 0
    const { drainMs, unseenDrainMs, abandonedMax } = this.#deps.limits
    const count = this.#countByUser.get(user) ?? 0
    if (count >= abandonedMax) return 0
    this.#countByUser.set(user, count + 1)
    return isUnseen && !this.#isStopping ? unseenDrainMs : drainMs
  }

  end(user: number) {
    const count = (this.#countByUser.get(user) ?? 1) - 1
    if (count > 0) this.#countByUser.set(user, count)
    else this.#countByUser.delete(user)
  }
}
