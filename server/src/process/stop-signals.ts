const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * Runs an action at SIGTERM and SIGINT. The listeners of the process stay while the action is
 * replaced: Node.js drops a signal that arrives before the last listener is removed and is not
 * delivered yet.
 */
export class StopSignals {
  #action: (() => void) | null = null

  listen(action: () => void) {
    const isFirst = this.#action === null
    this.#action = action
    if (!isFirst) return
    for (const signal of SIGNALS) process.on(signal, () => this.#action?.())
  }
}
