import { LRUCache } from 'lru-cache'

const KEYS_MAX = 2000
const KEPT_MS_LEAST = 1000
const KEPT_MS_MOST = 10_000
/** What takes long is kept so many times as long, so that it takes up a hundredth of the time. */
const KEPT_TIMES = 100

export type Recent<Value> = (key: string, read: () => Promise<Value>) => Promise<Value>

/** What was read a moment ago is not read again, nor what is being read. */
export function createRecent<Value>({
  keysMax = KEYS_MAX,
  clock = performance,
}: { keysMax?: number; clock?: { now: () => number } } = {}): Recent<Value> {
  const kept = new LRUCache<string, Promise<Value>>({
    max: keysMax,
    ttl: KEPT_MS_MOST,
    ttlResolution: 0,
    perf: clock,
  })
  return (key, read) => {
    const known = kept.get(key)
    if (known) return known
    const startedAt = clock.now()
    const reading = read()
    kept.set(key, reading)
    reading.then(
      () => {
        const ttl = KEPT_TIMES * (clock.now() - startedAt)
        const bounded = Math.min(KEPT_MS_MOST, Math.max(KEPT_MS_LEAST, ttl))
        if (kept.peek(key) === reading) kept.set(key, reading, { ttl: bounded })
      },
      () => kept.delete(key),
    )
    return reading
  }
}
