/** Counts what is under way, for whoever has to wait for its end. */
export class Running {
  #count = 0
  #waiting: (() => void)[] = []

  begin() {
    this.#count += 1
  }

  end() {
    this.#count -= 1
    if (this.#count > 0) return
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Resolves when nothing is under way. */
  async none(): Promise<void> {
    while (this.#count > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
