import { expect, test } from 'vitest'
import type { Steps } from '@tollgate/relay'
import { FairScheduler } from './fair-scheduler.ts'

/** A clock that steps advance, and turns of the event loop that tests trigger. */
function world() {
  let timeMs = 0
  const turns: (() => void)[] = []
  const scheduler = new FairScheduler({
    now: () => timeMs,
    defer: (callback) => turns.push(callback),
  })
  const log: string[] = []
  const work = function* (name: string, count: number, stepMs = 5): Steps<string> {
    for (let step = 1; step <= count; step += 1) {
      log.push(`${name}${step}`)
      timeMs += stepMs
      if (step < count) yield
    }
    return name
  }
  const turn = async () => {
    for (const callback of turns.splice(0)) callback()
    await Promise.resolve()
  }
  return { scheduler, log, work, turn, turns }
}

/** Some results are available at once. */
const everyOne = <Result>(results: (Result | Promise<Result>)[]) =>
  Promise.all(results.map((result) => Promise.resolve(result)))

test('work shorter than a slice is done at once', () => {
  const { scheduler, work } = world()
  expect(scheduler.run(1, work('a', 4, 1))).toBe('a')
  expect(scheduler.waiting(1)).toEqual({ count: 0, bytes: 0 })
})

test('a turn of the event loop has one slice, however many tasks start in it', async () => {
  const { scheduler, log, work, turn } = world()
  const all = ['a', 'b', 'c'].map((name, owner) => scheduler.run(owner, work(name, 1, 6)))
  expect(log).toEqual(['a1'])
  await turn()
  expect(log).toEqual(['a1', 'b1'])
  await turn()
  expect(log).toEqual(['a1', 'b1', 'c1'])
  expect(await everyOne(all)).toEqual(['a', 'b', 'c'])
})

test('work that ends within a slice leaves the rest of it to others', async () => {
  const { scheduler, log, work, turn } = world()
  const all = [
    scheduler.run(1, work('a', 2, 5)),
    scheduler.run(2, work('b', 2, 1)),
    scheduler.run(3, work('c', 2, 1)),
    scheduler.run(4, work('d', 2, 1)),
  ]
  await turn()
  expect(log).toEqual(['a1', 'a2'])
  await turn()
  expect(log.slice(2)).toEqual(['b1', 'b2', 'c1', 'c2', 'd1'])
  await turn()
  expect(await everyOne(all)).toEqual(['a', 'b', 'c', 'd'])
})

test('owners take turns, and the tasks of one owner run one after the other', async () => {
  const { scheduler, log, work, turn, turns } = world()
  const flood = Array.from({ length: 50 }, (_, at) => scheduler.run(1, work(`f${at}.`, 3), 10))
  const other = scheduler.run(2, work('o', 2), 7)
  expect(scheduler.waiting(1)).toEqual({ count: 50, bytes: 500 })
  expect(scheduler.waiting(2)).toEqual({ count: 1, bytes: 7 })
  for (let count = 0; count < 4; count += 1) await turn()
  expect(log).toEqual(['f0.1', 'f0.2', 'o1', 'f0.3', 'o2'])
  expect(await other).toBe('o')
  while (turns.length > 0) await turn()
  expect(await everyOne(flood)).toHaveLength(50)
  expect(scheduler.waiting(1)).toEqual({ count: 0, bytes: 0 })
})

test('work that throws fails alone, at once or later', async () => {
  const { scheduler, work, turn } = world()
  const broken = function* (): Steps<void> {
    yield* work('x', 2)
    throw new Error('broken')
  }
  // eslint-disable-next-line require-yield
  const brokenAtOnce = function* (): Steps<void> {
    throw new Error('at once')
  }
  expect(() => scheduler.run(1, brokenAtOnce())).toThrow('at once')
  const failing = scheduler.run(1, broken())
  const next = scheduler.run(1, work('a', 1))
  const failure = expect(failing).rejects.toThrow('broken')
  await turn()
  await turn()
  await failure
  expect(await next).toBe('a')
})

test('work on few bytes never waits', () => {
  const { scheduler, log, work } = world()
  void scheduler.run(1, work('a', 3))
  expect(scheduler.runSized(1, work('b', 3), 1000)).toBe('b')
  expect(scheduler.runSized(1, work('c', 3), 100_000)).toBeInstanceOf(Promise)
  expect(log).toEqual(['a1', 'b1', 'b2', 'b3'])
})

test('other callbacks run between two slices', async () => {
  const scheduler = new FairScheduler()
  let ticks = 0
  let isDone = false
  const tick = () => {
    ticks += 1
    if (!isDone) setImmediate(tick)
  }
  tick()
  const busy = function* (): Steps<void> {
    for (let step = 0; step < 100; step += 1) {
      const until = performance.now() + 1
      while (performance.now() < until);
      yield
    }
  }
  await scheduler.run(1, busy())
  isDone = true
  expect(ticks).toBeGreaterThan(10)
})
