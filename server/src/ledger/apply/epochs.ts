import { QUOTA_MAX } from '@tollgate/contract'
import type { Tx } from '../../store/database.ts'
import { storableText } from '../../store/storable-text.ts'
import type { EpochClosing, EpochState, Batch } from '../batch.ts'
import { applicationOf, type LedgerDatabaseDeps } from './apply-batch.ts'
import { applyWithBisection } from './apply-with-bisection.ts'
import { tellFaults } from './faults.ts'
import { listLeased } from './lock-rows.ts'
import { lockAccounts, stateOf } from './locked-accounts.ts'

const LABEL_LENGTH_MAX = 200

const secondsOf = ({ now }: Pick<LedgerDatabaseDeps, 'now'>) => Math.floor(now() / 1000)

/** Registers an epoch. An epoch that a peer has already found unlocked and closed stays closed. */
export async function openEpoch(
  deps: LedgerDatabaseDeps,
  run: string,
  label: string,
): Promise<void> {
  await deps.database.kysely
    .insertInto('ledger_nodes')
    .values({ run, label: storableText(label, LABEL_LENGTH_MAX), started_at: secondsOf(deps) })
    .onConflict((conflict) => conflict.column('run').doNothing())
    .execute()
}

/**
 * Registers an epoch that the database does not know, as after a restore from an older backup. The
 * epoch gets no lease again.
 */
export async function registerClosed(tx: Tx, deps: LedgerDatabaseDeps, run: string): Promise<void> {
  const now = secondsOf(deps)
  await tx
    .insertInto('ledger_nodes')
    .values({ run, label: '', started_at: now, closed_at: now })
    .onConflict((conflict) => conflict.column('run').doNothing())
    .execute()
}

const lockRun = (tx: Tx, { database: { kind } }: LedgerDatabaseDeps, run: string) =>
  tx
    .selectFrom('ledger_nodes')
    .select(['position', 'beat', 'closed_at', 'finished_at'])
    .where('run', '=', run)
    .$if(kind === 'postgres', (query) => query.forUpdate())
    .executeTakeFirst()

export function readEpoch(deps: LedgerDatabaseDeps, run: string): Promise<EpochState | null> {
  return deps.database.transaction(async (tx) => {
    const row = await lockRun(tx, deps, run)
    if (!row) return null
    const leased = await listLeased({ tx, run })
    const { position, beat } = row
    const application = applicationOf(deps, tx, { run, position, isLate: row.closed_at !== null })
    const accounts = await lockAccounts(application, leased)
    return {
      position,
      beat,
      isClosed: row.closed_at !== null,
      finishedAt: row.finished_at,
      accounts: leased.flatMap((account) => stateOf(accounts, account)),
    }
  })
}

export async function closeEpoch(deps: LedgerDatabaseDeps, closing: EpochClosing): Promise<void> {
  const { run, type } = closing
  const faults = await deps.database.transaction((tx) =>
    type === 'finished' ? finish(tx, deps, closing) : abandon(tx, deps, closing),
  )
  tellFaults(deps, run, faults)
}

async function finish(
  tx: Tx,
  deps: LedgerDatabaseDeps,
  closing: EpochClosing & { type: 'finished' },
) {
  const { run, voids } = closing
  await registerClosed(tx, deps, run)
  const row = await lockRun(tx, deps, run)
  if (row === undefined) throw new Error(`run ${run} is not there`)
  const { position, closed_at, finished_at } = row
  // If voids leave no log rows, nothing else shows that these requests were counted before.
  const isCounted = finished_at !== null && !deps.keepsLog().void
  const records = isCounted ? [] : voids
  const faults = await giveAllBack(tx, deps, { run, position, isLate: closed_at !== null, records })
  const now = secondsOf(deps)
  await tx
    .updateTable('ledger_nodes')
    .set({ closed_at: closed_at ?? now, finished_at: now })
    .where('run', '=', run)
    .execute()
  return faults
}

async function abandon(
  tx: Tx,
  deps: LedgerDatabaseDeps,
  { run, beat }: EpochClosing & { type: 'abandoned' },
) {
  const closed = await tx
    .updateTable('ledger_nodes')
    .set({ closed_at: secondsOf(deps) })
    .where('run', '=', run)
    .where('beat', '=', beat)
    .where('closed_at', 'is', null)
    .returning('position')
    .executeTakeFirst()
  if (!closed) return []
  return giveAllBack(tx, deps, { run, ...closed, isLate: false, records: [] })
}

type LastWork = Pick<Batch, 'run' | 'records'> & { position: number; isLate: boolean }

/** The caller has locked the epoch, which leases nothing after this. */
async function giveAllBack(tx: Tx, deps: LedgerDatabaseDeps, { records, ...run }: LastWork) {
  const leased = await listLeased({ tx, run: run.run })
  const returns = leased.map((account) => ({ account, amount: QUOTA_MAX }))
  const application = applicationOf(deps, tx, run)
  const { faults } = await applyWithBisection(application, { records, returns, draws: [] })
  await tx.deleteFrom('quota_leases').where('run', '=', run.run).execute()
  return faults
}

export function otherEpochs({ database: { kysely } }: LedgerDatabaseDeps, run: string) {
  return kysely
    .selectFrom('ledger_nodes')
    .select(['run', 'beat'])
    .where('closed_at', 'is', null)
    .where('run', '<>', run)
    .orderBy('run')
    .execute()
}
