import { finish, type Steps } from '@tollgate/relay/counting'

/*
 * Shares the event loop fairly among callers. Long work comes in steps, and the steps of all
 * callers together get one slice per turn of the event loop, so that other events are handled
 * between slices. Callers take turns, however many requests each has, and one caller's work runs in
 * order.
 */

/** Milliseconds per turn of the event loop. A slice ends after the step that exceeds it. */
const SLICE_MS = 5
/** Parsing a body up to this size takes less than a slice, whatever its content. */
const LIGHT_BYTES = 32 * 1024

export const isLight = (bytes: number): boolean => bytes <= LIGHT_BYTES

/** Whom the work is done for: a caller's number, or any other value by identity. */
export type Owner = unknown

type Work = {
  readonly steps: Steps<unknown>
  readonly bytes: number
  readonly done: (result: unknown) => void
  readonly failed: (error: unknown) => void
}

type Clock = {
  /** Milliseconds of a monotonic clock. */
  readonly now: () => number
  readonly defer: (callback: () => void) => void
}

const SYSTEM: Clock = {
  now: () => performance.now(),
  defer: (callback) => void setImmediate(callback),
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

  /**
   * Returns the result at once if the work takes less than a slice and no work is queued; otherwise
   * a promise. `bytes` is the memory that the work holds while it waits.
   */
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

  /** Like `run`, but does not read the clock for a small body. */
  runSized<Result>(owner: Owner, steps: Steps<Result>, bytes: number): Result | Promise<Result> {
    return isLight(bytes) ? finish(steps) : this.run(owner, steps, bytes)
  }

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
    this.#clock.defer(() => this.#runSlices())
  }

  #runSlices() {
    this.#isArmed = false
    this.#spentMs = 0
    for (const [owner, queue] of this.#queues) {
      // Moves the owner to the end of the queue. This loop reaches it again if time is left.
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

/** One per process, like the event loop. */
export const scheduler = new FairScheduler()
