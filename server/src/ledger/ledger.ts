import type {
  AttemptRecord,
  BudgetPeriod,
  ChargeBasis,
  EndReason,
  Quota,
  Seconds,
} from '@tollgate/contract'
import type { Tx } from '../store/database.ts'
import type { Account, AccountKind } from './account.ts'

/** The owner of a request, and the part of its log row that does not depend on the outcome. */
export type LedgerRequest = {
  requestId: string
  userId: number
  username: string
  tokenId: number
  tokenName: string
  model: string
  isStream: boolean
  /** The API that the client called, in a word; absent in records of earlier versions. */
  endpoint?: string
  openedAt: Seconds
  /** The token had its own limit at authorization, so it is held and charged too. */
  tokenLimited: boolean
  /** Period of the token's budget at authorization; null without a budget. */
  budget: BudgetPeriod | null
  /** The IANA time zone in which the budget's periods begin; UTC if absent. */
  timeZone?: string
}

/**
 * Holds `max`, or what is available if that is at least `min`. If both are 0, nothing is held.
 */
export type HoldAmount = { min: Quota; max: Quota }

export type HoldOutcome = { type: 'held'; hold: Hold } | HoldRefusal

export type HoldRefusal =
  /** The balance itself is too small. */
  | { type: 'insufficient'; account: AccountKind; balance: Quota; needed: Quota }
  /** The balance would suffice, but running requests hold part of it. */
  | { type: 'in_use'; account: AccountKind; balance: Quota; held: Quota; needed: Quota }
  /** The owner or the token is deleted, banned or disabled, or the budget no longer exists. */
  | { type: 'no_account' }

export type RequestEnd = {
  content: string
  upstreamModel: string
  channel: number
  elapsedMs: number
  firstTokenMs: number
  endReason: EndReason
  /** What happens to the upstream request if the client disconnects. */
  disconnectPolicy?: 'drain' | 'abort'
  attempts: readonly AttemptRecord[]
  /** What all attempts cost at providers, in nano-dollars; null or absent if unknown. */
  providerCost?: number | null
  /** The group that serves the request. Absent without one; a charge has it in its basis. */
  group?: string
}

export type Settlement = RequestEnd & { cost: Quota; basis: ChargeBasis }

/**
 * Quota held for one running request. Its owner closes it once, with `settle` or `void`; closing
 * again changes nothing. Both throw for an end that cannot be recorded, and the hold stays open.
 */
export type Hold = {
  readonly amount: Quota
  /**
   * Raises the hold, up to `amount.max` in total. What was held stays held, whatever the outcome.
   */
  raise: (amount: HoldAmount) => Promise<RaiseOutcome>
  /**
   * Resolves when the charge can no longer be lost; only then may the last bytes of the response be
   * sent.
   */
  settle: (settlement: Settlement) => Promise<void>
  /** Releases the hold without a charge. */
  void: (end: RequestEnd) => Promise<void>
}

export type RaiseOutcome = { type: 'held' } | HoldRefusal

export type CreditKind = 'user' | 'token'

export type Credit = {
  kind: CreditKind
  ownerId: number
  /** May be negative, but never takes the balance below what is leased of it. */
  amount: Quota
  reason: string
  /** Idempotency key, such as `redemption:7`. */
  source: string
  actorId: number
}

export type CreditOutcome =
  | { type: 'booked'; balance: Quota }
  /** The source was booked before; nothing changed. `isSame` if for the same owner and amount. */
  | { type: 'repeated'; isSame: boolean }
  | { type: 'below_leased'; leased: Quota }
  | { type: 'out_of_range' }
  | { type: 'no_account' }

export type QuotaEdit = {
  kind: CreditKind
  ownerId: number
  targetBalance: Quota
  /**
   * Balance the editor was shown: the edit adds `targetBalance` − `seenBalance`. If
   * absent, the edit sets the balance to `targetBalance`.
   */
  seenBalance?: Quota | undefined
  /** Idempotency key per account and actor. A retry must send the same `seenBalance`. */
  editId?: string | undefined
  reason: string
  actorId: number
}

/**
 * What a token may spend in each period. A new limit, or another kind of period, counts what was
 * already spent in the current period.
 */
export type BudgetEdit = {
  tokenId: number
  quota: Quota
  /** Empty for no budget. */
  period: BudgetPeriod | ''
  /** The IANA time zone in which periods begin; UTC if absent. */
  timeZone?: string
}

/** A movement of a user's earnings from invitations, in fen (1/100 yuan). */
export type Earning = {
  userId: number
  /** At least 1, also for a payout. */
  amount: number
  reason: string
  /** Idempotency key, such as `redemption:7`. */
  source: string
  actorId: number
}

export type EarningOutcome =
  | { type: 'booked'; balance: number }
  /** The source was booked before; nothing changed. `isSame` if for the same user and amount. */
  | { type: 'repeated'; balance: number; isSame: boolean }
  | { type: 'out_of_range'; balance: number }
  | { type: 'no_account' }

/** The state of this process's part of the ledger, for metrics. */
export type LedgerVitals = {
  holds: number
  held: Quota
  leased: Quota
  /** Records that the database has not applied yet. */
  journal: { bytes: number; records: number }
  /** When the oldest charge among them was made; null if all are applied. */
  unappliedSince: Seconds | null
}

/** The only code that changes a quota or an inviter's earnings. */
export type Ledger = {
  /** Throws `LedgerUnavailable` when nothing can be promised now. */
  hold: (context: LedgerRequest, amount: HoldAmount) => Promise<HoldOutcome>
  /** Whether the database or the disk, rather than a balance, prevents further holds. */
  isUnavailable: () => boolean
  /**
   * Resolves when the database shows the ended requests, of one user or of all, on all nodes; after
   * 300 ms at the latest.
   */
  flush: (userId?: number) => Promise<void>
  /**
   * Asks all nodes to release the unused part of their leases on an account. Waits for up to 1 s.
   */
  revoke: (account: Account) => Promise<void>
  /** These run in the caller's transaction and commit with it. */
  credit: (tx: Tx, credit: Credit) => Promise<CreditOutcome>
  editQuota: (tx: Tx, edit: QuotaEdit) => Promise<CreditOutcome>
  editBudget: (tx: Tx, edit: BudgetEdit) => Promise<void>
  earn: (tx: Tx, earning: Earning) => Promise<EarningOutcome>
  payOut: (tx: Tx, payout: Earning) => Promise<EarningOutcome>
}

/**
 * Nothing can be promised now: the database does not answer, the journal cannot be written, or the
 * node is stopping.
 */
export class LedgerUnavailable extends Error {
  override readonly name = 'LedgerUnavailable'
}
