import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DiskTrouble } from '../../../testing/ledger/fake-disk.ts'
import { moved, opened, settled } from '../../../testing/ledger/journal-records.ts'
import { FOLDER, JournalWorld } from '../../../testing/ledger/journal-world.ts'
import type { JournalRecord } from '../record.ts'

const RUNS = 200
/** A power cut loses nothing that was written longer ago than this. */
const LOST_MS_MAX = 50
const SEEN_EACH_MS = 5

type Step =
  | { type: 'append'; count: number; size: number }
  | { type: 'pass'; ms: number }
  | { type: 'trouble'; trouble: Partial<DiskTrouble> }
  | { type: 'heal' }
  | { type: 'apply'; share: number }
  | { type: 'delete' }

const trouble = fc.constantFrom<Partial<DiskTrouble>>(
  { isFull: true },
  { isReadOnly: true },
  { writesShort: true },
  { failsToSync: true },
  { syncMs: 9 },
)

const step = fc.oneof(
  {
    weight: 60,
    arbitrary: fc.record({
      type: fc.constant('append' as const),
      count: fc.integer({ min: 1, max: 8 }),
      size: fc.nat(900),
    }),
  },
  {
    weight: 60,
    arbitrary: fc.record({
      type: fc.constant('pass' as const),
      ms: fc.oneof(fc.nat(8), fc.nat(80), fc.nat(2000)),
    }),
  },
  {
    weight: 20,
    arbitrary: fc.record({
      type: fc.constant('apply' as const),
      share: fc.double({ min: 0, max: 1, noNaN: true }),
    }),
  },
  { weight: 20, arbitrary: fc.record({ type: fc.constant('trouble' as const), trouble }) },
  { weight: 20, arbitrary: fc.constant({ type: 'heal' as const }) },
  { weight: 3, arbitrary: fc.constant({ type: 'delete' as const }) },
)

const stories = fc.record({
  seed: fc.integer(),
  syncAlways: fc.boolean(),
  fileBytesMax: fc.constantFrom(2000, 16_000, 1_000_000),
  steps: fc.array<Step>(step, { minLength: 1, maxLength: 60 }),
})

/** What a user of a journal knows of it. */
class Story {
  readonly world: JournalWorld
  readonly records: JournalRecord[] = []
  /** When each record was reported as written, by number. */
  readonly written = new Map<number, number>()
  position = 0
  /** When the folder was deleted; null again once the journal has recovered. */
  deletedAt: number | null = null
  unsoundSince: number | null = null
  #running: string[] = []

  constructor(options: ConstructorParameters<typeof JournalWorld>[0]) {
    this.world = new JournalWorld(options)
  }

  async apply(next: Step) {
    const { clock, disk } = this.world
    if (next.type === 'append') for (let n = 0; n < next.count; n++) this.#append(next.size + n)
    else if (next.type === 'apply') this.#apply(next.share)
    else if (next.type === 'trouble') Object.assign(disk.trouble, next.trouble)
    else if (next.type === 'heal') disk.heal()
    else if (next.type === 'delete') {
      disk.deleteFolder(FOLDER)
      this.deletedAt = clock.monotonic()
    } else await this.#pass(next.ms)
  }

  async #pass(ms: number) {
    const { clock, journal } = this.world
    const end = clock.monotonic() + ms
    while (clock.monotonic() < end) {
      const before = clock.monotonic()
      await clock.advance(Math.min(end - before, SEEN_EACH_MS))
      if (!journal.isSound()) this.unsoundSince ??= before
      else if (this.unsoundSince !== null) {
        if (this.deletedAt !== null && this.deletedAt <= this.unsoundSince) this.deletedAt = null
        this.unsoundSince = null
      }
    }
  }

  /** Opens a request, or ends or moves a running request. */
  #append(size: number) {
    const { clock, journal } = this.world
    const number = this.records.length + 1
    const ended = number % 3 === 1 ? undefined : this.#running.shift()
    const request = ended ?? `request-${number}`
    if (ended === undefined) this.#running.push(request)
    const end = size % 7 === 0 ? moved(request) : settled(request, '主'.repeat(size))
    const record = ended === undefined ? opened(request) : end
    this.records.push(record)
    expect(journal.append(record)).toBe(number)
    const note = () => this.written.set(number, clock.monotonic())
    journal.written().then(note, () => {})
  }

  /** Also applies records from memory: an end that was not written is applied all the same. */
  #apply(share: number) {
    this.position += Math.floor((this.records.length - this.position) * share)
    this.world.journal.markApplied(this.position)
  }

  /** Records that were reported as written by then and are not applied. */
  promised(until: number): number[] {
    const numbers = [...this.written].filter(([, at]) => at <= until).map(([number]) => number)
    return numbers.filter((number) => number > this.position)
  }

  /** Requests whose opening was reported as written by then, and that no record ends. */
  running(until: number): string[] {
    const ended = new Set(
      this.records.flatMap((record) => (record.kind === 'open' ? [] : [requestOf(record)])),
    )
    return this.records.flatMap((record, index) => {
      const writtenAt = this.written.get(index + 1)
      const isPromised = writtenAt !== undefined && writtenAt <= until
      return isPromised && !ended.has(requestOf(record)) ? [requestOf(record)] : []
    })
  }

  /** Reads what is left: no invented records, no duplicates, and everything that was promised. */
  async check(until: number) {
    const { records, open, faults } = await this.world.read(this.position)
    const numbers = records.map(({ number }) => number)
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
    for (const { number, record } of records) expect(record).toEqual(this.records[number - 1])
    expect(numbers).toEqual(expect.arrayContaining(this.promised(until)))
    expect(open.map(requestOf)).toEqual(expect.arrayContaining(this.running(until)))
    return { numbers, faults }
  }
}

const requestOf = (record: JournalRecord): string =>
  record.kind === 'moved' ? record.requestId : record.context.requestId

test('whatever happens, a killed process leaves all that it reported as written, each once, without a gap', async () => {
  await fc.assert(
    fc.asyncProperty(stories, async ({ steps, ...options }) => {
      const story = new Story(options)
      for (const next of steps) await story.apply(next)
      story.world.kill()
      const { numbers, faults } = await story.check(story.deletedAt === null ? Infinity : -1)
      if (story.deletedAt !== null) return
      expect(faults).toEqual([])
      expect(numbers).toEqual(numbers.map((_, index) => (numbers[0] ?? 0) + index))
    }),
    { numRuns: RUNS },
  )
})

test('whatever happens, a power cut leaves all that was written 50 ms ago, or was synced, each once', async () => {
  await fc.assert(
    fc.asyncProperty(stories, async ({ steps, ...options }) => {
      const story = new Story(options)
      for (const next of steps) await story.apply(next)
      const failedAt = story.unsoundSince ?? story.world.clock.monotonic()
      story.world.disk.powerCut()
      const synced = options.syncAlways ? Infinity : failedAt - LOST_MS_MAX
      await story.check(story.deletedAt === null ? synced : -1)
    }),
    { numRuns: RUNS },
  )
})

test('whatever happened, a recovered disk has every record two seconds later', async () => {
  await fc.assert(
    fc.asyncProperty(stories, async ({ steps, ...options }) => {
      const story = new Story(options)
      for (const next of steps) await story.apply(next)
      story.world.disk.heal()
      await story.world.clock.advance(2000)
      expect(story.world.journal.isSound()).toBe(true)
      story.world.disk.powerCut()
      const { records, faults } = await story.world.read(story.position)
      expect(records).toHaveLength(story.records.length - story.position)
      expect(faults).toEqual([])
      expect(records.at(-1)?.number ?? 0).toBeLessThanOrEqual(story.records.length)
    }),
    { numRuns: RUNS },
  )
})
