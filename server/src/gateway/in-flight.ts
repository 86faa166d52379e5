/** Running work whose end can be awaited, as at shutdown. */
export class Running<One> {
  readonly all = new Set<One>()
  #waiting: (() => void)[] = []

  begin(one: One) {
    this.all.add(one)
  }

  end(one: One) {
    this.all.delete(one)
    if (this.all.size > 0) return
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Resolves when nothing is running. */
  async none(): Promise<void> {
    while (this.all.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
