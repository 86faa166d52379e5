type Waiter = { number: number; readonly resolvers: PromiseWithResolvers<void> }

/** Who waits for numbers to be reached. */
export class Waiters {
  /** In the order of their numbers. */
  #waiting: Waiter[] = []

  /** What lies behind `written` is written with one write: who waits for any of it waits for all of it. */
  wait(number: number, written: number): Promise<void> {
    const last = this.#waiting.at(-1)
    if (last !== undefined && last.number > written) {
      last.number = number
      return last.resolvers.promise
    }
    const resolvers = Promise.withResolvers<void>()
    this.#waiting.push({ number, resolvers })
    return resolvers.promise
  }

  reach(number: number) {
    while (this.#waiting[0] && this.#waiting[0].number <= number) {
      this.#waiting.shift()?.resolvers.resolve()
    }
  }

  fail(error: Error) {
    for (const { resolvers } of this.#waiting.splice(0)) resolvers.reject(error)
  }
}
