import { pino } from 'pino'
import { systemClock } from '../../src/clock.ts'
import type { Disk } from '../../src/ledger/journal/disk.ts'
import type { Journal, ReadJournal } from '../../src/ledger/journal/journal.ts'
import { readJournal } from '../../src/ledger/journal/reader.ts'
import { openJournal } from '../../src/ledger/journal/writer.ts'
import { FakeClock } from '../fakes/fake-clock.ts'
import { FakeDisk } from './fake-disk.ts'
import { settled } from './journal-records.ts'
import { seededRandom } from './seeded-random.ts'

export const EPOCH = 'epoch-1'
export const FOLDER = `/data/journal/${EPOCH}`

type WorldOptions = {
  seed?: number
  syncAlways?: boolean
  fileBytesMax?: number
  prepare?: (disk: FakeDisk) => void
  /** Wraps the disk that the journal sees. */
  wrap?: (disk: Disk) => Disk
}

/** An open journal on a disk that can fail, in time that the test advances. */
export function openJournalWorld(options: WorldOptions = {}) {
  const world = new JournalWorld(options)
  const { clock, disk, journal, kill } = world
  return { world, clock, disk, journal, kill }
}

export class JournalWorld {
  readonly clock = new FakeClock()
  readonly disk: FakeDisk
  readonly journal: Journal
  /** Ends the process that writes the journal. */
  readonly kill: () => void
  readonly counts = { writes: 0, syncs: 0 }
  readonly log: string[] = []

  constructor(options: WorldOptions = {}) {
    const { seed = 1, syncAlways = false, fileBytesMax, prepare, wrap } = options
    this.disk = new FakeDisk({ random: seededRandom(seed), clock: this.clock })
    prepare?.(this.disk)
    const { disk, kill } = this.disk.attach()
    this.kill = kill
    this.journal = openJournal({
      disk: this.#counting(wrap ? wrap(disk) : disk),
      folder: FOLDER,
      epoch: EPOCH,
      clock: this.clock,
      syncAlways,
      log: pino({}, { write: (line) => this.log.push(line) }),
      ...(fileBytesMax === undefined ? {} : { fileBytesMax }),
    })
  }

  /** Appends this many records of about 1.3 kilobytes each, and returns the number of the last. */
  append(count: number): number {
    let last = 0
    for (let n = 0; n < count; n++) last = this.journal.append(settled('request'))
    return last
  }

  /** Appends this many records, each in its own turn of the event loop. */
  async write(count: number) {
    for (let n = 0; n < count; n++) {
      this.append(1)
      await this.clock.advance(0)
    }
  }

  read(position = 0): Promise<ReadJournal> {
    return readFrom(this.disk, position)
  }

  async numbers(position = 0): Promise<number[]> {
    return (await this.read(position)).records.map(({ number }) => number)
  }

  files(): string[] {
    return this.disk.attach().disk.listFiles(FOLDER)
  }

  #counting(disk: Disk): Disk {
    return {
      ...disk,
      create: (path) => {
        const file = disk.create(path)
        return {
          ...file,
          write: (bytes) => {
            this.counts.writes += 1
            return file.write(bytes)
          },
          sync: () => {
            this.counts.syncs += 1
            return file.sync()
          },
        }
      },
    }
  }
}

export const lastAndFaults = ({ records, faults }: ReadJournal) => ({
  last: records.at(-1)?.number ?? 0,
  faults,
})

export const readFrom = (disk: FakeDisk, position = 0): Promise<ReadJournal> =>
  readJournal({
    disk: disk.attach().disk,
    folder: FOLDER,
    epoch: EPOCH,
    position,
    clock: systemClock,
  })
