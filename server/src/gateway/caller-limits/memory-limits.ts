import { LRUCache } from 'lru-cache'
import {
  amountOf,
  type Slice,
  slicesWithin,
  waitMs,
  withAmount,
} from '../../http/sliding-window.ts'
import {
  type LimitLine,
  type LimitState,
  LIMIT_TIMES,
  type LimitStore,
  type LimitTimes,
} from './limit-store.ts'

const KEYS_MAX = 50_000

/** What callers use of this process, in its memory. */
export class MemoryLimits {
  /** Milliseconds that never jump. */
  readonly #now: () => number
  readonly #times: LimitTimes
  /** By size, as a cache with a `max` takes the memory for all its keys at once. */
  readonly #windows = new LRUCache<string, Slice[]>({ maxSize: KEYS_MAX, sizeCalculation: () => 1 })
  /** Has no more entries than there are requests running. */
  readonly #running = new Map<string, number>()

  constructor(now: () => number, times: LimitTimes) {
    this.#now = now
    this.#times = times
  }

  look(lines: readonly LimitLine[]): LimitState[] {
    const at = this.#now()
    return lines.map((line) =>
      line.measure === 'concurrent' ? this.#places(line) : this.#room(line, at),
    )
  }

  /** Counts a request, whether there is room for it or not; gives how to end it. */
  add(lines: readonly LimitLine[]): (tokens: number) => void {
    const at = this.#now()
    for (const { key, measure, amount } of lines) {
      if (measure === 'concurrent') this.#running.set(key, (this.#running.get(key) ?? 0) + 1)
      else
        this.#windows.set(key, withAmount(this.#slices(key, at), amount, at, this.#times.sliceMs))
    }
    return (tokens) => {
      for (const { key, measure, amount } of lines) {
        if (measure === 'concurrent') this.#leave(key)
        else if (measure === 'tokens') this.#correct(key, at, tokens - amount)
      }
    }
  }

  #slices(key: string, at: number): Slice[] {
    return slicesWithin(this.#windows.get(key) ?? [], this.#times.windowMs, at)
  }

  #room({ key, most, amount }: LimitLine, at: number): LimitState {
    const { windowMs } = this.#times
    const slices = this.#slices(key, at)
    const newest = slices.at(-1)
    return {
      used: amountOf(slices),
      waitMs: waitMs(slices, { most, amount, windowMs, at }),
      resetMs: newest === undefined ? 0 : newest.lastAt + windowMs - at,
    }
  }

  #places({ key, most }: LimitLine): LimitState {
    const used = this.#running.get(key) ?? 0
    return { used, waitMs: used < most ? 0 : this.#times.fullWaitMs, resetMs: 0 }
  }

  #leave(key: string) {
    const left = (this.#running.get(key) ?? 0) - 1
    if (left > 0) this.#running.set(key, left)
    else this.#running.delete(key)
  }

  /** What was too much is taken out where it was counted; what was too little counts from now on. */
  #correct(key: string, takenAt: number, difference: number) {
    const at = this.#now()
    const slices = this.#slices(key, at)
    if (difference > 0) {
      this.#windows.set(key, withAmount(slices, difference, at, this.#times.sliceMs))
      return
    }
    const slice = slices.find(({ beganAt, lastAt }) => beganAt <= takenAt && takenAt <= lastAt)
    if (slice) slice.amount = Math.max(0, slice.amount + difference)
  }
}

/** Each process counts for itself. */
export function createMemoryStore(now: () => number, times: LimitTimes = LIMIT_TIMES): LimitStore {
  const limits = new MemoryLimits(now, times)
  return {
    take: async (_requestId, lines) => {
      const states = limits.look(lines)
      const hasRoom = states.every(({ waitMs }) => waitMs === 0)
      return { states, finish: hasRoom ? limits.add(lines) : null }
    },
    close: async () => {},
  }
}
