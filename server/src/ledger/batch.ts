import type { Quota, Seconds } from '@tollgate/contract'
import type { Account } from './account.ts'
import type { ReadJournal } from './journal/journal.ts'
import type { EndRecord } from './record.ts'

/**
 * All that a run says to the database about money, in one transaction: what has ended, what it gives back,
 * what it wants. There is one at a time.
 */
export type Batch = {
  readonly run: string
  /** How many turns of the run the database has done before. */
  readonly beat: number
  /** The number of the last record applied before, and of the last this applies. */
  readonly from: number
  readonly to: number
  /** The ends among the records from + 1 … to, in their order. */
  readonly records: readonly EndRecord[]
  readonly returns: readonly { account: Account; amount: Quota }[]
  readonly draws: readonly LeaseRequest[]
  /** Its process is gone: nothing will join what it has. */
  readonly isRecovered?: boolean
}

/** A wish for more of an account; where nothing is needed, only for what is taken ahead. */
export type LeaseRequest = {
  readonly account: Account
  /** Of what the account has left: `most` if there is so much, else all of it if that is `least`, else nothing. */
  readonly least: Quota
  readonly most: Quota
  /** What this run charged to the account in the last minute; 0 draws exactly. */
  readonly recent: Quota
  /** A request that holds of the account already is not cut off because it was closed meanwhile. */
  readonly isForRunning?: boolean
}

/** An account after a turn. */
export type AccountState = {
  readonly account: Account
  /** False of one that is gone, banned or disabled: nothing is drawn from it for a request that comes in. */
  readonly isOpen: boolean
  /** This run's lease. */
  readonly lease: Quota
  readonly balance: Quota
  /** What all runs lease of it. */
  readonly leased: Quota
}

export type BatchOutcome =
  | { type: 'done'; accounts: readonly AccountState[]; databaseSeconds: Seconds }
  /** The run is not where it was thought to be: an answer was lost, or a turn, by a database that is an older one. */
  | { type: 'elsewhere' }
  /** Somebody has closed the run: it has no lease and gets none. */
  | { type: 'closed' }

/** What the database knows of a run. */
export type EpochState = {
  readonly position: number
  readonly beat: number
  readonly isClosed: boolean
  /** When its journal had been applied wholly and what never ended was voided; null before that. */
  readonly finishedAt: Seconds | null
  readonly accounts: readonly AccountState[]
}

/** The database's side of the ledger. Throws when it does not answer; what came of a turn is unknown then. */
export type LedgerDatabase = {
  /** A name that no other run will ever have. */
  newEpochName: () => string
  openEpoch: (run: string, label: string) => Promise<void>
  applyBatch: (turn: Batch) => Promise<BatchOutcome>
  /**
   * Applies what the journal of a run that is over still has, charged to what is available, since the run
   * has no leases any more. A late end takes the place of a void of the same request. Registers, as closed,
   * a run that the database does not know.
   */
  applyLate: (late: Pick<Batch, 'run' | 'from' | 'to' | 'records'>) => Promise<BatchOutcome>
  /** Waits for a turn that is still under way. Null when the database has never heard of the run. */
  readEpoch: (run: string) => Promise<EpochState | null>
  closeEpoch: (closing: EpochClosing) => Promise<void>
  /** The other runs that are open. */
  otherEpochs: (run: string) => Promise<readonly { run: string; beat: number }[]>
  /** What is wrong with a journal, for the operator. */
  reportFaults: (run: string, faults: ReadJournal['faults']) => Promise<void>
}

/** The end of a run: its leases go back to their accounts, and it never gets one again. */
export type EpochClosing =
  /** With its journal at hand and wholly applied. `voids`: what was opened and neither ended nor moved. */
  | { run: string; type: 'finished'; voids: readonly EndRecord[] }
  /** From outside, if its beat is still this one; its journal follows, late, should it come back. */
  | { run: string; type: 'abandoned'; beat: number }
