import { SlidingWindow } from '../../http/sliding-window.ts'
import { createLru } from '../../lru.ts'
import {
  type LimitLine,
  type LimitState,
  LIMIT_TIMES,
  type LimitStore,
  type LimitTimes,
  type Taking,
  type Verdict,
} from './limit-store.ts'

/** Per scope. */
const CALLERS_MAX = 25_000

type Id = LimitLine['id']

class Meter {
  requests: SlidingWindow | null = null
  tokens: SlidingWindow | null = null
}

/** One per line; null for concurrency limits. */
type Windows = readonly (SlidingWindow | null)[]

const createMeters = () => createLru<Id, Meter>(CALLERS_MAX)

export class MemoryLimits {
  /** Monotonic, in milliseconds. */
  readonly #now: () => number
  readonly #times: LimitTimes
  readonly #meters = { user: createMeters(), token: createMeters(), group: createMeters() }
  /**
   * Zero entries stay while the map is small: constant adding and deleting would make the map
   * rebuild itself over and over.
   */
  readonly #running = {
    user: new Map<Id, number>(),
    token: new Map<Id, number>(),
    group: new Map<Id, number>(),
  }

  constructor(now: () => number, times: LimitTimes) {
    this.#now = now
    this.#times = times
  }

  take(lines: readonly LimitLine[]): Verdict {
    const windows = this.#windowsOf(lines)
    const states = this.#peek(lines, windows)
    const hasRoom = states.every(({ waitMs }) => waitMs === 0)
    return { states, taking: hasRoom ? this.#add(lines, windows) : null }
  }

  peek(lines: readonly LimitLine[]): LimitState[] {
    return this.#peek(lines, this.#windowsOf(lines))
  }

  /** Counts a request even if there is no room for it. */
  add(lines: readonly LimitLine[]): Taking {
    return this.#add(lines, this.#windowsOf(lines))
  }

  #peek(lines: readonly LimitLine[], windows: Windows): LimitState[] {
    const at = this.#now()
    return lines.map((line, index) => {
      const window = windows[index] ?? null
      return window === null ? this.#placeState(line) : roomIn(window, line, at)
    })
  }

  #add(lines: readonly LimitLine[], windows: Windows): Taking {
    const at = this.#now()
    this.#each(lines, windows, (line, window) => {
      if (window === null) this.#acquirePlace(line)
      else window.add(line.amount, at)
    })
    return {
      finish: (tokens) =>
        this.#each(lines, windows, (line, window) => {
          if (window === null) this.#releasePlace(line)
          else if (line.measure === 'tokens') this.#correct(window, at, tokens - line.amount)
        }),
      undo: () =>
        this.#each(lines, windows, (line, window) => {
          if (window === null) this.#releasePlace(line)
          else window.subtract(line.amount, at)
        }),
    }
  }

  /** Visits each line that is not a peek. */
  #each(
    lines: readonly LimitLine[],
    windows: Windows,
    visit: (line: LimitLine, window: SlidingWindow | null) => void,
  ) {
    for (let index = 0; index < lines.length; index += 1) {
      const line = lines[index]
      if (line !== undefined && line.isPeek !== true) visit(line, windows[index] ?? null)
    }
  }

  /** Lines of one caller are adjacent, so its meter is looked up once. */
  #windowsOf(lines: readonly LimitLine[]): Windows {
    const windows: (SlidingWindow | null)[] = []
    let last: LimitLine | null = null
    let meter: Meter | null = null
    for (const line of lines) {
      if (line.measure === 'concurrent') {
        windows.push(null)
        continue
      }
      const isSame = last?.scope === line.scope && last.id === line.id
      if (meter === null || !isSame) meter = this.#meterOf(line)
      last = line
      const { windowMs, sliceMs } = this.#times
      windows.push((meter[line.measure] ??= new SlidingWindow(windowMs, sliceMs)))
    }
    return windows
  }

  #meterOf({ scope, id }: LimitLine): Meter {
    const known = this.#meters[scope].get(id)
    if (known !== undefined) return known
    const meter = new Meter()
    this.#meters[scope].set(id, meter)
    return meter
  }

  #placeState({ scope, id, max }: LimitLine): LimitState {
    const used = this.#running[scope].get(id) ?? 0
    return { used, waitMs: used < max ? 0 : this.#times.fullWaitMs, resetMs: 0 }
  }

  #acquirePlace({ scope, id }: LimitLine) {
    const running = this.#running[scope]
    running.set(id, (running.get(id) ?? 0) + 1)
  }

  #releasePlace({ scope, id }: LimitLine) {
    const running = this.#running[scope]
    const left = Math.max(0, (running.get(id) ?? 0) - 1)
    if (left > 0 || running.size <= CALLERS_MAX) running.set(id, left)
    else running.delete(id)
  }

  /** An overestimate is subtracted at the time it was counted. An underestimate counts from now. */
  #correct(window: SlidingWindow, takenAt: number, difference: number) {
    if (difference > 0) window.add(difference, this.#now())
    else window.subtract(-difference, takenAt)
  }
}

function roomIn(window: SlidingWindow, { max, amount }: LimitLine, at: number): LimitState {
  return {
    used: window.used(at),
    waitMs: window.waitMs({ max, amount }, at),
    resetMs: window.resetMs(at),
  }
}

export function createMemoryStore(now: () => number, times: LimitTimes = LIMIT_TIMES): LimitStore {
  const limits = new MemoryLimits(now, times)
  return {
    take: (_requestId, lines) => limits.take(lines),
    close: async () => {},
  }
}
