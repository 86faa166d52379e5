/** Running work whose end can be awaited, as at shutdown. */
export class InFlight<One> {
  readonly all = new Set<One>()
  #waiting: (() => void)[] = []

  begin(item: One) {
    this.all.add(item)
  }

  end(item: One) {
    this.all.delete(item)
    if (this.all.size > 0) return
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Resolves when nothing is running. */
  async whenIdle(): Promise<void> {
    while (this.all.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
