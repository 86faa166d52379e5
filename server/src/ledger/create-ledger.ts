import type { Logger } from 'pino'
import type { Quota } from '@tollgate/contract'
import { type Clock, systemClock } from '../clock.ts'
import type { Database } from '../store/database.ts'
import { openNotifyBus, type NotifyBus } from '../store/notify-bus.ts'
import { createLedgerDatabase } from './apply/ledger-database.ts'
import { createCredits } from './balances/credit.ts'
import { createEarnings } from './balances/earnings.ts'
import type { LedgerDatabase } from './batch.ts'
import type { Disk } from './journal/disk.ts'
import { journalFolder, openEpochFiles } from './journal/epoch-files.ts'
import { fileDisk } from './journal/file-disk.ts'
import type { Ledger, LedgerVitals } from './ledger.ts'
import type { AuthorizationFault } from './node/authorizer.ts'
import { monitorFailover } from './node/failover-monitor.ts'
import { acquireHold } from './node/hold.ts'
import { LedgerNode } from './node/node.ts'
import { createPeers } from './node/peers.ts'
import { startRecoveryLoop, recoverEpochs } from './node/recover.ts'
import type { EndRecord } from './record.ts'

export type LedgerDeps = {
  database: Database
  /** Connects the processes that share a PostgreSQL database; absent over SQLite. */
  databaseUrl: string | undefined
  dataDir: string
  /** Whether other processes have epochs in this folder. */
  sharesFolder?: boolean
  /** Operators' name for this machine. */
  label: string
  /** Whether each record is on the disk before the last byte of its response is sent. */
  syncAlways: boolean
  log: Logger
  keepsLog: () => { settled: boolean; void: boolean }
  /** A user whose balance falls below this, or to 0, is reminded by mail. */
  remindBelow: () => Quota
  /** Called once per request that was held, when its end is recorded. */
  onEnd?: ((record: EndRecord) => void) | undefined
  clock?: Clock
}

type LedgerParts = Omit<LedgerDeps, 'databaseUrl'> & {
  ledgerDatabase: LedgerDatabase
  disk: Disk
  clock: Clock
  bus: NotifyBus | null
}

export type OpenLedger = Ledger & {
  /** Resolves when the database has every ended request, however long that takes. */
  whenApplied: () => Promise<void>
  running: () => number
  vitals: () => LedgerVitals
  /** Null while every request that its balance covers is authorized. */
  fault: () => AuthorizationFault | null
  /** Stops authorizing requests, returns all leases and closes the epoch. */
  close: () => Promise<void>
}

const FLUSH_MS_MAX = 300
const REVOKE_MS_MAX = 1000

/** Recovers earlier epochs of this data folder and opens a new one. */
export async function openLedger(deps: LedgerDeps): Promise<OpenLedger> {
  const { clock = systemClock } = deps
  const { forLedger } = deps.database
  return openLedgerWith({
    ...deps,
    ledgerDatabase: createLedgerDatabase({ ...deps, database: forLedger, now: clock.now }),
    disk: fileDisk,
    clock,
    bus: await openNotifyBus(forLedger, deps.databaseUrl),
  })
}

export async function openLedgerWith(parts: LedgerParts): Promise<OpenLedger> {
  const { database, ledgerDatabase, disk, clock, bus, label, log, syncAlways } = parts
  const folder = journalFolder(parts.dataDir)
  const recovery = { database: ledgerDatabase, disk, folder, clock, applied: new Map() }
  await recoverEpochs(recovery)

  const { peers, answer } = createPeers(bus, { database: ledgerDatabase, clock })
  const node = await LedgerNode.open({
    database: ledgerDatabase,
    openFiles: (epoch) => openEpochFiles({ disk, folder, epoch, clock, syncAlways, log }),
    revoke: peers.revoke,
    onEnd: parts.onEnd,
    label,
    clock,
    log,
  })
  answer(node)
  const stopMonitor = monitorFailover({
    database: ledgerDatabase,
    epoch: () => node.epoch,
    clock,
    log,
  })
  const stopRecovering = startRecoveryLoop(recovery, { isShared: parts.sharesFolder ?? false, log })

  return {
    hold: (context, amount) => acquireHold(node, context, amount),
    flush: (userId) =>
      waitAtMost(
        FLUSH_MS_MAX,
        Promise.all([node.flush(userId), peers.flush(node.epoch, userId)]),
        clock,
      ),
    revoke: async (account) => {
      node.revoke(account)
      peers.revoke(account)
      await waitAtMost(REVOKE_MS_MAX, Promise.all([node.sync(), peers.flush(node.epoch)]), clock)
    },
    whenApplied: () => node.flush(),
    running: () => node.running,
    vitals: () => node.vitals,
    fault: () => node.fault,
    isUnavailable: () => node.isUnavailable,
    ...createCredits({ database, now: clock.now }),
    ...createEarnings({ database, now: clock.now }),
    close: async () => {
      stopMonitor()
      stopRecovering()
      await node.close()
      await bus?.close()
    },
  }
}

/** Waits for `work` for at most this long. Ignores a failure, which the next caller meets. */
async function waitAtMost(
  milliseconds: number,
  work: Promise<unknown>,
  clock: Clock,
): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const timer = clock.after(milliseconds, resolve)
  work.then(
    () => resolve(),
    () => resolve(),
  )
  await promise
  timer.close()
}
