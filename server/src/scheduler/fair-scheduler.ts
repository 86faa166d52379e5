import { finish, type Steps } from '@tollgate/relay'

/*
 * Shares the one event loop among callers. Work that may take long comes in steps, and the steps of all callers
 * together get a slice of each turn of the loop: whatever else has arrived is served between two slices. Callers
 * take turns, whatever the number of their requests, and the work of one caller is done one after the other.
 */

/** Milliseconds of a turn of the event loop. One step may take longer: the last of a slice ends after it. */
const SLICE_MS = 5
/** Reading so few bytes takes less than a slice, whatever is in them. */
const LIGHT_BYTES = 32 * 1024

export const isLight = (bytes: number): boolean => bytes <= LIGHT_BYTES

/** Whose turn it is: callers by their number, anything else by itself. */
export type Owner = unknown

type Work = {
  readonly steps: Steps<unknown>
  readonly bytes: number
  /** After its last step. */
  readonly done: (result: unknown) => void
  readonly failed: (error: unknown) => void
}

type Clock = {
  /** Milliseconds of a clock that never jumps. */
  readonly now: () => number
  /** Calls back in the next turn of the event loop. */
  readonly nextTurn: (callback: () => void) => void
}

const SYSTEM: Clock = {
  now: () => performance.now(),
  nextTurn: (callback) => void setImmediate(callback),
}

export class FairScheduler {
  readonly #clock: Clock
  /** In the order of their turns. */
  readonly #queues = new Map<Owner, Work[]>()
  #spentMs = 0
  #isArmed = false

  constructor(clock: Clock = SYSTEM) {
    this.#clock = clock
  }

  /** At once where that takes less than a slice and nobody waits; else a promise. `bytes` are kept meanwhile. */
  run<Result>(owner: Owner, steps: Steps<Result>, bytes = 0): Result | Promise<Result> {
    if (this.#queues.size === 0 && this.#spentMs < SLICE_MS) {
      this.#arm()
      const step = this.#slice(steps)
      if (step.done === true) return step.value
    }
    return new Promise<Result>((resolve, reject) => {
      // Safe because these steps end with a result of that type.
      const done = (result: unknown) => resolve(result as Result)
      this.#queueOf(owner).push({ steps, bytes, done, failed: reject })
      this.#arm()
    })
  }

  /** The same for work on so many bytes, without looking at the clock where they are few. */
  runSized<Result>(owner: Owner, steps: Steps<Result>, bytes: number): Result | Promise<Result> {
    return isLight(bytes) ? finish(steps) : this.run(owner, steps, bytes)
  }

  /** What of the owner's work has not ended. */
  waiting(owner: Owner): { readonly count: number; readonly bytes: number } {
    const queue = this.#queues.get(owner) ?? []
    return { count: queue.length, bytes: queue.reduce((sum, { bytes }) => sum + bytes, 0) }
  }

  #queueOf(owner: Owner): Work[] {
    const queue = this.#queues.get(owner) ?? []
    this.#queues.set(owner, queue)
    return queue
  }

  #arm() {
    if (this.#isArmed) return
    this.#isArmed = true
    this.#clock.nextTurn(() => this.#turn())
  }

  #turn() {
    this.#isArmed = false
    this.#spentMs = 0
    for (const [owner, queue] of this.#queues) {
      // Behind all others, where this loop comes to it again if there is time left.
      this.#queues.delete(owner)
      const work = queue[0]
      if (work === undefined || this.#isDone(work)) queue.shift()
      if (queue.length > 0) this.#queues.set(owner, queue)
      if (this.#spentMs >= SLICE_MS) break
    }
    if (this.#queues.size > 0) this.#arm()
  }

  #isDone({ steps, done, failed }: Work): boolean {
    try {
      const step = this.#slice(steps)
      if (step.done === true) done(step.value)
      return step.done === true
    } catch (error) {
      failed(error)
      return true
    }
  }

  #slice<Result>(steps: Steps<Result>): IteratorResult<void, Result> {
    const { now } = this.#clock
    const startedAt = now()
    const left = SLICE_MS - this.#spentMs
    try {
      let step = steps.next()
      while (step.done !== true && now() - startedAt < left) step = steps.next()
      return step
    } finally {
      this.#spentMs += now() - startedAt
    }
  }
}

/** Of this process: it has one event loop. */
export const scheduler = new FairScheduler()
