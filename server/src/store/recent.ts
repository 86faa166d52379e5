import { LRUCache } from 'lru-cache'

const KEYS_MAX = 2000
const KEPT_MS = 1000

export type Recent<Value> = (key: string, read: () => Promise<Value>) => Promise<Value>

/** What was read less than a second ago is not read again, nor what is being read. */
export function createRecent<Value>(): Recent<Value> {
  const kept = new LRUCache<string, Promise<Value>>({ max: KEYS_MAX, ttl: KEPT_MS })
  return (key, read) => {
    const known = kept.get(key)
    if (known) return known
    const reading = read()
    kept.set(key, reading)
    reading.catch(() => kept.delete(key))
    return reading
  }
}
