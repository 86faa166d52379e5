import { pino } from 'pino'
import { afterEach, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { openOnce } from '../../../testing/harness/open-once.ts'
import { startRedis } from '../../../testing/harness/redis.ts'
import { waitUntil } from '../../../testing/harness/wait-until.ts'
import { systemClock } from '../../clock.ts'
import {
  LIMIT_TIMES,
  type LimitLine,
  type LimitStore,
  type LimitTimes,
  type Measure,
  type Verdict,
} from './limit-store.ts'
import { createMemoryStore } from './memory-limits.ts'
import { openSharedStore } from './shared-store.ts'

/** Redis may answer late on a machine busy with other tests. */
const TIMES = { ...LIMIT_TIMES, answerMs: 10_000 }
const SHORT = { ...TIMES, windowMs: 400, sliceMs: 20 }

const open = new Set<LimitStore>()
let requests = 0

const redis = openOnce(() => startRedis())
afterEach(async () => {
  for (const store of open) await store.close()
  open.clear()
})
const now = systemClock.monotonic
const quiet = pino({ level: 'silent' })

const openStore = async (
  kind: 'memory' | 'redis',
  parts: Partial<Parameters<typeof openSharedStore>[0]> = {},
): Promise<LimitStore> => {
  const shared = { url: redis.url, clock: systemClock, log: quiet, times: TIMES, ...parts }
  const store =
    kind === 'memory' ? createMemoryStore(now, shared.times) : await openSharedStore(shared)
  open.add(store)
  return store
}

/** A limit used by one test only. */
const lineOf = (measure: Measure, most: number, amount = 1): LimitLine => {
  requests += 1
  return { scope: 'user', id: requests, measure, max: most, amount }
}

const take = async (store: LimitStore, ...lines: LimitLine[]): Promise<Verdict> => {
  requests += 1
  return store.take(`request-${requests}`, lines)
}

const isTaken = ({ taking }: Verdict) => taking !== null

describe.each(['memory', 'redis'] as const)('limits in %s', (kind) => {
  test('admit exactly the limit out of many concurrent requests; refused ones do not count', async () => {
    const store = await openStore(kind)
    const line = lineOf('requests', 20)
    const verdicts = await Promise.all(Array.from({ length: 100 }, () => take(store, line)))
    expect(verdicts.filter(isTaken)).toHaveLength(20)
    expect(verdicts.at(-1)?.states).toEqual([
      { used: 20, waitMs: expect.any(Number), resetMs: expect.any(Number) },
    ])
    expect(isTaken(await take(store, lineOf('requests', 1)))).toBe(true)
  })

  test('no interval as long as the window holds more, and room is free at the stated time', async () => {
    const store = await openStore(kind, { times: SHORT })
    const line = lineOf('requests', 3)
    const taken: { before: number; after: number }[] = []
    let wait = 0
    const from = now()
    await waitUntil(async () => {
      const before = now()
      const verdict = await take(store, line)
      if (isTaken(verdict)) taken.push({ before, after: now() })
      else wait = Math.max(wait, verdict.states[0]?.waitMs ?? 0)
      return now() > from + 4 * SHORT.windowMs
    })
    // The store counted each request at some moment between these two.
    for (const [index, { before }] of taken.entries()) {
      const after = taken[index + 3]?.after ?? Infinity
      expect(after - before).toBeGreaterThanOrEqual(SHORT.windowMs)
    }
    expect(taken.length).toBeGreaterThanOrEqual(6)
    expect(wait).toBeGreaterThan(0)
    expect(wait).toBeLessThanOrEqual(SHORT.windowMs)
  })

  test('are taken all together or not at all', async () => {
    const store = await openStore(kind)
    const wide = lineOf('requests', 2)
    const narrow = lineOf('tokens', 10, 8)
    const place = lineOf('concurrent', 5)
    expect(isTaken(await take(store, wide, narrow, place))).toBe(true)
    for (let times = 0; times < 3; times += 1) {
      const { states, taking } = await take(store, wide, narrow, place)
      expect(taking).toBeNull()
      expect(states.map(({ used }) => used)).toEqual([1, 8, 1])
      expect(states.map(({ waitMs }) => waitMs > 0)).toEqual([false, true, false])
    }
  })

  test('an estimate of tokens counts until it is corrected, up or down', async () => {
    const store = await openStore(kind, { times: { ...TIMES, windowMs: 2000 } })
    const line = lineOf('tokens', 100, 60)
    const used = async () => (await take(store, { ...line, amount: 1000 })).states[0]?.used
    const first = await take(store, line)
    expect([await used(), isTaken(await take(store, line))]).toEqual([60, false])
    first.taking?.finish(10)
    expect(await used()).toBe(10)
    const second = await take(store, line)
    expect(await used()).toBe(70)
    second.taking?.finish(150)
    expect(await used()).toBe(160)
    expect(isTaken(await take(store, { ...line, amount: 1 }))).toBe(false)
    await waitUntil(async () => (await used()) === 0)
    expect(isTaken(await take(store, line))).toBe(true)
  })

  test('an undone take leaves nothing counted', async () => {
    const store = await openStore(kind)
    const lines = [lineOf('requests', 1), lineOf('tokens', 10, 8), lineOf('concurrent', 1)]
    for (let times = 0; times < 3; times += 1) {
      const { states, taking } = await take(store, ...lines)
      expect(states.map(({ used }) => used)).toEqual([0, 0, 0])
      taking?.undo()
    }
    const { taking } = await take(store, ...lines)
    taking?.finish(8)
    expect((await take(store, ...lines)).states.map(({ used }) => used)).toEqual([1, 8, 0])
  })

  test('a peek requires room and takes none', async () => {
    const store = await openStore(kind)
    const tokens = lineOf('tokens', 10)
    const peek = { ...tokens, isPeek: true }
    const place = lineOf('concurrent', 1)
    for (let times = 0; times < 20; times += 1) {
      const { states, taking } = await take(store, peek, place)
      expect(states.map(({ used }) => used)).toEqual([0, 0])
      if (times % 2 === 0) taking?.finish(5)
      else taking?.undo()
    }
    const full = await take(store, { ...tokens, amount: 10 })
    const refused = await take(store, peek, place)
    expect([isTaken(refused), refused.states[0]?.used]).toEqual([false, 10])
    full.taking?.finish(9)
    expect(isTaken(await take(store, peek, place))).toBe(true)
  })

  test('a place is occupied until its request ends', async () => {
    const store = await openStore(kind)
    const line = lineOf('concurrent', 2)
    const verdicts = await Promise.all(Array.from({ length: 10 }, () => take(store, line)))
    const running = verdicts.filter(isTaken)
    expect(running).toHaveLength(2)
    expect(verdicts.at(-1)?.states[0]?.waitMs).toBe(TIMES.fullWaitMs)
    running[0]?.taking?.finish(0)
    expect(isTaken(await take(store, line))).toBe(true)
    expect(isTaken(await take(store, line))).toBe(false)
  })
})

describe('several nodes over one Redis', () => {
  test('keep every place of a request that takes them one after the other', async () => {
    const times = { ...TIMES, placeMs: 600, renewMs: 100 }
    const store = await openStore('redis', { times })
    const [user, group] = [lineOf('concurrent', 1), lineOf('concurrent', 1)]
    const first = await store.take('one', [user])
    const second = await store.take('one', [group])
    const from = now()
    await waitUntil(async () => now() > from + 2 * times.placeMs)
    expect(isTaken(await take(store, user))).toBe(false)
    expect(isTaken(await take(store, group))).toBe(false)
    first.taking?.finish(0)
    second.taking?.finish(0)
    expect(isTaken(await take(store, user, group))).toBe(true)
  })

  test('admit exactly the limit together', async () => {
    const nodes = [await openStore('redis'), await openStore('redis'), await openStore('redis')]
    const lines = [lineOf('requests', 25), lineOf('concurrent', 10), lineOf('tokens', 100, 7)]
    for (const line of lines) {
      const crowd = await Promise.all(
        nodes.flatMap((node) => Array.from({ length: 30 }, () => take(node, line))),
      )
      expect(crowd.filter(isTaken)).toHaveLength(Math.floor(line.max / line.amount))
    }
  })

  test("release each other's places", async () => {
    const [one, other] = [await openStore('redis'), await openStore('redis')]
    const line = lineOf('concurrent', 1)
    const running = await take(one, line)
    expect(isTaken(await take(other, line))).toBe(false)
    running.taking?.finish(0)
    await waitUntil(async () => isTaken(await take(other, line)))
  })

  test('keep the places of long requests, and release the places of a dead node', async () => {
    const times = { ...TIMES, placeMs: 1000, renewMs: 100 }
    const [one, other] = [await openStore('redis', { times }), await openStore('redis', { times })]
    const line = lineOf('concurrent', 1)
    expect(isTaken(await take(one, line))).toBe(true)
    const until = now() + 2 * times.placeMs
    await waitUntil(async () => {
      expect(isTaken(await take(other, line))).toBe(false)
      return now() > until
    })
    await one.close()
    await waitUntil(async () => isTaken(await take(other, line)))
  })
})

const logged = z.object({ msg: z.string() })

describe('when Redis is away', () => {
  const openLogged = async (times: Partial<LimitTimes> = {}) => {
    const said: string[] = []
    const write = (line: string) => void said.push(logged.parse(JSON.parse(line)).msg)
    const store = await openStore('redis', {
      log: pino({}, { write }),
      times: { ...TIMES, awayMs: 20, ...times },
    })
    return { store, said }
  }

  test('each node continues from its own counts, logs it once, and rejoins by itself', async () => {
    const { store, said } = await openLogged()
    const other = await openStore('redis', { times: { ...TIMES, awayMs: 20 } })
    const [rate, place] = [lineOf('requests', 3), lineOf('concurrent', 1)]
    expect(isTaken(await take(store, rate))).toBe(true)
    const running = await take(store, place)
    await redis.kill()
    const crowd = await Promise.all(Array.from({ length: 20 }, () => take(store, rate)))
    expect(crowd.filter(isTaken)).toHaveLength(2)
    expect(isTaken(await take(store, place))).toBe(false)
    // This node does not know the other's requests and admits as many again.
    expect(isTaken(await take(other, place))).toBe(true)
    expect(said).toEqual(['Redis does not answer; each node counts rate limits on its own'])

    await redis.start()
    await waitUntil(async () => {
      await take(store, lineOf('requests', 1))
      return said.length === 2
    })
    expect(said[1]).toBe('Redis answers again; all nodes share rate limits')
    // Redis lost its data, so running requests are registered there again.
    const third = await openStore('redis')
    expect(isTaken(await take(third, place))).toBe(false)
    running.taking?.finish(0)
  })

  test('a hanging server delays one request for a moment, and the others not at all', async () => {
    const { store, said } = await openLogged({ answerMs: 100, awayMs: 60_000 })
    const line = lineOf('requests', 5)
    redis.freeze()
    try {
      const from = now()
      expect(isTaken(await take(store, line))).toBe(true)
      expect(now() - from).toBeLessThan(2000)
      const crowd = await Promise.all(Array.from({ length: 50 }, () => take(store, line)))
      expect(crowd.filter(isTaken)).toHaveLength(4)
      expect(said).toHaveLength(1)
      await store.close()
    } finally {
      redis.thaw()
    }
  })

  test('tokens taken too late are not counted twice', async () => {
    const { store } = await openLogged({ answerMs: 100, awayMs: 60_000 })
    const other = await openStore('redis')
    const [tokens, place] = [lineOf('tokens', 1000, 60), lineOf('concurrent', 5)]
    const nothing = lineOf('requests', 0)
    redis.freeze()
    let running: Verdict
    try {
      running = await take(store, tokens, place)
    } finally {
      redis.thaw()
    }
    const seen = async () => {
      const { states } = await take(other, tokens, place, nothing)
      return states.map(({ used }) => used)
    }
    await waitUntil(async () => (await seen()).join() === '0,1,0')
    running.taking?.finish(10)
    await waitUntil(async () => (await seen()).join() === '10,0,0')
  })

  test('a place taken too late is not kept by a refused request', async () => {
    const { store, said } = await openLogged({ answerMs: 100 })
    const other = await openStore('redis')
    const [rate, place] = [lineOf('requests', 1), lineOf('concurrent', 5)]
    const nothing = lineOf('requests', 0)
    expect(isTaken(await take(store, rate))).toBe(true)
    // Redis loses the first request.
    await redis.kill()
    await take(store, lineOf('requests', 1))
    await redis.start()
    await waitUntil(async () => {
      await take(store, lineOf('requests', 1))
      return said.length === 2
    })
    redis.freeze()
    try {
      expect(isTaken(await take(store, rate, place))).toBe(false)
    } finally {
      redis.thaw()
    }
    await waitUntil(async () => {
      const { states } = await take(other, rate, place, nothing)
      return states.map(({ used }) => used).join() === '1,0,0'
    })
  })

  test('a node starts without Redis', async () => {
    await redis.kill()
    const { store, said } = await openLogged()
    try {
      expect(isTaken(await take(store, lineOf('requests', 1)))).toBe(true)
      expect(said).toHaveLength(1)
    } finally {
      await redis.start()
    }
  })
})
