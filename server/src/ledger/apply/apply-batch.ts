import type { Compilable } from 'kysely'
import type { Logger } from 'pino'
import type { Quota, Seconds } from '@tollgate/contract'
import { announceAccountChange, type Connections, type Tx } from '../../store/database.ts'
import { executeAll } from '../../store/execute-all.ts'
import { type Account, assertQuota } from '../account.ts'
import type { Batch } from '../batch.ts'
import type { EndRecord } from '../record.ts'
import { addTouchedAccounts, assertSound, type ChargedEnd, chargeRecord } from './charge.ts'
import type { EpochTransaction } from './lock-rows.ts'
import { findAccount, lockAccounts, type LockedAccounts } from './locked-accounts.ts'
import { insertLogRows, logRow, replaceLogRows } from './log-rows.ts'
import { type ClassifiedEnds, uncount } from './prior-ends.ts'
import { writeRollups } from './rollups.ts'
import { isUsedUp, quotaReminders, writeAccounts } from './write-accounts.ts'

export type LedgerDatabaseDeps = {
  readonly database: Connections
  /** Unix milliseconds. */
  readonly now: () => number
  readonly keepsLog: () => { settled: boolean; void: boolean }
  /** A user whose balance falls below this, or to 0, is reminded by mail. */
  readonly remindBelow: () => Quota
  readonly log: Pick<Logger, 'error'>
  /** Returns a name that no other epoch will ever have. */
  readonly newEpochName?: () => string
}

export type BatchTransaction = EpochTransaction & {
  readonly databaseSeconds: Seconds
  readonly nowSeconds: Seconds
  /** Number of the last record that is applied. */
  readonly position: number
  /** Whether the epoch was closed before this transaction. */
  readonly isLate: boolean
  readonly keepsLog: ReturnType<LedgerDatabaseDeps['keepsLog']>
  readonly remindBelow: Quota
}

export type BatchWork = Pick<Batch, 'records' | 'releases' | 'leaseRequests'>

export function openBatchTransaction(
  { database: { kind }, now, keepsLog, remindBelow }: LedgerDatabaseDeps,
  tx: Tx,
  place: Pick<BatchTransaction, 'epoch' | 'position' | 'isLate'> & { databaseSeconds?: Seconds },
): BatchTransaction {
  const nowSeconds = Math.floor(now() / 1000)
  const options = { keepsLog: keepsLog(), remindBelow: remindBelow() }
  return { databaseSeconds: nowSeconds, ...place, ...options, tx, kind, nowSeconds }
}

type ClassifyEnds = (
  transaction: EpochTransaction,
  records: readonly EndRecord[],
) => Promise<ClassifiedEnds>

/** The accounts that a batch needs. Throws for a record that cannot be charged. */
export function accountsIn({ records, releases, leaseRequests }: BatchWork): Account[] {
  records.forEach(assertSound)
  const accounts: Account[] = []
  for (const record of records) addTouchedAccounts(accounts, record)
  for (const { account } of releases) accounts.push(account)
  for (const { account } of leaseRequests) accounts.push(account)
  return accounts
}

/** Locks the accounts in their fixed order, then applies the batch to them. */
export async function applyBatchWork(
  transaction: BatchTransaction,
  work: BatchWork,
  classify: ClassifyEnds,
): Promise<LockedAccounts> {
  const accounts = await lockAccounts(transaction, accountsIn(work))
  await executeAll(transaction.tx, await changesOf(transaction, accounts, work, classify))
  return accounts
}

/** Changes the locked accounts. The queries write each account once, then rollups, then the log. */
export async function changesOf(
  transaction: BatchTransaction,
  accounts: LockedAccounts,
  { records, releases, leaseRequests }: BatchWork,
  classify: ClassifyEnds,
): Promise<Compilable[]> {
  const { first, late } = await classify(transaction, records)
  const chargeEnd = (record: EndRecord): ChargedEnd => ({
    record,
    charge: chargeRecord(accounts, record),
  })
  const firstEnds = first.map(chargeEnd)
  const lateEnds = late.map(({ record }) => chargeEnd(record))
  for (const { account, amount } of releases) {
    assertQuota(amount, 'a release')
    findAccount(accounts, account)?.balance.release(amount)
  }
  for (const { account, isForRunning = false, ...demand } of leaseRequests) {
    for (const amount of Object.values(demand)) assertQuota(amount, 'a lease request')
    const found = findAccount(accounts, account)
    if (found?.isOpen || isForRunning) found?.balance.grant(demand)
  }

  const { tx, nowSeconds: now, remindBelow: threshold } = transaction
  return [
    ...writeAccounts(transaction, accounts),
    ...quotaReminders(tx, accounts, { threshold, now }),
    ...writeRollups(transaction, [...firstEnds, ...lateEnds]),
    ...writeLog(transaction, { firstEnds, lateEnds }),
    ...late.flatMap(({ voided }) => uncount(tx, voided)),
    ...([...accounts.tokens.values()].some(isUsedUp) ? [announceAccountChange(tx)] : []),
  ]
}

function writeLog(
  { tx, kind, isLate, keepsLog }: BatchTransaction,
  { firstEnds, lateEnds }: Readonly<Record<'firstEnds' | 'lateEnds', readonly ChargedEnd[]>>,
): Compilable[] {
  const isKept = ({ record }: ChargedEnd) => keepsLog[record.outcome]
  const unlogged = lateEnds.filter((end) => !isKept(end))
  return [
    ...insertLogRows(
      kind,
      firstEnds.filter(isKept).map((end) => logRow(end, isLate ? 1 : 0)),
    ),
    ...replaceLogRows(
      kind,
      lateEnds.filter(isKept).map((end) => logRow(end, 1)),
    ),
    ...unlogged.map(({ record }) =>
      tx.deleteFrom('logs').where('request_id', '=', record.context.requestId),
    ),
  ]
}
