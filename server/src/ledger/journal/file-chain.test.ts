import { expect, test } from 'vitest'
import { moved, opened, settled } from '../../../testing/ledger/journal-records.ts'
import { FOLDER, JournalWorld, lastAndFaults } from '../../../testing/ledger/journal-world.ts'

const KILOBYTE = 1024
const TWO_RECORDS = 3 * KILOBYTE
const MINUTE_MS = 60_000

test('files have a bounded size, and a power cut in between loses none', async () => {
  for (let seed = 0; seed < 20; seed++) {
    const world = new JournalWorld({ seed, fileBytesMax: 4 * KILOBYTE })
    await world.write(20)
    const sizes = world.files().map((name) => world.disk.bytes(`${FOLDER}/${name}`).length)
    expect(sizes.length).toBeGreaterThan(3)
    expect(Math.max(...sizes)).toBeLessThanOrEqual(4 * KILOBYTE)
    await world.clock.advance(50)
    world.disk.powerCut()
    expect(lastAndFaults(await world.read())).toEqual({ last: 20, faults: [] })
  }
})

// guards: C7.5
test('a file is removed ten minutes after its records were applied and its requests ended, not before', async () => {
  const world = new JournalWorld({ fileBytesMax: TWO_RECORDS })
  const { clock, journal } = world
  const filesAfter = async (ms: number) => {
    await clock.advance(ms)
    return world.files()
  }
  journal.append(opened('long'))
  journal.append(opened('moves'))
  await world.write(6)
  expect(await filesAfter(1000)).toEqual(['1.log', '2.log', '3.log', '4.log'])
  journal.markApplied(6)
  expect(await filesAfter(1000)).toEqual(['1.log', '2.5.done', '3.log', '4.log'])
  expect(await filesAfter(10 * MINUTE_MS - 1000)).toContain('2.5.done')
  expect(await filesAfter(1000)).toEqual(['1.log', '3.log', '4.log'])
  journal.append(moved('moves'))
  const end = journal.append(settled('long'))
  journal.markApplied(end - 1)
  expect(await filesAfter(20 * MINUTE_MS)).toEqual(['1.log', '4.log'])
  journal.markApplied(end)
  expect(await filesAfter(1000)).toEqual(['1.3.done', '4.log'])
  expect(await filesAfter(10 * MINUTE_MS)).toEqual(['4.log'])
})

test('a restored database finds its missing records for ten minutes, and longer once the restore is detected', async () => {
  const world = new JournalWorld({ fileBytesMax: 2 * KILOBYTE })
  const { clock, journal } = world
  await world.write(6)
  journal.markApplied(6)
  await clock.advance(9 * MINUTE_MS)
  expect(await world.numbers(1)).toEqual([2, 3, 4, 5, 6])
  journal.markApplied(1)
  await clock.advance(20 * MINUTE_MS)
  expect(await world.numbers(1)).toEqual([2, 3, 4, 5, 6])
})
