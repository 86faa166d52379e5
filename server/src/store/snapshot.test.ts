import { afterEach, expect, test, vi } from 'vitest'
import { createLog } from '../process/log.ts'
import { openSnapshot } from './snapshot.ts'

afterEach(() => void vi.useRealTimers())

/** A source whose reads end when the test decides. */
async function openSlow() {
  let stored = 0
  const reads: { end: () => void; fail: () => void }[] = []
  const lines: string[] = []
  const log = createLog('info', { write: (line) => void lines.push(line) })
  const changed = new Set<() => unknown>()
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
  const database = { onSettingsChange: (listener: () => unknown) => changed.add(listener) }
  const snapshot = await openSnapshot({ database, log, what: 'numbers', read })
  const change = (to: number) => {
    stored = to
    return Promise.all([...changed].map((listener) => listener()))
  }
  return { snapshot, change, reads, lines }
}

test('overlapping reads never restore an older value, and waiting ones are merged', async () => {
  const { snapshot, change, reads } = await openSlow()
  void change(1)
  await expect.poll(() => reads.length).toBe(2)
  void change(2)
  void change(3)
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

test('a value that cannot be read stays, until it can', async () => {
  const { snapshot, change, reads, lines } = await openSlow()
  const answers = []
  for (const index of [1, 2, 3]) {
    const told = change(1)
    await expect.poll(() => reads.length).toBe(index + 1)
    if (index < 3) reads[index]?.fail()
    else reads[index]?.end()
    answers.push(await told)
    expect(snapshot.current()).toBe(index < 3 ? 0 : 1)
  }
  expect(answers).toEqual([[false], [false], [true]])
  expect(lines).toHaveLength(1)
})

test('a read that takes too long is not waited for, and replaces the value when it ends', async () => {
  const { snapshot, change, reads, lines } = await openSlow()
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const told = [change(1), change(1)]
  await vi.advanceTimersByTimeAsync(2000)
  expect(await Promise.all(told)).toEqual([[false], [false]])
  expect(lines).toHaveLength(1)
  reads[1]?.end()
  await vi.waitFor(() => expect(snapshot.current()).toBe(1))
})
