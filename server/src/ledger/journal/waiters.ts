type Waiter = { number: number; readonly resolvers: PromiseWithResolvers<void> }

export class Waiters {
  /** In order of their numbers. */
  #waiting: Waiter[] = []

  /**
   * Everything above `written` is written with one write, so all waiters for it share a promise.
   */
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
