import { afterAll, expect, test, vi } from 'vitest'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { startRedis } from '../../../testing/harness/redis.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { systemClock } from '../../clock.ts'
import type { AffinityStore } from './affinity-store.ts'
import { openSharedAffinity } from './redis-affinity.ts'

const stores: AffinityStore[] = []

const redis = openOnce(() => startRedis())

afterAll(async () => {
  await Promise.all(stores.map((store) => store.close()))
})

async function openStore() {
  const log = { warn: vi.fn<() => void>(), info: vi.fn<() => void>() }
  const store = await openSharedAffinity({ url: redis.url, clock: systemClock, log })
  stores.push(store)
  return { store, log }
}

const binding = { channel: 7, keyId: 'k', model: 'm' }

test('nodes share bindings, their ends and their lifetimes', async () => {
  const [{ store: one }, { store: other }] = [await openStore(), await openStore()]
  one.set('s', binding, 60_000)
  await waitUntil(async () => (await other.get('s')) !== undefined)
  expect(await other.get('s')).toEqual(binding)
  expect(one.get('s')).toEqual(binding)
  one.delete('s')
  await waitUntil(async () => (await other.get('s')) === undefined)
  one.set('short', binding, 1)
  await waitUntil(async () => (await other.get('short')) === undefined)
  expect(one.known('short')).toBeUndefined()
})

test('while Redis is away, each node keeps its own', async () => {
  const { store, log } = await openStore()
  await redis.kill()
  store.set('own', binding, 60_000)
  expect(store.get('own')).toEqual(binding)
  expect(await store.get('unknown')).toBeUndefined()
  expect(log.warn).toHaveBeenCalled()
  await redis.start()
  await waitUntil(async () => {
    store.set('later', binding, 60_000)
    const { store: other } = await openStore()
    return (await other.get('later')) !== undefined
  })
})
