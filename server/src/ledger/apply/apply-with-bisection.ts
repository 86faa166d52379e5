import { sql } from 'kysely'
import type { Tx } from '../../store/database.ts'
import { isDatabaseFault, refusalCode } from '../../store/failures.ts'
import type { Account } from '../account.ts'
import type { EndRecord } from '../record.ts'
import { type BatchTransaction, applyBatchWork, type BatchWork } from './apply-batch.ts'
import { addTouchedAccounts } from './charge.ts'
import { type Fault, insertFault, releasesOf } from './faults.ts'
import { lockAccounts, type LockedAccounts } from './locked-accounts.ts'
import { classifyEnds } from './prior-ends.ts'

type Applied = { accounts: LockedAccounts; faults: Fault[] }

/**
 * For a batch of a live epoch: throws, and quarantines nothing, if the database refuses all of
 * several records for one reason. The cause is then probably not in the records, and records that
 * join the next batch will show it. A late or recovered batch has no records that could join it.
 */
export async function applyBatchWithBisection(
  transaction: BatchTransaction,
  work: BatchWork,
): Promise<Applied> {
  const applied = await applyWithBisection(transaction, work)
  assertErrorsDiffer(applied.faults, work.records.length)
  return applied
}

/**
 * Looks up earlier ends and halves what fails. A record that fails alone is quarantined; all others
 * are applied.
 */
export async function applyWithBisection(
  transaction: BatchTransaction,
  work: BatchWork,
): Promise<Applied> {
  const accounts = [
    ...work.records.flatMap(readableAccounts),
    ...[...work.releases, ...work.leaseRequests].map(({ account }) => account),
  ]
  // Locks every account in the fixed order first, whatever the order of the pieces.
  await lockAccounts(transaction, accounts)
  const faults = await applyRecords(transaction, work.records)
  await applyBatchWork(transaction, { ...work, records: [] }, classifyEnds)
  return { accounts: await lockAccounts(transaction, accounts), faults }
}

/** Tolerates malformed records, since nothing has validated them yet. */
function readableAccounts(record: EndRecord): Account[] {
  const named = releasesOf(record).map(({ account }) => account)
  try {
    const touched: Account[] = []
    addTouchedAccounts(touched, record)
    const charged = touched.filter(
      ({ ownerId, period }) => Number.isSafeInteger(ownerId) && Number.isSafeInteger(period),
    )
    return [...charged, ...named]
  } catch {
    return named
  }
}

async function applyRecords(
  transaction: BatchTransaction,
  records: readonly EndRecord[],
): Promise<Fault[]> {
  const [only] = records
  if (only === undefined) return []
  const work = { records, releases: [], leaseRequests: [] }
  const failure = await failureOf(transaction.tx, () =>
    applyBatchWork(transaction, work, classifyEnds),
  )
  if (failure === null) return []
  if (records.length === 1) return [await quarantine(transaction, { record: only, ...failure })]
  const half = Math.ceil(records.length / 2)
  return [
    ...(await applyRecords(transaction, records.slice(0, half))),
    ...(await applyRecords(transaction, records.slice(half))),
  ]
}

/**
 * If the database refuses all of several records for one reason, the database is more likely to be
 * wrong than the records.
 */
function assertErrorsDiffer([first, ...others]: readonly Fault[], records: number) {
  if (first === undefined || others.length === 0 || others.length + 1 < records) return
  const code = refusalCode(first.error)
  if (code !== null && others.every(({ error }) => refusalCode(error) === code)) {
    throw first.error
  }
}

/**
 * Runs a piece in a savepoint. Returns what the piece failed for, after rolling it back. Throws
 * failures that do not depend on the values.
 */
async function failureOf(tx: Tx, run: () => Promise<unknown>): Promise<{ error: unknown } | null> {
  await sql`savepoint piece`.execute(tx)
  try {
    await run()
    await sql`release savepoint piece`.execute(tx)
    return null
  } catch (error) {
    if (isDatabaseFault(error)) throw error
    await sql`rollback to savepoint piece`.execute(tx)
    await sql`release savepoint piece`.execute(tx)
    return { error }
  }
}

/** Quarantines a record. What the record took from the epoch's leases returns to the accounts. */
async function quarantine(transaction: BatchTransaction, fault: Fault): Promise<Fault> {
  const work = { records: [], releases: releasesOf(fault.record), leaseRequests: [] }
  await applyBatchWork(transaction, work, classifyEnds)
  await insertFault(transaction, fault)
  return fault
}
