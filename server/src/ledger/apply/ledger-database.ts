import { randomUUID } from 'node:crypto'
import { databaseClock } from '../../store/clock.ts'
import type { Tx } from '../../store/database.ts'
import { isDatabaseFault } from '../../store/failures.ts'
import { type Account, keyOf } from '../account.ts'
import type { AccountState, LedgerDatabase, Batch, BatchOutcome } from '../batch.ts'
import {
  type Application,
  applicationOf,
  applyBatchWork,
  type LedgerDatabaseDeps,
  type BatchWork,
} from './apply-batch.ts'
import { applyWithBisection, applyBatchWithBisection } from './apply-with-bisection.ts'
import { chargedAccounts } from './charge.ts'
import { closeEpoch, openEpoch, otherEpochs, readEpoch, registerClosed } from './epochs.ts'
import { type Fault, reportFaults, returnsOf, tellFaults } from './faults.ts'
import { type LockedAccounts, stateOf } from './locked-accounts.ts'
import { asFirstEnd } from './prior-ends.ts'

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
    openEpoch: (run, label) => openEpoch(deps, run, label),
    applyBatch: (turn) => runTurn(deps, turn),
    applyLate: (late) => applyLate(deps, late),
    readEpoch: (run) => readEpoch(deps, run),
    closeEpoch: (closing) => closeEpoch(deps, closing),
    otherEpochs: (run) => otherEpochs(deps, run),
    reportFaults: (run, faults) => reportFaults(deps, run, faults),
  }
}

type Applied = { accounts: LockedAccounts; faults: readonly Fault[] }
type Apply = (application: Application, work: BatchWork) => Promise<Applied>

const applyAtOnce: Apply = async (application, work) => ({
  accounts: await applyBatchWork(application, work, asFirstEnd),
  faults: [],
})

async function runTurn(deps: LedgerDatabaseDeps, turn: Batch): Promise<BatchOutcome> {
  const run = (apply: Apply) => transact(deps, turn, { beat: turn.beat, apply })
  try {
    return await run(applyAtOnce)
  } catch (error) {
    if (isDatabaseFault(error)) throw error
    return run(turn.isRecovered ? applyWithBisection : applyBatchWithBisection)
  }
}

function applyLate(
  deps: LedgerDatabaseDeps,
  late: Parameters<LedgerDatabase['applyLate']>[0],
): Promise<BatchOutcome> {
  const turn = { ...late, returns: [], draws: [] }
  return transact(deps, turn, { beat: null, apply: applyWithBisection })
}

/** `beat` is null for late records, which are applied whatever the sequence number is. */
type Way = { beat: number | null; apply: Apply }

async function transact(
  deps: LedgerDatabaseDeps,
  turn: Omit<Batch, 'beat'>,
  { beat, apply }: Way,
): Promise<BatchOutcome> {
  const isLate = beat === null
  const { run, from, to: position } = turn
  if (!(Number.isSafeInteger(position) && position >= from)) {
    throw new RangeError(`a run does not go from ${from} to ${position}`)
  }
  const { outcome, faults } = await deps.database.transaction(async (tx) => {
    if (isLate) await registerClosed(tx, deps, run)
    const moved = await moveOn(tx, deps, { turn, beat })
    if (!moved) return { outcome: await whereIsIt(tx, { run, isLate }), faults: [] }
    const { databaseSeconds } = moved
    const place = { run, position, isLate: moved.closed_at !== null, databaseSeconds }
    const applied = await apply(applicationOf(deps, tx, place), turn)
    const accounts = statesOf(applied, turn)
    const done: BatchOutcome = { type: 'done', accounts, databaseSeconds }
    return { outcome: done, faults: applied.faults }
  })
  tellFaults(deps, run, faults)
  return outcome
}

/** The fence: stops an epoch that is closed or at another position. */
function moveOn(
  tx: Tx,
  deps: LedgerDatabaseDeps,
  { turn: { run, from, to }, beat }: { turn: Omit<Batch, 'beat'>; beat: number | null },
) {
  const query = tx
    .updateTable('ledger_nodes')
    .set((eb) => ({ beat: eb('beat', '+', 1), position: to }))
    .where('run', '=', run)
    .where('position', '=', from)
  // The sequence number also reveals a lost batch without records, which only moved leases.
  const fenced =
    beat === null ? query : query.where('closed_at', 'is', null).where('beat', '=', beat)
  return fenced
    .returning(['closed_at', databaseClock(deps).as('databaseSeconds')])
    .executeTakeFirst()
}

async function whereIsIt(
  tx: Tx,
  { run, isLate }: { run: string; isLate: boolean },
): Promise<BatchOutcome> {
  if (isLate) return { type: 'elsewhere' }
  const row = await tx
    .selectFrom('ledger_nodes')
    .select('closed_at')
    .where('run', '=', run)
    .executeTakeFirst()
  return { type: row?.closed_at === null ? 'elsewhere' : 'closed' }
}

/** State of each account that the batch named, once. */
function statesOf(
  { accounts, faults }: Applied,
  { records, returns, draws }: BatchWork,
): AccountState[] {
  const aside = new Set(faults.map(({ record }) => record))
  const named = [
    ...records.filter((record) => !aside.has(record)).flatMap(chargedAccounts),
    ...[...[...aside].flatMap(returnsOf), ...returns, ...draws].map(({ account }) => account),
  ]
  const byKey = new Map<string, Account>(named.map((account) => [keyOf(account), account]))
  return [...byKey.values()].flatMap((account) => stateOf(accounts, account))
}
