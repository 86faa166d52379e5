import { LRUCache } from 'lru-cache'
import { SlidingWindow } from '../../http/sliding-window.ts'
import {
  type LimitLine,
  type LimitState,
  LIMIT_TIMES,
  type LimitStore,
  type LimitTimes,
} from './limit-store.ts'

/** Of each scope. */
const CALLERS_MAX = 25_000

type Id = LimitLine['id']

/** What one caller has used of late; null where that was not asked for. */
class Meter {
  requests: SlidingWindow | null = null
  tokens: SlidingWindow | null = null
}

// By size, as a cache with a `max` takes the memory for all its keys at once.
const createMeters = () =>
  new LRUCache<Id, Meter>({ maxSize: CALLERS_MAX, sizeCalculation: () => 1 })

/** What callers use of this process, in its memory. */
export class MemoryLimits {
  /** Milliseconds that never jump. */
  readonly #now: () => number
  readonly #times: LimitTimes
  readonly #meters = { user: createMeters(), token: createMeters(), group: createMeters() }
  /** Who has none running stays while there are few: a map that is always added to and deleted from is made anew and anew. */
  readonly #running = {
    user: new Map<Id, number>(),
    token: new Map<Id, number>(),
    group: new Map<Id, number>(),
  }

  constructor(now: () => number, times: LimitTimes) {
    this.#now = now
    this.#times = times
  }

  look(lines: readonly LimitLine[]): LimitState[] {
    const at = this.#now()
    return lines.map((line) =>
      line.measure === 'concurrent' ? this.#places(line) : this.#room(line, line.measure, at),
    )
  }

  /** Counts a request, whether there is room for it or not; gives how to end it. */
  add(lines: readonly LimitLine[]): (tokens: number) => void {
    const at = this.#now()
    for (const line of lines) {
      if (line.measure === 'concurrent') this.#enter(line)
      else this.#window(line, line.measure).add(line.amount, at)
    }
    return (tokens) => {
      for (const line of lines) {
        if (line.measure === 'concurrent') this.#leave(line)
        else if (line.measure === 'tokens') this.#correct(line, at, tokens - line.amount)
      }
    }
  }

  #window({ scope, id }: LimitLine, measure: keyof Meter): SlidingWindow {
    let meter = this.#meters[scope].get(id)
    if (meter === undefined) {
      meter = new Meter()
      this.#meters[scope].set(id, meter)
    }
    return (meter[measure] ??= new SlidingWindow(this.#times.windowMs, this.#times.sliceMs))
  }

  #room(line: LimitLine, measure: keyof Meter, at: number): LimitState {
    const { most, amount } = line
    const window = this.#window(line, measure)
    return {
      used: window.used(at),
      waitMs: window.waitMs({ most, amount }, at),
      resetMs: window.resetMs(at),
    }
  }

  #places({ scope, id, most }: LimitLine): LimitState {
    const used = this.#running[scope].get(id) ?? 0
    return { used, waitMs: used < most ? 0 : this.#times.fullWaitMs, resetMs: 0 }
  }

  #enter({ scope, id }: LimitLine) {
    const running = this.#running[scope]
    running.set(id, (running.get(id) ?? 0) + 1)
  }

  #leave({ scope, id }: LimitLine) {
    const running = this.#running[scope]
    const left = Math.max(0, (running.get(id) ?? 0) - 1)
    if (left > 0 || running.size <= CALLERS_MAX) running.set(id, left)
    else running.delete(id)
  }

  /** What was too much is taken out where it was counted; what was too little counts from now on. */
  #correct(line: LimitLine, takenAt: number, difference: number) {
    const window = this.#window(line, 'tokens')
    if (difference > 0) window.add(difference, this.#now())
    else window.takeOut(-difference, takenAt)
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
