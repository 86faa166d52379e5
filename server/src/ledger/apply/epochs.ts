import { QUOTA_MAX } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import { storableText } from '../../store/storable-text.ts'
import type { EpochClosing, EpochState, Batch } from '../batch.ts'
import { openBatchTransaction, type LedgerDatabaseDeps } from './apply-batch.ts'
import { applyWithBisection } from './apply-with-bisection.ts'
import { logFaults } from './faults.ts'
import { listLeased } from './lock-rows.ts'
import { lockAccounts, stateOf } from './locked-accounts.ts'

const LABEL_LENGTH_MAX = 200

const secondsOf = ({ now }: Pick<LedgerDatabaseDeps, 'now'>) => Math.floor(now() / 1000)

/** Registers an epoch. An epoch that a peer has already found unlocked and closed stays closed. */
export async function openEpoch(
  deps: LedgerDatabaseDeps,
  epoch: string,
  label: string,
): Promise<void> {
  await deps.database.kysely
    .insertInto('ledger_nodes')
    .values({
      run: epoch,
      label: storableText(label, LABEL_LENGTH_MAX),
      started_at: secondsOf(deps),
    })
    .onConflict((conflict) => conflict.column('run').doNothing())
    .execute()
}

/**
 * Registers an epoch that the database does not know, as after a restore from an older backup. The
 * epoch gets no lease again.
 */
export async function registerClosed(
  tx: Tx,
  deps: LedgerDatabaseDeps,
  epoch: string,
): Promise<void> {
  const now = secondsOf(deps)
  await tx
    .insertInto('ledger_nodes')
    .values({ run: epoch, label: '', started_at: now, closed_at: now })
    .onConflict((conflict) => conflict.column('run').doNothing())
    .execute()
}

const lockEpoch = (tx: Tx, { database: { kind } }: LedgerDatabaseDeps, epoch: string) =>
  tx
    .selectFrom('ledger_nodes')
    .select(['position', 'beat', 'closed_at', 'finished_at'])
    .where('run', '=', epoch)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()

export function readEpoch(deps: LedgerDatabaseDeps, epoch: string): Promise<EpochState | null> {
  return deps.database.transaction(async (tx) => {
    const row = await lockEpoch(tx, deps, epoch)
    if (!row) return null
    const leased = await listLeased({ tx, epoch })
    const { position, beat: sequence } = row
    const transaction = openBatchTransaction(deps, tx, {
      epoch,
      position,
      isLate: row.closed_at !== null,
    })
    const accounts = await lockAccounts(transaction, leased)
    return {
      position,
      sequence,
      isClosed: row.closed_at !== null,
      finishedAt: row.finished_at,
      accounts: leased.flatMap((account) => stateOf(accounts, account)),
    }
  })
}

export async function closeEpoch(deps: LedgerDatabaseDeps, closing: EpochClosing): Promise<void> {
  const { epoch, type } = closing
  const faults = await deps.database.transaction((tx) =>
    type === 'finished' ? finish(tx, deps, closing) : abandon(tx, deps, closing),
  )
  logFaults(deps, epoch, faults)
}

async function finish(
  tx: Tx,
  deps: LedgerDatabaseDeps,
  closing: EpochClosing & { type: 'finished' },
) {
  const { epoch, voids } = closing
  await registerClosed(tx, deps, epoch)
  const row = await lockEpoch(tx, deps, epoch)
  if (row === undefined) throw new Error(`epoch ${epoch} is not there`)
  const { position, closed_at, finished_at } = row
  // If voids leave no log rows, nothing else shows that these requests were counted before.
  const isCounted = finished_at !== null && !deps.keepsLog().void
  const records = isCounted ? [] : voids
  const faults = await releaseAll(tx, deps, {
    epoch,
    position,
    isLate: closed_at !== null,
    records,
  })
  const now = secondsOf(deps)
  await tx
    .updateTable('ledger_nodes')
    .set({ closed_at: closed_at ?? now, finished_at: now })
    .where('run', '=', epoch)
    .execute()
  return faults
}

async function abandon(
  tx: Tx,
  deps: LedgerDatabaseDeps,
  { epoch, sequence }: EpochClosing & { type: 'abandoned' },
) {
  const closed = await tx
    .updateTable('ledger_nodes')
    .set({ closed_at: secondsOf(deps) })
    .where('run', '=', epoch)
    .where('beat', '=', sequence)
    .where('closed_at', 'is', null)
    .returning('position')
    .executeTakeFirst()
  if (!closed) return []
  return releaseAll(tx, deps, { epoch, ...closed, isLate: false, records: [] })
}

type LastWork = Pick<Batch, 'epoch' | 'records'> & { position: number; isLate: boolean }

/** The caller has locked the epoch, which leases nothing after this. */
async function releaseAll(tx: Tx, deps: LedgerDatabaseDeps, { records, ...epoch }: LastWork) {
  const leased = await listLeased({ tx, epoch: epoch.epoch })
  const releases = leased.map((account) => ({ account, amount: QUOTA_MAX }))
  const transaction = openBatchTransaction(deps, tx, epoch)
  const { faults } = await applyWithBisection(transaction, { records, releases, leaseRequests: [] })
  await tx.deleteFrom('quota_leases').where('run', '=', epoch.epoch).execute()
  return faults
}

export function otherEpochs({ database: { kysely } }: LedgerDatabaseDeps, epoch: string) {
  return kysely
    .selectFrom('ledger_nodes')
    .select(['run as epoch', 'beat as sequence'])
    .where('closed_at', 'is', null)
    .where('run', '<>', epoch)
    .orderBy('run')
    .execute()
}
