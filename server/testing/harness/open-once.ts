import { afterAll, afterEach, beforeAll, beforeEach } from 'vitest'

type Closable = { close: () => unknown }

/**
 * A world that all tests of a file or a `describe` share: opened before them, closed after them.
 * Its members exist while tests and later hooks run.
 */
export function openOnce<T extends Closable>(open: () => T | Promise<T>): T {
  const world = emptyWorld<T>()
  beforeAll(async () => fill(world, await open()))
  afterAll(() => world.close())
  return world
}

/** A world of its own for each test, with members as in `openOnce`. */
export function openPerTest<T extends Closable>(open: () => T | Promise<T>): T {
  const world = emptyWorld<T>()
  beforeEach(async () => fill(world, await open()))
  afterEach(() => world.close())
  return world
}

// Safe because hooks fill the world before a test reads it.
const emptyWorld = <T>() => ({}) as T

function fill<T extends Closable>(world: T, opened: T) {
  if (Object.getPrototypeOf(opened) !== Object.prototype) throw new Error('not a plain object')
  Object.defineProperties(world, Object.getOwnPropertyDescriptors(opened))
}
