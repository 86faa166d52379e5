import { pino } from 'pino'
import { createLedgerDatabase } from '../../src/ledger/apply/ledger-database.ts'
import { type OpenLedger, openLedgerWith } from '../../src/ledger/create-ledger.ts'
import type { Database } from '../../src/store/database.ts'
import { isDatabaseAway } from '../../src/store/failures.ts'
import type { FakeClock } from '../fakes/fake-clock.ts'
import { FakeDisk } from '../ledger/fake-disk.ts'
import type { BrokenRule } from './broken-rules.ts'
import { drawOutcome, type Rates } from './commit-outcome.ts'
import type { MemoryServer } from './memory-server.ts'
import { ProcessDisk } from './process-disk.ts'
import { Process, type WallClock } from './process.ts'
import type { Random } from './random.ts'
import { databaseOver } from './simulated-database.ts'
import type { MessageWire } from './wire.ts'

export type Surroundings = {
  readonly random: Random
  readonly timeline: FakeClock
  readonly server: MemoryServer
  readonly wire: MessageWire
  /** Deliberate deviation from the product. */
  readonly broken: BrokenRule
  readonly note: (text: string) => void
  /** Reports a violation that the database does not show. */
  readonly complain: (text: string) => void
  /** From now on, promises to these requests may be lost. */
  readonly excuse: (reason: string, isOne: (request: { readonly node: Node }) => boolean) => void
  /** Set once the database was restored from an older backup, which lacks credits. */
  wasRestored: boolean
  rates: Rates
  /** Upper bound on a packet's travel time. */
  travelMsMax: number
}

/** A process of the product; `ledger` is null until its start is complete. */
export type Node = {
  readonly machine: Machine
  readonly process: Process
  readonly database: Database
  readonly disk: ProcessDisk
  ledger: OpenLedger | null
  /** The process gets no new requests. */
  isDraining: boolean
}

const DATA_DIR = '/data'

const DRAIN_SECONDS_MAX = 120
const RESTART_MS_MAX = 30_000
/** A failed disk is retried within a second, and the folder is checked every second. */
const REPAIR_MS_MAX = 3000
const UNLINKED_MS_MAX = 2000
const REPORTED_BUGS = /a request has never ended|a lease is not what was promised out of it/

type MachineTraits = {
  name: string
  workers: number
  syncAlways: boolean
  /** One-way travel time to the database; undefined varies up to `travelMsMax`. */
  distanceMs?: number
}

/** A machine with a disk. Its processes are restarted whenever they die. */
export class Machine {
  readonly nature: MachineTraits
  readonly wall: WallClock = { aheadMs: 0 }
  readonly disk: FakeDisk
  readonly #around: Surroundings
  #nodes: Node[] = []
  #starts = 0
  #isGone = false
  #isClosing = false
  #hasLostFiles = false
  #distrustedSince: number | null = null
  /** No packet reaches the database. */
  isCut = false

  constructor(around: Surroundings, nature: MachineTraits, disk?: FakeDisk) {
    this.#around = around
    this.nature = nature
    const { random, timeline } = around
    const clock = new Process(`${nature.name}'s disk`, timeline, this.wall).clock
    this.disk = disk ?? new FakeDisk({ random: () => random.next(), clock })
    for (let count = 0; count < nature.workers; count++) this.#start()
  }

  get nodes(): readonly Node[] {
    return this.#nodes
  }

  get isGone(): boolean {
    return this.#isGone
  }

  /** Whether applied records can no longer be applied again from this machine's journals. */
  get hasLostFiles(): boolean {
    return this.#hasLostFiles
  }

  /** How long the disk may have been missing written data. */
  get distrustedMs(): number {
    const { timeline } = this.#around
    return this.#distrustedSince === null ? 0 : timeline.monotonic() - this.#distrustedSince
  }

  get isDistrusted(): boolean {
    return this.#distrustedSince !== null
  }

  beginDistrust() {
    this.#distrustedSince ??= this.#around.timeline.monotonic()
  }

  /** Delayed, because a failed disk is retried within a second. */
  endDistrust() {
    this.#around.timeline.after(REPAIR_MS_MAX, () => {
      this.#distrustedSince = null
    })
  }

  excuseAll() {
    this.#around.excuse('a lost disk', ({ node }) => node.machine === this)
  }

  /**
   * Deletes the journals under running processes, which notice within a second and write everything
   * again.
   */
  deleteJournal() {
    this.#hasLostFiles = true
    this.disk.deleteFolder(`${DATA_DIR}/journal`)
    const { excuse, wasRestored } = this.#around
    // Records the database lost existed only here, and may not have been read again yet.
    if (wasRestored) this.excuseAll()
    excuse('a lost disk', ({ node }) => node.machine === this && !node.process.isAlive)
    for (const { process } of this.#nodes) {
      const deletedAt = process.ranMs
      process.onDeath(() => {
        if (process.ranMs - deletedAt - this.distrustedMs > UNLINKED_MS_MAX) return
        excuse('a deleted journal', ({ node }) => node.process === process)
      })
    }
  }

  /** Leaves the disk in the state after a power cut. */
  cutPower() {
    for (const { process } of this.#nodes) process.kill()
    this.disk.powerCut()
  }

  /** Loses the machine together with its disk. */
  lose() {
    this.#isGone = true
    this.#hasLostFiles = true
    this.excuseAll()
    for (const { process } of this.#nodes) process.kill()
  }

  /** Like SIGTERM: running requests end first. */
  restart(node: Node) {
    const { process } = node
    this.#stopInOrder(node)
      .catch((error: unknown) => {
        this.#around.note(`${process.name} did not stop in order: ${String(error)}`)
      })
      .finally(() => process.kill())
  }

  /** Like SIGTERM, without a restart. */
  close() {
    this.#isClosing = true
    for (const node of this.#nodes) this.restart(node)
  }

  async #stopInOrder(node: Node) {
    const { process, ledger } = node
    node.isDraining = true
    for (let waits = 0; ledger !== null && ledger.running() > 0; waits++) {
      if (waits === DRAIN_SECONDS_MAX) throw new Error('requests are still running')
      await process.wait(1000)
    }
    await ledger?.close()
  }

  #start() {
    if (this.#isGone || this.#isClosing) return
    const { timeline, random, note } = this.#around
    this.#starts += 1
    const process = new Process(`${this.nature.name}.${this.#starts}`, timeline, this.wall)
    const { disk, kill } = this.disk.attach()
    const database = this.#connect(process)
    const node = { machine: this, process, database, disk: new ProcessDisk(disk, process) }
    const started: Node = { ...node, ledger: null, isDraining: false }
    this.#nodes.push(started)
    process.onDeath(() => {
      kill()
      this.#nodes = this.#nodes.filter((other) => other !== started)
      timeline.after(random.skewed(10, RESTART_MS_MAX), () => this.#start())
    })
    note(`${process.name} starts`)
    this.#open(started).then(
      (ledger) => {
        started.ledger = ledger
      },
      (error: unknown) => {
        this.#judgeFailure(error)
        process.kill()
      },
    )
  }

  #connect(process: Process): Database {
    const { server, timeline, random } = this.#around
    const { distanceMs } = this.nature
    return databaseOver({
      server,
      process,
      timeline,
      isCut: () => this.isCut,
      travelMs: () => distanceMs ?? random.skewed(0, this.#around.travelMsMax),
      distanceMs,
      fate: () => drawOutcome(random, this.#around.rates),
    })
  }

  async #open({ process, database, disk }: Node): Promise<OpenLedger> {
    const { wire, broken, random, server, timeline } = this.#around
    const { clock } = process
    const keepsLog = () => ({ settled: true, void: true })
    const log = this.#log(process)
    const deps = { database, log, keepsLog, remindBelow: () => 0, clock }
    const ledgerDatabase = createLedgerDatabase({
      ...deps,
      now: clock.now,
      newEpochName: () => random.uuid(),
    })
    const { name: machineName } = this.nature
    const place = { server, machineName, monotonic: () => timeline.monotonic() }
    return openLedgerWith({
      ...deps,
      ledgerDatabase: broken.database?.(ledgerDatabase, place) ?? ledgerDatabase,
      disk: broken.disk?.(disk.disk) ?? disk.disk,
      bus: wire.attach(process, () => this.isCut, this.nature.distanceMs),
      dataDir: DATA_DIR,
      label: this.nature.name,
      syncAlways: this.nature.syncAlways,
      sharesFolder: this.nature.workers > 1,
    })
  }

  #log({ name }: Process) {
    const { note, complain } = this.#around
    return pino(
      { level: 'warn', base: null, timestamp: false },
      {
        write: (line) => {
          const text = `${name} ${line.trim()}`
          if (REPORTED_BUGS.test(text)) complain(text)
          else note(text)
        },
      },
    )
  }

  #judgeFailure(error: unknown) {
    const isDiskError = error instanceof Error && 'code' in error
    if (isDiskError || isDatabaseAway(error)) return
    this.#around.complain(
      `a process could not start: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
    )
  }
}
