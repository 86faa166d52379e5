import { randomUUID } from 'node:crypto'
import { databaseClock } from '../../store/clock.ts'
import type { Tx } from '../../store/database.ts'
import { executeLast, readAll } from '../../store/execute-all.ts'
import { isDatabaseFault } from '../../store/failures.ts'
import { distinctAccounts } from '../account-map.ts'
import type { Account } from '../account.ts'
import type { AccountState, LedgerDatabase, Batch, BatchOutcome } from '../batch.ts'
import {
  accountsIn,
  type BatchTransaction,
  type BatchWork,
  changesOf,
  openBatchTransaction,
  type LedgerDatabaseDeps,
} from './apply-batch.ts'
import { applyWithBisection, applyBatchWithBisection } from './apply-with-bisection.ts'
import { addChargedAccounts } from './charge.ts'
import { closeEpoch, openEpoch, otherEpochs, readEpoch, registerClosed } from './epochs.ts'
import { type Fault, reportFaults, releasesOf, logFaults } from './faults.ts'
import { lockQueries } from './lock-rows.ts'
import { type LockedAccounts, lockedAccounts, rowKeysOf, stateOf } from './locked-accounts.ts'
import { assumeFirstEnds } from './prior-ends.ts'

/**
 * The one place where charges, leases and balances meet. A transaction first updates the epoch's
 * own row, which shows whether the epoch is open and at the expected position. The epoch's accounts
 * follow, locked in a fixed order, computed in memory and written once; then the rollups and the
 * log.
 *
 * A failure leaves nothing behind, so a batch may be sent again; the position makes it apply once.
 * Only a failure caused by the records' values is repeated with bisection: pieces, savepoints, and
 * quarantine for records that cannot be applied.
 */
export function createLedgerDatabase(deps: LedgerDatabaseDeps): LedgerDatabase {
  return {
    newEpochName: deps.newEpochName ?? randomUUID,
    openEpoch: (epoch, label) => openEpoch(deps, epoch, label),
    applyBatch: (batch) => applyBatch(deps, batch),
    applyLate: (late) => applyLate(deps, late),
    readEpoch: (epoch) => readEpoch(deps, epoch),
    closeEpoch: (closing) => closeEpoch(deps, closing),
    otherEpochs: (epoch) => otherEpochs(deps, epoch),
    reportFaults: (epoch, faults) => reportFaults(deps, epoch, faults),
  }
}

type Applied = { accounts: LockedAccounts; faults: readonly Fault[] }
type Apply = {
  /** Accounts that the fence also locks, which saves a round trip. */
  readonly locks: (work: BatchWork) => readonly Account[]
  readonly apply: (
    transaction: BatchTransaction,
    work: BatchWork,
    locked: LockedAccounts,
  ) => Promise<Applied>
}

/** Two round trips: the fence with the locks, the changes with the commit. */
const AT_ONCE: Apply = {
  locks: accountsIn,
  apply: async (transaction, work, accounts) => {
    const changes = await changesOf(transaction, accounts, work, assumeFirstEnds)
    await executeLast(transaction.tx, changes)
    return { accounts, faults: [] }
  },
}

const WITH_BISECTION: Apply = { locks: () => [], apply: applyWithBisection }
const LIVE_WITH_BISECTION: Apply = { locks: () => [], apply: applyBatchWithBisection }

async function applyBatch(deps: LedgerDatabaseDeps, batch: Batch): Promise<BatchOutcome> {
  const attempt = (how: Apply) => transact(deps, batch, { sequence: batch.sequence, how })
  try {
    return await attempt(AT_ONCE)
  } catch (error) {
    if (isDatabaseFault(error)) throw error
    return attempt(batch.isRecovered ? WITH_BISECTION : LIVE_WITH_BISECTION)
  }
}

function applyLate(
  deps: LedgerDatabaseDeps,
  late: Parameters<LedgerDatabase['applyLate']>[0],
): Promise<BatchOutcome> {
  const batch = { ...late, releases: [], leaseRequests: [] }
  return transact(deps, batch, { sequence: null, how: WITH_BISECTION })
}

/** `sequence` is null for late records, which are applied whatever the sequence number is. */
type ApplyOptions = { sequence: number | null; how: Apply }

async function transact(
  deps: LedgerDatabaseDeps,
  batch: Omit<Batch, 'sequence'>,
  { sequence, how }: ApplyOptions,
): Promise<BatchOutcome> {
  const isLate = sequence === null
  const { epoch, from, to: position } = batch
  if (!(Number.isSafeInteger(position) && position >= from)) {
    throw new RangeError(`a batch does not go from ${from} to ${position}`)
  }
  const { outcome, faults } = await deps.database.transaction(async (tx) => {
    if (isLate) await registerClosed(tx, deps, epoch)
    const keys = rowKeysOf(how.locks(batch))
    const { fence, ...rows } = await readAll(tx, {
      fence: advanceEpoch(tx, deps, { batch, sequence }),
      ...lockQueries({ tx, kind: deps.database.kind, epoch }, keys),
    })
    const [advanced] = fence
    if (!advanced) return { outcome: await explainMismatch(tx, { epoch, isLate }), faults: [] }
    const { databaseSeconds } = advanced
    const place = { epoch, position, isLate: advanced.closed_at !== null, databaseSeconds }
    const locked = lockedAccounts(keys, rows, databaseSeconds)
    const applied = await how.apply(openBatchTransaction(deps, tx, place), batch, locked)
    const accounts = statesOf(applied, batch)
    const done: BatchOutcome = { type: 'done', accounts, databaseSeconds }
    return { outcome: done, faults: applied.faults }
  })
  logFaults(deps, epoch, faults)
  return outcome
}

/** The fence: stops an epoch that is closed or at another position. */
function advanceEpoch(
  tx: Tx,
  deps: LedgerDatabaseDeps,
  {
    batch: { epoch, from, to },
    sequence,
  }: { batch: Omit<Batch, 'sequence'>; sequence: number | null },
) {
  const query = tx
    .updateTable('ledger_nodes')
    .set((eb) => ({ beat: eb('beat', '+', 1), position: to }))
    .where('run', '=', epoch)
    .where('position', '=', from)
  // The sequence number also reveals a lost batch without records, which only moved leases.
  const fenced =
    sequence === null ? query : query.where('closed_at', 'is', null).where('beat', '=', sequence)
  return fenced.returning(['closed_at', databaseClock(deps).as('databaseSeconds')])
}

async function explainMismatch(
  tx: Tx,
  { epoch, isLate }: { epoch: string; isLate: boolean },
): Promise<BatchOutcome> {
  if (isLate) return { type: 'position_mismatch' }
  const row = await tx
    .selectFrom('ledger_nodes')
    .select('closed_at')
    .where('run', '=', epoch)
    .executeTakeFirst()
  return { type: row?.closed_at === null ? 'position_mismatch' : 'closed' }
}

/** State of each account that the batch named, once. */
function statesOf(
  { accounts, faults }: Applied,
  { records, releases, leaseRequests }: BatchWork,
): AccountState[] {
  const quarantined = new Set(faults.map(({ record }) => record))
  const named: Account[] = []
  for (const record of records) if (!quarantined.has(record)) addChargedAccounts(named, record)
  const others = [...[...quarantined].flatMap(releasesOf), ...releases, ...leaseRequests]
  for (const { account } of others) named.push(account)
  return [...distinctAccounts(named).values()].flatMap((account) => stateOf(accounts, account))
}
