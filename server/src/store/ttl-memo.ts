import { LRUCache } from 'lru-cache'

const KEYS_MAX = 2000
const KEPT_MS_LEAST = 1000
const KEPT_MS_MOST = 30_000
/**
 * A value is kept for 100 times as long as reading it took and renewed after half of that, so that
 * reading takes at most a fiftieth of the time.
 */
const KEPT_TIMES = 100

export type TtlMemo<Value> = (key: string, read: () => Promise<Value>) => Promise<Value>

type Kept<Value> = { value: Promise<Value>; renewAt: number }

/**
 * Caches recent reads and shares reads in progress. In the second half of a value's lifetime, the
 * next call starts a new read in the background and still gets the old value.
 */
export function createTtlMemo<Value>({
  keysMax = KEYS_MAX,
  clock = performance,
}: { keysMax?: number; clock?: { now: () => number } } = {}): TtlMemo<Value> {
  const kept = new LRUCache<string, Kept<Value>>({
    max: keysMax,
    ttl: KEPT_MS_MOST,
    ttlResolution: 0,
    perf: clock,
  })
  return (key, read) => {
    const known = kept.get(key)
    if (known && clock.now() < known.renewAt) return known.value
    const startedAt = clock.now()
    const reading = { value: read(), renewAt: Infinity }
    // Until the new value arrives, callers get the old value as long as it is kept.
    const shown = known ?? reading
    if (known) known.renewAt = Infinity
    else kept.set(key, reading)
    reading.value.then(
      () => {
        const ttl = KEPT_TIMES * (clock.now() - startedAt)
        const bounded = Math.min(KEPT_MS_MOST, Math.max(KEPT_MS_LEAST, ttl))
        reading.renewAt = clock.now() + bounded / 2
        if (kept.peek(key) === shown || !kept.has(key)) kept.set(key, reading, { ttl: bounded })
      },
      () => {
        if (kept.peek(key) === reading) kept.delete(key)
      },
    )
    return shown.value
  }
}
