/** Lets a few users work at once; those who wait get their turns one user after the other. */
export class FairTurns {
  #free: number
  /** In the order in which they are served next. */
  readonly #waiting = new Map<number, (() => void)[]>()

  constructor(atOnce: number) {
    this.#free = atOnce
  }

  /** A promise where there is something to wait for; either way `release` ends the turn. */
  take(user: number): Promise<void> | undefined {
    if (this.#free > 0) {
      this.#free -= 1
      return undefined
    }
    return new Promise((resolve) => {
      const queue = this.#waiting.get(user) ?? []
      queue.push(resolve)
      this.#waiting.set(user, queue)
    })
  }

  release() {
    const [next] = this.#waiting
    if (next === undefined) {
      this.#free += 1
      return
    }
    const [user, queue] = next
    const start = queue.shift()
    // Whoever else waits comes before the next turn of this user.
    this.#waiting.delete(user)
    if (queue.length > 0) this.#waiting.set(user, queue)
    start?.()
  }
}
