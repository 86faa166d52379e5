type Waiter = { readonly number: number } & PromiseWithResolvers<void>

/** Who waits for numbers to be reached. */
export class Waiters {
  /** In the order of their numbers. */
  #waiting: Waiter[] = []

  wait(number: number): Promise<void> {
    const last = this.#waiting.at(-1)
    if (last?.number === number) return last.promise
    const waiter = { number, ...Promise.withResolvers<void>() }
    this.#waiting.push(waiter)
    return waiter.promise
  }

  reach(number: number) {
    while (this.#waiting[0] && this.#waiting[0].number <= number) this.#waiting.shift()?.resolve()
  }

  fail(error: Error) {
    for (const { reject } of this.#waiting.splice(0)) reject(error)
  }
}
