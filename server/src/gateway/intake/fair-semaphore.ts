/** A semaphore that serves waiting users round-robin. */
export class FairSemaphore {
  #free: number
  /** In the order in which users are served next. */
  readonly #waiting = new Map<number, (() => void)[]>()

  constructor(slots: number) {
    this.#free = slots
  }

  /**
   * Returns undefined if a slot is free, else a promise. The caller must `release` in both cases.
   */
  acquire(user: number): Promise<void> | undefined {
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
    // Reinsert the user behind all other waiting users.
    this.#waiting.delete(user)
    if (queue.length > 0) this.#waiting.set(user, queue)
    start?.()
  }
}
