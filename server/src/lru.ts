import { LRUCache } from 'lru-cache'

const GET_OPTIONS = {}

/** lru-cache would make an object of options for each `get`. */
class Lru<Key extends string | number, Value extends {}> extends LRUCache<Key, Value> {
  override get(key: Key, options: LRUCache.GetOptions<Key, Value, unknown> = GET_OPTIONS) {
    return super.get(key, options)
  }
}

/**
 * An LRU cache that allocates memory as it fills. lru-cache with `max` allocates memory for all
 * entries up front, and with the default resolution of times sets a timer on access.
 */
export const createLru = <Key extends string | number, Value extends {}>(
  max: number,
  lifetime?: { ttl: number; clock: { now: () => number } },
): LRUCache<Key, Value> =>
  new Lru<Key, Value>({
    maxSize: max,
    sizeCalculation: () => 1,
    ...(lifetime && { ttl: lifetime.ttl, ttlResolution: 0, perf: lifetime.clock }),
  })
