import { expect, test } from 'vitest'
import type { FakeDisk } from '../../../testing/ledger/fake-disk.ts'
import { opened, settled } from '../../../testing/ledger/journal-records.ts'
import {
  FOLDER,
  JournalWorld,
  lastAndFaults,
  openJournalWorld,
} from '../../../testing/ledger/journal-world.ts'
import { LedgerUnavailable } from '../ledger.ts'
import type { Disk } from './disk.ts'

const KILOBYTE = 1024
const MINUTE_MS = 60_000

const upTo = (last: number) => Array.from({ length: last }, (_, index) => index + 1)

// guards: C8.1
test('after a short write nothing is appended to that file, and the next file has everything', async () => {
  const { world, clock, disk, journal } = openJournalWorld({ seed: 3 })
  await world.write(1)
  disk.trouble.writesShort = true
  world.append(3)
  const refused = expect(journal.written()).rejects.toThrow(LedgerUnavailable)
  await clock.advance(0)
  await refused
  expect(journal.isSound()).toBe(false)
  const torn = disk.bytes(`${FOLDER}/1.log`)
  disk.heal()
  await clock.advance(200)
  expect(journal.isSound()).toBe(true)
  await world.write(1)
  await journal.written()
  expect(disk.bytes(`${FOLDER}/1.log`)).toEqual(torn)
  expect(torn.at(-1)).not.toBe('\n'.charCodeAt(0))
  expect(await world.numbers()).toEqual(upTo(5))
  expect((await world.read()).faults).toEqual([])
})

test('a character split by a short write is read once, and complete', async () => {
  let left = 0
  const wrap = (disk: Disk): Disk => ({
    ...disk,
    create: (path) => {
      const file = disk.create(path)
      const cut = (bytes: Buffer) => bytes.subarray(0, left === 0 ? bytes.length : left)
      return { ...file, write: (bytes) => file.write(cut(bytes)) }
    },
  })
  const world = new JournalWorld({ wrap })
  const record = settled('request', '主要🎉')
  left = JSON.stringify(record).indexOf('主') + '00000000 1 '.length + 2
  world.journal.append(record)
  await world.clock.advance(0)
  expect(world.disk.bytes(`${FOLDER}/1.log`).toString()).toMatch(/\uFFFD$/)
  left = 0
  await world.clock.advance(200)
  expect((await world.read()).records).toEqual([{ number: 1, record }])
})

test('a full disk refuses at once, and once it has space nothing is missing', async () => {
  const { world, clock, disk, journal } = openJournalWorld()
  await world.write(1)
  disk.trouble.isFull = true
  await world.write(1)
  world.append(1)
  await expect(journal.written()).rejects.toThrow(LedgerUnavailable)
  await clock.advance(MINUTE_MS)
  expect(journal.isSound()).toBe(false)
  expect(world.files().length).toBeLessThanOrEqual(3)
  expect(world.log).toHaveLength(1)
  disk.heal()
  await clock.advance(1100)
  expect(journal.isSound()).toBe(true)
  await expect(journal.written()).resolves.toBeUndefined()
  disk.powerCut()
  expect(lastAndFaults(await world.read())).toEqual({ last: 3, faults: [] })
})

test('a full disk does not count as sound just because nothing is to be written', async () => {
  const { world, clock, disk, journal } = openJournalWorld()
  disk.trouble.isFull = true
  const last = world.append(1)
  await clock.advance(0)
  journal.markApplied(last)
  for (let round = 0; round < 100; round++) {
    await clock.advance(500)
    expect(journal.isSound()).toBe(false)
  }
  disk.heal()
  await clock.advance(1100)
  expect(journal.isSound()).toBe(true)
})

test('records applied from memory while the disk failed are not written again', async () => {
  const { world, clock, disk, journal } = openJournalWorld()
  disk.trouble.isReadOnly = true
  world.append(3)
  await clock.advance(0)
  journal.markApplied(2)
  disk.heal()
  await clock.advance(200)
  await world.write(1)
  expect(await world.numbers(2)).toEqual([3, 4])
  expect((await world.read(2)).faults).toEqual([])
  expect(await world.numbers()).toEqual([3, 4])
})

// guards: C8.2
test('after a failed sync, the next file has everything that may not be on disk', async () => {
  for (let seed = 0; seed < 50; seed++) {
    const world = new JournalWorld({ seed })
    const { clock, disk, journal } = world
    await world.write(1)
    await clock.advance(50)
    await world.write(1)
    disk.trouble.failsToSync = true
    await clock.advance(20)
    await world.write(1)
    await clock.advance(21)
    expect(journal.isSound()).toBe(false)
    await expect(journal.written()).rejects.toThrow(LedgerUnavailable)
    disk.heal()
    await clock.advance(200)
    expect(journal.isSound()).toBe(true)
    disk.powerCut()
    expect(await world.numbers()).toEqual([1, 2, 3])
  }
})

test('a sync that fails again is no repair', async () => {
  const world = new JournalWorld()
  world.disk.trouble.failsToSync = true
  await world.write(1)
  await world.clock.advance(41)
  for (let round = 0; round < 200; round++) {
    expect(world.journal.isSound()).toBe(false)
    await world.clock.advance(20)
  }
  expect(world.log).toHaveLength(1)
})

test('a late sync of an abandoned file changes nothing', async () => {
  const { world, clock, disk, journal } = openJournalWorld()
  disk.trouble.syncMs = 500
  await world.write(1)
  await clock.advance(100)
  disk.trouble.isReadOnly = true
  await world.write(1)
  expect(journal.isSound()).toBe(false)
  disk.heal()
  await clock.advance(300)
  expect(journal.isSound()).toBe(true)
  disk.trouble.failsToSync = true
  await clock.advance(300)
  expect(journal.isSound()).toBe(true)
})

test('the file to which a running request was rewritten is not removed', async () => {
  const { world, clock, disk, journal } = openJournalWorld({ fileBytesMax: 2000 })
  disk.trouble.isReadOnly = true
  journal.append(opened('runs'))
  await clock.advance(0)
  disk.heal()
  await clock.advance(200)
  await world.write(5)
  journal.markApplied(6)
  await clock.advance(11 * MINUTE_MS)
  expect((await world.read(6)).open).toEqual([opened('runs')])
})

test('callers that wait for the disk receive an error if its sync fails', async () => {
  const world = new JournalWorld({ syncAlways: true })
  world.disk.trouble.failsToSync = true
  world.append(1)
  const refused = expect(world.journal.written()).rejects.toThrow(LedgerUnavailable)
  await world.clock.advance(1)
  await refused
})

test('a disk that hangs in a sync is abandoned after ten seconds', async () => {
  const { world, clock, disk, journal } = openJournalWorld()
  disk.trouble.syncMs = 3600_000
  await world.write(1)
  await clock.advance(40 + 9999)
  expect(journal.isSound()).toBe(true)
  await clock.advance(1)
  expect(journal.isSound()).toBe(false)
  disk.heal()
  await clock.advance(200)
  expect(journal.isSound()).toBe(true)
  expect(world.files()).toEqual(['1.log', '2.log'])
})

test('a deleted folder is recreated within a second, with all it must contain', async () => {
  const { world, clock, disk, journal } = openJournalWorld()
  journal.append(opened('runs'))
  journal.append(opened('ended'))
  journal.append(settled('ended'))
  journal.append(opened('runs-too'))
  await clock.advance(100)
  journal.markApplied(3)
  disk.deleteFolder('/data')
  await clock.advance(1000)
  expect(journal.isSound()).toBe(false)
  await clock.advance(200)
  expect(journal.isSound()).toBe(true)
  disk.powerCut()
  const { records, open, faults } = await world.read(3)
  expect(records).toEqual([{ number: 4, record: opened('runs-too') }])
  expect(open).toEqual([opened('runs'), opened('runs-too')])
  expect(faults).toEqual([])
})

test('the epoch is locked while its journal is open, also if its folder was deleted', async () => {
  const { clock, disk, journal, kill } = openJournalWorld()
  const other = disk.attach().disk
  expect(other.lock(FOLDER)).toBeNull()
  disk.deleteFolder(FOLDER)
  await clock.advance(1200)
  expect(journal.isSound()).toBe(true)
  expect(other.lock(FOLDER)).toBeNull()
  kill()
  expect(other.lock(FOLDER)).not.toBeNull()
})

test('a journal whose folder another process has taken is not sound', async () => {
  const prepare = (disk: FakeDisk) => {
    const { disk: other } = disk.attach()
    other.makeFolder(FOLDER)
    other.lock(FOLDER)
  }
  const { clock, journal } = new JournalWorld({ prepare })
  await clock.advance(MINUTE_MS)
  expect(journal.isSound()).toBe(false)
})

test('a disk that fails at the start is awaited', async () => {
  const { world, clock, disk, journal } = openJournalWorld({
    prepare: (disk) => (disk.trouble.isReadOnly = true),
  })
  world.append(1)
  await expect(journal.written()).rejects.toThrow(LedgerUnavailable)
  expect(journal.isSound()).toBe(false)
  disk.heal()
  await clock.advance(200)
  expect(await world.numbers()).toEqual([1])
  expect(journal.isSound()).toBe(true)
})

test('a large rewrite is split, and records that arrive meanwhile follow it', async () => {
  const { world, clock, disk, journal } = openJournalWorld()
  const content = 'x'.repeat(100 * KILOBYTE)
  disk.trouble.isReadOnly = true
  upTo(50).forEach(() => journal.append(settled('request', content)))
  await clock.advance(0)
  disk.heal()
  world.counts.writes = 0
  clock.after(100, () => clock.soon(() => world.append(1)))
  await clock.advance(100)
  expect(journal.isSound()).toBe(false)
  world.append(1)
  await clock.advance(1)
  expect(journal.isSound()).toBe(true)
  expect(world.counts.writes).toBeGreaterThan(5)
  await clock.advance(50)
  disk.powerCut()
  expect(lastAndFaults(await world.read())).toEqual({ last: 52, faults: [] })
})

test('a journal that cannot be written reports it on close, after one more attempt', async () => {
  const { world, clock, disk, journal } = openJournalWorld()
  disk.trouble.isReadOnly = true
  world.append(1)
  await clock.advance(0)
  const refused = expect(journal.close()).rejects.toThrow(LedgerUnavailable)
  await clock.advance(100)
  await refused
  const second = new JournalWorld()
  second.disk.trouble.isReadOnly = true
  second.append(1)
  await second.clock.advance(0)
  second.disk.heal()
  const closing = second.journal.close()
  await second.clock.advance(5)
  await closing
  expect(await second.numbers()).toEqual([1])
})

test('a deleted older file is detected, and its records are written again', async () => {
  const world = new JournalWorld({ fileBytesMax: 2000 })
  await world.write(6)
  await world.clock.advance(100)
  world.journal.markApplied(2)
  world.disk.attach().disk.removeFile(`${FOLDER}/2.log`)
  await world.clock.advance(1200)
  expect(world.journal.isSound()).toBe(true)
  expect(lastAndFaults(await world.read(2))).toEqual({ last: 6, faults: [] })
  expect(await world.numbers(2)).toEqual([3, 4, 5, 6])
  await world.clock.advance(MINUTE_MS)
  expect(world.log).toHaveLength(2)
})

test('a journal whose repair failed is written on close if the disk has recovered', async () => {
  const world = new JournalWorld()
  world.disk.trouble.isReadOnly = true
  world.append(1)
  await world.clock.advance(350)
  world.disk.heal()
  const closing = world.journal.close()
  await world.clock.advance(5)
  await closing
  expect(await world.numbers()).toEqual([1])
})

test('a journal that is closed during its repair stays closed, and releases its epoch', async () => {
  const { world, clock, disk, journal } = openJournalWorld()
  disk.trouble.isFull = true
  const last = world.append(1)
  await clock.advance(0)
  journal.markApplied(last)
  disk.heal()
  disk.trouble.syncMs = 500
  await clock.advance(110)
  const closing = journal.close()
  expect(journal.close()).toBe(closing)
  await clock.advance(1000)
  await closing
  await clock.advance(MINUTE_MS)
  expect(journal.isSound()).toBe(false)
  expect(disk.attach().disk.lock(FOLDER)).not.toBeNull()
})
