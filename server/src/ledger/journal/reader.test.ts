import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FakeClock } from '../../../testing/fakes/fake-clock.ts'
import { FakeDisk } from '../../../testing/ledger/fake-disk.ts'
import { moved, opened, settled } from '../../../testing/ledger/journal-records.ts'
import { EPOCH, FOLDER, lastAndFaults, readFrom } from '../../../testing/ledger/journal-world.ts'
import { type Clock, systemClock } from '../../clock.ts'
import type { JournalRecord } from '../record.ts'
import { LineBatch } from './line.ts'
import { listEpochs, readJournal } from './reader.ts'

const recordOf = (number: number): JournalRecord =>
  settled(`request-${number}`, '主要'.repeat(number))

function linesOf(numbers: readonly number[], epoch = EPOCH): Buffer {
  const batch = new LineBatch(epoch)
  for (const number of numbers) batch.add(number, recordOf(number))
  return Buffer.from(batch.take())
}

function lines(records: readonly [number: number, record: JournalRecord][]): Buffer {
  const batch = new LineBatch(EPOCH)
  for (const [number, record] of records) batch.add(number, record)
  return Buffer.from(batch.take())
}

function diskWith(files: Record<string, Buffer>): FakeDisk {
  const disk = new FakeDisk({ random: () => 0, clock: new FakeClock() })
  disk.attach().disk.makeFolder(FOLDER)
  for (const [name, bytes] of Object.entries(files)) disk.put(`${FOLDER}/${name}`, bytes)
  return disk
}

const readFiles = (files: Record<string, Buffer>, position = 0) =>
  readFrom(diskWith(files), position)

/** Also returns the names of the files that were read. */
async function readSeen(files: Record<string, Buffer>, position = 0) {
  const { disk } = diskWith(files).attach()
  const names: string[] = []
  const read = (path: string) => {
    names.push(path.slice(FOLDER.length + 1))
    return disk.read(path)
  }
  const seen = { ...disk, read }
  const reading = { disk: seen, folder: FOLDER, epoch: EPOCH, position, clock: systemClock }
  return { journal: await readJournal(reading), names }
}

const numbersOf = async (files: Record<string, Buffer>, position = 0) =>
  (await readFiles(files, position)).records.map(({ number }) => number)

test('a missing or empty folder is an empty journal', async () => {
  const nothing = { records: [], open: [], faults: [] }
  expect(await readFiles({})).toEqual(nothing)
  expect(await readFiles({ '1.log': Buffer.alloc(0) })).toEqual(nothing)
  const disk = new FakeDisk({ random: () => 0, clock: new FakeClock() })
  expect(await readFrom(disk)).toEqual(nothing)
})

test('files are read in their order of creation, not of their names', async () => {
  const files = { '10.log': linesOf([3]), '2.log': linesOf([1, 2]), '9.log': linesOf([]) }
  const { journal, names } = await readSeen(files)
  expect(names).toEqual(['2.log', '9.log', '10.log'])
  expect(journal.records).toEqual([1, 2, 3].map((number) => ({ number, record: recordOf(number) })))
  expect(lastAndFaults(journal)).toEqual({ last: 3, faults: [] })
})

test('applied records are skipped', async () => {
  expect(await numbersOf({ '1.log': linesOf([1, 2, 3, 4]) }, 2)).toEqual([3, 4])
  expect(await numbersOf({ '1.log': linesOf([1, 2]) }, 5)).toEqual([])
})

test('a repeated number is taken once', async () => {
  const files = { '1.log': linesOf([1, 2, 3]), '2.log': linesOf([2, 3, 4]) }
  expect(lastAndFaults(await readFiles(files))).toEqual({ last: 4, faults: [] })
  expect(await numbersOf(files)).toEqual([1, 2, 3, 4])
})

test('wherever a file is cut off, all complete lines before are read and nothing is invented', async () => {
  const whole = linesOf([1, 2, 3])
  const ends = [1, 2, 3].map((count) => linesOf([1, 2, 3].slice(0, count)).length)
  for (let length = 0; length <= whole.length; length++) {
    const complete = ends.filter((end) => length >= end - 1).length
    const journal = await readFiles({ '1.log': whole.subarray(0, length) })
    expect(journal.records).toEqual(
      [1, 2, 3].slice(0, complete).map((number) => ({ number, record: recordOf(number) })),
    )
    expect(lastAndFaults(journal)).toEqual({ last: complete, faults: [] })
  }
})

test('blocks of zeros at the end are no fault', async () => {
  const torn = Buffer.concat([linesOf([1, 2]), linesOf([3]).subarray(0, 30), Buffer.alloc(4096)])
  expect(lastAndFaults(await readFiles({ '1.log': torn }))).toEqual({ last: 2, faults: [] })
})

// guards: C8.4
test('a broken line followed by good ones is a fault, and the rest is read', async () => {
  const broken = linesOf([2])
  broken.write('9', 60)
  const files = { '1.log': Buffer.concat([linesOf([1]), broken, linesOf([3, 4])]) }
  const journal = await readFiles(files)
  expect(journal.records.map(({ number }) => number)).toEqual([1, 3, 4])
  const text = broken.toString().trimEnd()
  const error = 'Record 2 is missing. The check of this line does not fit.'
  expect(journal.faults).toEqual([{ number: 2, text, error }])
})

test('a half line joined to the next loses both, as one fault', async () => {
  const half = linesOf([2]).subarray(0, 100)
  const journal = await readFiles({ '1.log': Buffer.concat([linesOf([1]), half, linesOf([3, 4])]) })
  expect(journal.records.map(({ number }) => number)).toEqual([1, 4])
  expect(journal.faults).toMatchObject([{ number: 2, text: expect.stringContaining('request-3') }])
  expect(journal.faults[0]?.error).toMatch(/^Records 2 to 3 are missing\./)
})

test('blocks of zeros followed by good lines are a fault that both databases can store', async () => {
  const bytes = linesOf([1, 2, 3, 4])
  const [begin, end] = [linesOf([1]).length + 20, linesOf([1, 2]).length + 20]
  const journal = await readFiles({ '1.log': bytes.fill(0, begin, end) })
  expect(journal.records.map(({ number }) => number)).toEqual([1, 4])
  expect(journal.faults).toMatchObject([{ number: 2 }])
  expect(journal.faults[0]?.text).not.toContain('\0')
})

// guards: C8.5
test('a complete line of an unknown kind is a fault, also if it is the last', async () => {
  // Safe because another version may have written it.
  const novel = { ...settled('b'), outcome: 'refunded' } as unknown as JournalRecord
  const journal = await readFiles({
    '1.log': lines([
      [1, opened('a')],
      [2, novel],
    ]),
  })
  expect(journal).toMatchObject({ records: [{ number: 1 }] })
  expect(journal.faults).toMatchObject([{ number: 2, text: expect.stringContaining('refunded') }])
  expect((await readFiles({ '1.log': lines([[2, novel]]) }, 2)).faults).toEqual([])
})

test('a record broken in one file and complete in the next is no fault', async () => {
  const broken = Buffer.concat([linesOf([1]), linesOf([2]).fill(0, 20, 60), linesOf([3])])
  const files = { '1.log': broken, '2.log': linesOf([2, 3, 4]) }
  expect(lastAndFaults(await readFiles(files))).toEqual({ last: 4, faults: [] })
  expect(await numbersOf(files)).toEqual([1, 2, 3, 4])
})

test('a missing file is one fault, whatever it had, and so is a journal that begins too late', async () => {
  const journal = await readFiles({ '1.log': linesOf([1, 2]), '3.log': linesOf([6]) })
  expect(journal.faults).toEqual([{ number: 3, text: '', error: 'Records 3 to 5 are missing.' }])
  const late = await readFiles({ '3.log': linesOf([6]) }, 3)
  expect(late.faults).toEqual([{ number: 4, text: '', error: 'Records 4 to 5 are missing.' }])
  expect((await readFiles({ '3.log': linesOf([6]) }, 5)).faults).toEqual([])
})

test('a file of another epoch and files of another kind are ignored', async () => {
  const journal = await readFiles({
    '1.log': linesOf([1, 2]),
    '2.log': linesOf([3, 4], 'epoch-2'),
    '3.log': linesOf([3]),
    lock: Buffer.from('x'),
    '4.log~': linesOf([4]),
    '05.log': linesOf([4]),
    'notes.log': linesOf([4]),
  })
  expect(journal.records.map(({ number }) => number)).toEqual([1, 2, 3])
  expect(lastAndFaults(journal)).toEqual({ last: 3, faults: [] })
})

test('whatever a file contains, reading it ends, and invalid content gives no record', async () => {
  const bytes = fc.uint8Array({ maxLength: 3000 })
  await fc.assert(
    fc.asyncProperty(bytes, async (noise) => {
      const journal = await readFiles({ '1.log': linesOf([1]), '2.log': Buffer.from(noise) })
      expect(lastAndFaults(journal)).toEqual({ last: 1, faults: [] })
    }),
  )
})

test('a request that was opened and neither ended nor moved is open, applied or not', async () => {
  const records: [number, JournalRecord][] = [
    [1, opened('runs')],
    [2, opened('ends')],
    [3, opened('moves')],
    [4, settled('ends')],
    [5, moved('moves')],
    [6, opened('runs-too')],
  ]
  for (const position of [0, 3, 6]) {
    const { open } = await readFiles({ '1.log': lines(records) }, position)
    expect(open).toEqual([opened('runs'), opened('runs-too')])
  }
})

test('an opening that follows its end in a later file does not reopen the request', async () => {
  const first = lines([
    [1, opened('a')],
    [2, settled('a')],
  ])
  const files = { '1.log': first.subarray(20), '2.log': lines([[1, opened('a')]]) }
  const journal = await readFiles(files)
  expect(journal.records.at(-1)?.number).toBe(2)
  expect(journal.open).toEqual([])
})

test('a completed file is read only for a database that is behind it', async () => {
  const files = { '1.2.done': linesOf([1, 2]), '2.4.done': linesOf([3, 4]), '3.log': linesOf([5]) }
  expect(await numbersOf(files, 0)).toEqual([1, 2, 3, 4, 5])
  expect(await numbersOf(files, 3)).toEqual([4, 5])
  const { journal, names } = await readSeen(files, 4)
  expect(journal.records.at(-1)?.number).toBe(5)
  expect(names).toEqual(['3.log'])
})

test('a large file is read in many event-loop turns, so that requests continue', async () => {
  const content = 'x'.repeat(10_000)
  const batch = new LineBatch(EPOCH)
  for (let number = 1; number <= 200; number++) batch.add(number, settled('a', content))
  const clock = new FakeClock()
  let turns = 0
  const counting: Clock = {
    now: clock.now,
    monotonic: clock.monotonic,
    after: clock.after,
    soon: (epoch: () => void) => {
      turns += 1
      clock.soon(epoch)
    },
  }
  const { disk } = diskWith({ '1.log': Buffer.from(batch.take()) }).attach()
  const reading = readJournal({ disk, folder: FOLDER, epoch: EPOCH, position: 0, clock: counting })
  await clock.advance(0)
  expect((await reading).records.at(-1)?.number).toBe(200)
  expect(turns).toBeGreaterThan(5)
})

test('every folder with a possible name is an epoch', () => {
  const disk = new FakeDisk({ random: () => 0, clock: new FakeClock() })
  const { disk: seen } = disk.attach()
  expect(listEpochs(seen, '/data/journal')).toEqual([])
  const names = ['5c1e9a3e-2f0b-4f6e-9c57-0e1a7c0f2b11', 'epoch-2', 'lost+found', '.trash']
  for (const name of names) seen.makeFolder(`/data/journal/${name}`)
  disk.put('/data/journal/epoch-2/1.log', Buffer.alloc(0))
  expect(listEpochs(seen, '/data/journal')).toEqual(names.slice(0, 2))
})
