import { createLru } from '../lru.ts'

const KEYS_MAX = 2000
const TTL_MS_MIN = 1000
const TTL_MS_MAX = 30_000
/**
 * A value is kept for 100 times as long as reading it took and renewed after half of that, so that
 * reading takes at most a fiftieth of the time.
 */
const TTL_FACTOR = 100

export type TtlMemo<Value> = (key: string, read: () => Promise<Value>) => Promise<Value>

type MemoEntry<Value> = { value: Promise<Value>; renewAt: number }

/**
 * Caches recent reads and shares reads in progress. In the second half of a value's lifetime, the
 * next call starts a new read in the background and still gets the old value.
 */
export function createTtlMemo<Value>({
  keysMax = KEYS_MAX,
  clock = performance,
}: { keysMax?: number; clock?: { now: () => number } } = {}): TtlMemo<Value> {
  const cache = createLru<string, MemoEntry<Value>>(keysMax, { ttl: TTL_MS_MAX, clock })
  return (key, read) => {
    const cached = cache.get(key)
    if (cached && clock.now() < cached.renewAt) return cached.value
    const startedAt = clock.now()
    const reading = { value: read(), renewAt: Infinity }
    // Until the new value arrives, callers get the old value as long as it is kept.
    const shown = cached ?? reading
    if (cached) cached.renewAt = Infinity
    else cache.set(key, reading)
    reading.value.then(
      () => {
        const ttl = TTL_FACTOR * (clock.now() - startedAt)
        const bounded = Math.min(TTL_MS_MAX, Math.max(TTL_MS_MIN, ttl))
        reading.renewAt = clock.now() + bounded / 2
        if (cache.peek(key) === shown || !cache.has(key)) cache.set(key, reading, { ttl: bounded })
      },
      () => {
        if (cache.peek(key) === reading) cache.delete(key)
      },
    )
    return shown.value
  }
}
