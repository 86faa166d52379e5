import type { Quota, Seconds } from '@tollgate/contract'
import type { Account } from './account.ts'
import type { ReadJournal } from './journal/journal.ts'
import type { EndRecord } from './record.ts'

/**
 * Everything an epoch sends to the database about money, in one transaction: ended requests,
 * released leases and lease requests. An epoch has one batch in progress at a time.
 */
export type Batch = {
  readonly epoch: string
  /** Sequence number: how many batches of this epoch the database has applied before. */
  readonly sequence: number
  /** Numbers of the last record applied before, and of the last record in this batch. */
  readonly from: number
  readonly to: number
  /** The end records among records from + 1 … to, in order. */
  readonly records: readonly EndRecord[]
  readonly releases: readonly { account: Account; amount: Quota }[]
  readonly leaseRequests: readonly LeaseRequest[]
  /** The process is gone, so no later record can join this batch. */
  readonly isRecovered?: boolean
}

/**
 * A request for more of an account. `min` and `max` are 0 if the lease is only raised ahead of
 * demand.
 */
export type LeaseRequest = {
  readonly account: Account
  /**
   * Grants `max` if the account has that much available, else all of it if that is at least
   * `min`, else nothing.
   */
  readonly min: Quota
  readonly max: Quota
  /**
   * What this epoch charged to the account in the last minute: the upper bound on what is leased
   * ahead of demand. With 0 the lease is exact.
   */
  readonly recentCharges: Quota
  /**
   * A request that already holds on the account is not cut off if the account was closed meanwhile.
   */
  readonly isForRunning?: boolean
}

export type AccountState = {
  readonly account: Account
  /** False for a deleted, banned or disabled account: new requests get no lease on it. */
  readonly isOpen: boolean
  /** This epoch's lease. */
  readonly lease: Quota
  readonly balance: Quota
  /** Sum of all epochs' leases. */
  readonly leased: Quota
}

export type BatchOutcome =
  | { type: 'done'; accounts: readonly AccountState[]; databaseSeconds: Seconds }
  /**
   * Position mismatch: an acknowledgement was lost, or the database was restored from an older
   * backup.
   */
  | { type: 'position_mismatch' }
  /** The epoch was closed: it has no leases and gets none. */
  | { type: 'closed' }

export type EpochState = {
  readonly position: number
  readonly sequence: number
  readonly isClosed: boolean
  /** When the journal was fully applied and requests that never ended were voided; null before. */
  readonly finishedAt: Seconds | null
  readonly accounts: readonly AccountState[]
}

/**
 * The database's side of the ledger. Throws when the database does not answer; the result of a
 * batch is then unknown.
 */
export type LedgerDatabase = {
  /** Returns a name that no other epoch will ever have. */
  newEpochName: () => string
  openEpoch: (epoch: string, label: string) => Promise<void>
  applyBatch: (batch: Batch) => Promise<BatchOutcome>
  /**
   * Applies what is left in the journal of a closed epoch. Charges come from the available balance,
   * since the epoch has no leases any more. A late end replaces a void of the same request.
   * Registers an epoch that the database does not know as closed.
   */
  applyLate: (late: Pick<Batch, 'epoch' | 'from' | 'to' | 'records'>) => Promise<BatchOutcome>
  /** Waits for a batch still in progress. Null if the database does not know the epoch. */
  readEpoch: (epoch: string) => Promise<EpochState | null>
  closeEpoch: (closing: EpochClosing) => Promise<void>
  otherEpochs: (epoch: string) => Promise<readonly { epoch: string; sequence: number }[]>
  reportFaults: (epoch: string, faults: ReadJournal['faults']) => Promise<void>
}

/** Closes an epoch: its leases return to their accounts, and it never gets another lease. */
export type EpochClosing =
  /**
   * The journal is at hand and fully applied. `voids`: requests that were opened and neither ended
   * nor moved.
   */
  | { epoch: string; type: 'finished'; voids: readonly EndRecord[] }
  /**
   * Closed by another node, if the sequence number is still `sequence`. Should the node come back,
   * its journal is applied late.
   */
  | { epoch: string; type: 'abandoned'; sequence: number }
