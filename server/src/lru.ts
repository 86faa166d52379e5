import { LRUCache } from 'lru-cache'

/**
 * An LRU cache that allocates memory as it fills. lru-cache with `max` allocates memory for all
 * entries up front, and with the default resolution of times sets a timer on access.
 */
export const createLru = <Key extends string | number, Value extends {}>(
  max: number,
  lifetime?: { ttl: number; clock: { now: () => number } },
): LRUCache<Key, Value> =>
  new LRUCache<Key, Value>({
    maxSize: max,
    sizeCalculation: () => 1,
    ...(lifetime && { ttl: lifetime.ttl, ttlResolution: 0, perf: lifetime.clock }),
  })
