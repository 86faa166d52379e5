import { Slots } from '../slots.ts'

/** Running work whose end can be awaited, as at shutdown. */
export class InFlight<One extends object> {
  readonly all = new Slots<One>()
  #waiting: (() => void)[] = []

  /** Returns what `end` needs. */
  begin(item: One): number {
    return this.all.add(item)
  }

  end(slot: number) {
    this.all.remove(slot)
    if (this.all.size > 0) return
    for (const resolve of this.#waiting.splice(0)) resolve()
  }

  /** Resolves when nothing is running. */
  async whenIdle(): Promise<void> {
    while (this.all.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }
}
