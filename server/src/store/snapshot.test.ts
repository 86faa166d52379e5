import { pino } from 'pino'
import { expect, test } from 'vitest'
import { openSnapshot } from './snapshot.ts'

const log = pino({ level: 'silent' })

/** A source whose reads end when the test says so. */
async function openSlow() {
  let stored = 0
  const reads: { end: () => void; fail: () => void }[] = []
  const changed = new Set<() => void>()
  const read = () => {
    const seen = stored
    if (reads.length === 0) {
      reads.push({ end: () => {}, fail: () => {} })
      return Promise.resolve(seen)
    }
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    reads.push({ end: () => resolve(seen), fail: () => reject(new Error('away')) })
    return promise
  }
  const database = { onChange: (listener: () => void) => changed.add(listener) }
  const snapshot = await openSnapshot({ database, log, what: 'numbers', read })
  const change = (to: number) => {
    stored = to
    for (const listener of changed) listener()
  }
  return { snapshot, change, reads }
}

test('reads that overlap never bring an older value back, and those that wait are one', async () => {
  const { snapshot, change, reads } = await openSlow()
  change(1)
  await expect.poll(() => reads.length).toBe(2)
  change(2)
  change(3)
  const refreshed = snapshot.refresh()
  expect(reads).toHaveLength(2)
  reads[1]?.end()
  await expect.poll(() => reads.length).toBe(3)
  expect(snapshot.current()).toBe(1)
  reads[2]?.end()
  await refreshed
  expect(snapshot.current()).toBe(3)
  expect(reads).toHaveLength(3)
})

test('what cannot be read stays as it was, until it can', async () => {
  const { snapshot, change, reads } = await openSlow()
  change(1)
  await expect.poll(() => reads.length).toBe(2)
  reads[1]?.fail()
  await expect.poll(() => snapshot.current()).toBe(0)
  const again = snapshot.refresh()
  await expect.poll(() => reads.length).toBe(3)
  reads[2]?.end()
  await again
  expect(snapshot.current()).toBe(1)
})
