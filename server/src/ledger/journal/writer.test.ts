import { expect, test } from 'vitest'
import { opened } from '../../../testing/ledger/journal-records.ts'
import {
  FOLDER,
  JournalWorld,
  lastAndFaults,
  openJournalWorld,
  readFrom,
} from '../../../testing/ledger/journal-world.ts'

const MINUTE_MS = 60_000

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

async function hasResolved(promise: Promise<unknown>): Promise<boolean> {
  const pending = Symbol('pending')
  return (await Promise.race([promise, Promise.resolve(pending)])) !== pending
}

test('all appends of one event-loop turn are one write, and one promise', async () => {
  const { world, journal, clock } = openJournalWorld()
  const last = world.append(5)
  const written = journal.written()
  expect(journal.written()).toBe(written)
  expect([last, world.counts.writes]).toEqual([5, 0])
  await clock.advance(0)
  await written
  expect(world.counts.writes).toBe(1)
  expect(await world.numbers()).toEqual(upTo(5))
  await journal.written()
})

test('pending records count until they are applied', async () => {
  const { world, journal } = openJournalWorld()
  for (const request of ['a', 'b']) journal.append(opened(request))
  const opening = journal.pending()
  world.append(2)
  expect(opening.records).toBe(2)
  expect(journal.pending().records).toBe(4)
  expect(journal.pending().bytes).toBeGreaterThan(opening.bytes + 1200)
  journal.markApplied(2)
  expect(journal.pending().records).toBe(2)
  journal.markApplied(4)
  expect(journal.pending()).toEqual({ bytes: 0, records: 0 })
})

test('an idle journal is not synced repeatedly', async () => {
  const world = new JournalWorld()
  await world.write(1)
  await world.clock.advance(MINUTE_MS)
  expect(world.counts).toEqual({ writes: 1, syncs: 1 })
})

test('with a sync for each write, written() waits for the disk, and later appends for the next sync', async () => {
  const { world, clock, disk, journal } = openJournalWorld({ syncAlways: true })
  disk.trouble.syncMs = 10
  world.append(1)
  const first = journal.written()
  await clock.advance(5)
  world.append(1)
  const second = journal.written()
  await clock.advance(4)
  expect(await hasResolved(first)).toBe(false)
  await clock.advance(1)
  expect([await hasResolved(first), await hasResolved(second)]).toEqual([true, false])
  await clock.advance(10)
  expect(await hasResolved(second)).toBe(true)
  disk.powerCut()
  expect(lastAndFaults(await world.read())).toEqual({ last: 2, faults: [] })
})

test('a closed journal is on disk, free for others, and accepts no more', async () => {
  const { world, clock, disk, journal } = openJournalWorld()
  world.append(2)
  const closing = journal.close()
  expect(() => world.append(1)).toThrow(/closed/)
  await clock.advance(5)
  await closing
  await journal.close()
  expect(journal.isSound()).toBe(false)
  const { disk: other } = disk.attach()
  expect(other.lock(FOLDER)).not.toBeNull()
  disk.powerCut()
  expect(await world.numbers()).toEqual([1, 2])
})

test('a journal that cannot be written closes normally if everything was applied', async () => {
  const world = new JournalWorld()
  world.disk.trouble.isReadOnly = true
  const last = world.append(1)
  await world.clock.advance(0)
  world.journal.markApplied(last)
  await world.journal.close()
  await world.clock.advance(MINUTE_MS)
  expect(world.journal.isSound()).toBe(false)
})

test('a folder is removed only when its journal is closed and applied', async () => {
  const { world, clock, disk, journal } = openJournalWorld()
  await world.write(1)
  expect(() => journal.remove()).toThrow(/open/)
  const closing = journal.close()
  await clock.advance(5)
  await closing
  expect(() => journal.remove()).toThrow(/applied/)
  journal.markApplied(1)
  journal.remove()
  expect(disk.attach().disk.listFolders('/data/journal')).toEqual([])
})

test('a copy of the folder on another machine is a separate journal from then on', async () => {
  const world = new JournalWorld()
  await world.write(1)
  const copy = world.disk.copy()
  await world.write(1)
  expect((await readFrom(copy)).records.at(-1)?.number).toBe(1)
  expect(copy.attach().disk.lock(FOLDER)).not.toBeNull()
  expect((await world.read()).records.at(-1)?.number).toBe(2)
})
